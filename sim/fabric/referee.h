// The referee: sees that nobody is released before the last arrival, and everybody once.
#pragma once
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <sstream>
#include <vector>

#include "bits.h"

struct Seat {
    int node, place;
};

struct Group {
    int gid;
    std::vector<Seat> seats;
    std::vector<uint8_t> here, ahead, out;  // arrived for this episode, for the next; released
    uint32_t arrived = 0, released = 0;
    uint64_t last = 0, last_ahead = 0;
    uint64_t errors = 0;
    std::map<uint64_t, uint64_t> episodes;  // by latency
    void release(int seat) {
        if (arrived != seats.size() || out[seat]) ++errors;
        else out[seat] = 1, ++released;
    }
    void arrive(int seat, uint64_t cycle) {
        auto& seats_taken = out[seat] ? ahead : here;
        if (seats_taken[seat]) ++errors;
        seats_taken[seat] = 1;
        if (out[seat]) last_ahead = cycle;
        else ++arrived, last = cycle;
    }
    void close(uint64_t cycle) {
        if (released != seats.size()) return;
        ++episodes[cycle - last];
        here.swap(ahead), last = last_ahead, arrived = released = 0;
        for (std::size_t i = 0; i < seats.size(); ++i) arrived += here[i], ahead[i] = out[i] = 0;
    }
};

class Referee {
  public:
    Referee(int nodes, int registers)
        : registers_(registers), seats_(nodes * registers, {-1, -1}) {}

    const std::vector<Group>& groups() const { return groups_; }
    const std::vector<int>& nodes() const { return nodes_; }  // that have seats
    bool has(int node, int place) const { return seats_[node * registers_ + place].node >= 0; }

    void add(std::istringstream& words) {
        Group group{};
        words >> group.gid;
        for (int node, place; words >> node >> place;) {
            seats_[node * registers_ + place] = {static_cast<int>(groups_.size()),
                                                 static_cast<int>(group.seats.size())};
            group.seats.push_back({node, place});
            auto at = std::lower_bound(nodes_.begin(), nodes_.end(), node);
            if (at == nodes_.end() || *at != node) nodes_.insert(at, node);
        }
        for (auto* row : {&group.here, &group.ahead, &group.out}) row->resize(group.seats.size());
        groups_.push_back(group);
    }

    // A cycle of one node: a bit a register.
    template <class T> void see(int node, const T& arrives, const T& released, uint64_t cycle) {
        if (!any(arrives) && !any(released)) return;
        for (int r = 0; r < registers_; ++r) {
            Seat seat = seats_[node * registers_ + r];
            if (seat.node < 0) continue;
            Group& group = groups_[seat.node];
            if (bit(released, r)) group.release(seat.place);
            if (bit(arrives, r)) group.arrive(seat.place, cycle);
        }
    }

    void close(uint64_t cycle) {
        for (auto& group : groups_) group.close(cycle);
    }

    void print() const {
        for (auto& group : groups_) {
            std::cout << group.gid << ' ' << group.errors;
            for (auto& [latency, count] : group.episodes)
                std::cout << ' ' << latency << ':' << count;
            std::cout << '\n';
        }
    }

  private:
    int registers_;
    std::vector<Group> groups_;
    std::vector<int> nodes_;
    std::vector<Seat> seats_;  // by node and register: number of the group, place in it
};
