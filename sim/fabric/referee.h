// The referee: nobody is released before the last arrival, everybody once, and with the right data.
//
// It knows arrivals and releases only, and what the data of all combine to, from its own rule.
#pragma once
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "bits.h"

struct Seat {
    int node, place;
};

struct Wrong {
    uint64_t cycle;
    int gid, node;  // -1: none
    std::string text;
};

inline uint64_t combined(int op, uint64_t a, uint64_t b) {
    switch (op) {
    case 0: return a | b;
    case 1: return a & b;
    case 2: return a ^ b;
    case 3: return a > b ? a : b;
    case 4: return a < b ? a : b;
    default: return (a + b) & ((uint64_t{1} << DATA_BITS) - 1);
    }
}

struct Arrivals {  // for one episode
    std::vector<uint8_t> here;
    uint32_t count = 0, came = 0;  // who is here, and who has been, also if he has left it broken
    bool whole = false;            // all have arrived
    uint64_t last = 0, data = 0;

    explicit Arrivals(std::size_t seats) : here(seats) {}
    bool take(int seat, uint64_t cycle, int op, uint64_t value) {
        if (here[seat]) return false;
        data = came ? combined(op, data, value) : value;
        here[seat] = 1, ++count, last = cycle;
        whole = ++came == here.size();
        return true;
    }
};

struct Group {
    int gid, op = 0;
    uint64_t bound = 0;  // of a barrier, in cycles; 0: none
    std::vector<Seat> seats;
    Arrivals now, ahead;
    std::vector<uint8_t> out;     // released from this episode
    std::vector<uint8_t> broken;  // released broken, ever
    uint32_t released = 0;
    uint64_t left = 0;    // episodes to come
    uint64_t since = 0;   // last cycle in which somebody arrived or was released
    bool ends = true;     // and the last of them is its last barrier
    bool closed = false;  // members arrive no more, and may be released broken
    uint64_t errors = 0;
    std::map<uint64_t, uint64_t> episodes;  // by latency

    explicit Group(int gid) : gid(gid), now(0), ahead(0) {}
    uint32_t inside() const { return now.count - released + ahead.count; }
    bool is_in(int seat) const { return out[seat] ? ahead.here[seat] : now.here[seat]; }
    // Whether a member has had its last release.
    bool is_over(int seat) const {
        return broken[seat] || (ends && (!left || (left == 1 && out[seat])));
    }
    // How many are to be released yet, not counting who sits at these nodes.
    uint32_t inside_but(const std::vector<int>& nodes) const {
        uint32_t count = 0;
        for (std::size_t i = 0; i < seats.size(); ++i) {
            bool waits = BREAKS_ALL && closed ? !is_over(i) : is_in(i);
            count += waits && std::find(nodes.begin(), nodes.end(), seats[i].node) == nodes.end();
        }
        return count;
    }
    void sit(int operation, uint64_t greatest, std::vector<Seat> places) {
        op = operation, bound = greatest, seats = std::move(places);
        now = ahead = Arrivals(seats.size()), out.assign(seats.size(), 0), broken = out;
        released = 0, left = 0, closed = false;
    }
    void swap() {
        now = std::move(ahead), ahead = Arrivals(seats.size());
        out.assign(seats.size(), 0), released = 0;
    }
};

class Referee {
  public:
    Referee(int nodes, int registers)
        : registers_(registers), seats_(nodes * registers, {-1, -1}) {}

    const std::vector<Group>& groups() const { return groups_; }
    std::vector<Wrong>& wrongs() { return wrongs_; }
    std::vector<int>& over() { return over_; }
    void set_hang(uint64_t cycles) { hang_ = cycles; }

    // Watch a group; one whose GID has been there keeps its count.
    Group& sit(int gid, int op, uint64_t bound, const std::vector<Seat>& places) {
        std::size_t number = find(gid);
        if (number == groups_.size()) groups_.emplace_back(gid);
        Group& group = groups_[number];
        group.sit(op, bound, places);
        for (std::size_t i = 0; i < places.size(); ++i)
            seats_[places[i].node * registers_ + places[i].place] = {static_cast<int>(number),
                                                                     static_cast<int>(i)};
        return group;
    }

    Group* group(int gid) {
        std::size_t number = find(gid);
        return number == groups_.size() ? nullptr : &groups_[number];
    }

    // Let a group have some episodes from now on.
    void open(Group& group, uint64_t episodes, bool ends, uint64_t cycle) {
        group.left = episodes, group.ends = ends, group.since = cycle;
    }

    // Forget a group's seats.
    void dismiss(Group& group, uint64_t cycle) {
        if (group.inside() && !group.closed)
            wrong(group, cycle, -1, std::to_string(group.inside()) + " members inside at the end");
        for (auto& seat : group.seats) seats_[seat.node * registers_ + seat.place] = {-1, -1};
        group.sit(0, 0, {});
    }

    // What a node shows in a cycle, a bit a register; all nodes' before anybody's arrivals.
    template <class Tile> void see_releases(int node, const Tile& t, uint64_t cycle) {
        if (!any(t.released)) return;
        for (int r = 0; r < registers_; ++r)
            if (bit(t.released, r)) {
                bool broken = false;
                uint64_t value = 0;
                FOR_BROKEN(broken = bit(t.broken, r));
                FOR_DATA(value = field(t.result, r * DATA_BITS, DATA_BITS));
                release(node, r, broken, value, cycle);
            }
    }

    template <class Tile> void see_arrivals(int node, const Tile& t, uint64_t cycle) {
        if (!any(t.arrive)) return;
        for (int r = 0; r < registers_; ++r) {
            Seat seat = seats_[node * registers_ + r];
            if (seat.node < 0 || !bit(t.arrive, r)) continue;
            Group& group = groups_[seat.node];
            uint64_t value = 0;
            FOR_DATA(value = field(t.data, r * DATA_BITS, DATA_BITS));
            auto& arrivals = group.out[seat.place] ? group.ahead : group.now;
            group.since = cycle;
            if (!arrivals.take(seat.place, cycle, group.op, value))
                wrong(group, cycle, node, "arrived twice");
        }
    }

    // End the episodes that end in a cycle, and see who waits for too long.
    void close(uint64_t cycle) {
        for (auto& group : groups_) {
            if (group.released && group.released == group.seats.size()) end(group, cycle);
            if (hang_ && group.left && !group.closed && cycle - group.since >= hang_) {
                wrong(group, cycle, -1, "no arrival or release for " +
                      std::to_string(hang_) + " cycles; " + stands(group));
                group.since = cycle;
            }
        }
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
    std::size_t find(int gid) const {
        std::size_t i = 0;
        while (i < groups_.size() && groups_[i].gid != gid) ++i;
        return i;
    }

    static std::string stands(const Group& group) {
        return std::to_string(group.now.count) + " of " + std::to_string(group.seats.size()) +
               " have arrived, " + std::to_string(group.released) + " are released";
    }

    void release(int node, int place, bool broken, uint64_t value, uint64_t cycle) {
        Seat seat = seats_[node * registers_ + place];
        if (seat.node < 0) {
            note({cycle, -1, node, "released, and sits in no group (register " +
                                       std::to_string(place) + ")"});
            return;
        }
        Group& group = groups_[seat.node];
        group.since = cycle;
        if (broken) leave(group, seat.place, node, cycle);
        else if (!group.now.whole)
            wrong(group, cycle, node, "released early: " + stands(group));
        else if (group.out[seat.place]) wrong(group, cycle, node, "released twice");
        else {
            group.out[seat.place] = 1, ++group.released;
            if (value != group.now.data)
                wrong(group, cycle, node, "result " + std::to_string(value) + ", not " +
                                              std::to_string(group.now.data));
        }
    }

    // A member is released broken: of a group that is killed.
    void leave(Group& group, int seat, int node, uint64_t cycle) {
        bool may_be = group.closed && (BREAKS_ALL || group.is_in(seat));
        if (BREAKS_ALL && group.is_over(seat)) wrong(group, cycle, node, "released twice, broken");
        else if (!may_be) wrong(group, cycle, node, "released broken");
        group.broken[seat] = 1;
        if (!group.is_in(seat)) return;
        auto& arrivals = group.out[seat] ? group.ahead : group.now;
        arrivals.here[seat] = 0, --arrivals.count;
    }

    void end(Group& group, uint64_t cycle) {
        uint64_t latency = cycle - group.now.last;
        ++group.episodes[latency];
        if (group.bound && latency > group.bound)
            wrong(group, cycle, -1, std::to_string(latency) + " cycles, and " +
                                        std::to_string(group.bound) + " is the bound");
        group.swap();
        if (group.left && !--group.left) over_.push_back(group.gid);
    }

    void wrong(Group& group, uint64_t cycle, int node, const std::string& text) {
        ++group.errors;
        note({cycle, group.gid, node, text});
    }

    void note(Wrong wrong) {
        if (wrongs_.size() < MOST) wrongs_.push_back(std::move(wrong));
    }

    static constexpr std::size_t MOST = 20;
    int registers_;
    uint64_t hang_ = 0;
    std::vector<Group> groups_;
    std::vector<Seat> seats_;  // by node and register: number of the group, place in it
    std::vector<Wrong> wrongs_;
    std::vector<int> over_;  // groups whose last episode is over
};
