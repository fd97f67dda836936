// The scoreboard: no member is released before the last arrival, each once, and with the right data.
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

struct Endpoint {
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
    uint32_t count = 0, came = 0;  // inside now; arrived so far, those released broken too
    bool whole = false;            // all have arrived
    uint64_t last = 0, data = 0;

    explicit Arrivals(std::size_t members) : here(members) {}
    bool take(int member, uint64_t cycle, int op, uint64_t value) {
        if (here[member]) return false;
        data = came ? combined(op, data, value) : value;
        here[member] = 1, ++count, last = cycle;
        whole = ++came == here.size();
        return true;
    }
};

struct Group {
    int gid, op = 0;
    uint64_t bound = 0;  // of a barrier, in cycles; 0: none
    std::vector<Endpoint> endpoints;
    Arrivals now, ahead;
    std::vector<uint8_t> out;     // released from this episode
    std::vector<uint8_t> broken;  // released broken, ever
    uint32_t released = 0;
    uint64_t left = 0;    // episodes to come
    uint64_t since = 0;   // last cycle in which a member arrived or was released
    bool ends = true;     // and the last of them is its last barrier
    bool closed = false;  // members arrive no more, and may be released broken
    uint64_t errors = 0;
    std::map<uint64_t, uint64_t> episodes;  // by latency

    explicit Group(int gid) : gid(gid), now(0), ahead(0) {}
    uint32_t inside() const { return now.count - released + ahead.count; }
    bool is_in(int member) const { return out[member] ? ahead.here[member] : now.here[member]; }
    // Whether a member has had its last release.
    bool is_over(int member) const {
        return broken[member] || (ends && (!left || (left == 1 && out[member])));
    }
    // How many are to be released yet, not counting members at these nodes.
    uint32_t inside_but(const std::vector<int>& nodes) const {
        uint32_t count = 0;
        for (std::size_t i = 0; i < endpoints.size(); ++i) {
            bool waits = BREAKS_ALL && closed ? !is_over(i) : is_in(i);
            count += waits && std::find(nodes.begin(), nodes.end(), endpoints[i].node) == nodes.end();
        }
        return count;
    }
    void set(int operation, uint64_t greatest, std::vector<Endpoint> places) {
        op = operation, bound = greatest, endpoints = std::move(places);
        now = ahead = Arrivals(endpoints.size()), out.assign(endpoints.size(), 0), broken = out;
        released = 0, left = 0, closed = false;
    }
    void swap() {
        now = std::move(ahead), ahead = Arrivals(endpoints.size());
        out.assign(endpoints.size(), 0), released = 0;
    }
};

class Scoreboard {
  public:
    Scoreboard(int nodes, int registers)
        : registers_(registers), members_(nodes * registers, {-1, -1}) {}

    const std::vector<Group>& groups() const { return groups_; }
    std::vector<Wrong>& wrongs() { return wrongs_; }
    std::vector<int>& over() { return over_; }
    void set_hang(uint64_t cycles) { hang_ = cycles; }

    // Watch a group; one whose GID has been there keeps its count.
    Group& watch(int gid, int op, uint64_t bound, const std::vector<Endpoint>& places) {
        std::size_t number = find(gid);
        if (number == groups_.size()) groups_.emplace_back(gid);
        Group& group = groups_[number];
        group.set(op, bound, places);
        for (std::size_t i = 0; i < places.size(); ++i)
            members_[places[i].node * registers_ + places[i].place] = {static_cast<int>(number),
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

    // Forget a group's members.
    void dismiss(Group& group, uint64_t cycle) {
        if (group.inside() && !group.closed)
            wrong(group, cycle, -1, std::to_string(group.inside()) + " members inside at the end");
        for (auto& at : group.endpoints) members_[at.node * registers_ + at.place] = {-1, -1};
        group.set(0, 0, {});
    }

    // What a node shows in a cycle, a bit a register; all nodes' before any arrivals.
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
            Endpoint at = members_[node * registers_ + r];
            if (at.node < 0 || !bit(t.arrive, r)) continue;
            Group& group = groups_[at.node];
            uint64_t value = 0;
            FOR_DATA(value = field(t.data, r * DATA_BITS, DATA_BITS));
            auto& arrivals = group.out[at.place] ? group.ahead : group.now;
            group.since = cycle;
            if (!arrivals.take(at.place, cycle, group.op, value))
                wrong(group, cycle, node, "arrived twice");
        }
    }

    // End the episodes that end in a cycle, and check for timeouts.
    void close(uint64_t cycle) {
        for (auto& group : groups_) {
            if (group.released && group.released == group.endpoints.size()) end(group, cycle);
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
        return std::to_string(group.now.count) + " of " + std::to_string(group.endpoints.size()) +
               " have arrived, " + std::to_string(group.released) + " are released";
    }

    void release(int node, int place, bool broken, uint64_t value, uint64_t cycle) {
        Endpoint at = members_[node * registers_ + place];
        if (at.node < 0) {
            note({cycle, -1, node, "released, but in no group (register " +
                                       std::to_string(place) + ")"});
            return;
        }
        Group& group = groups_[at.node];
        group.since = cycle;
        if (broken) leave(group, at.place, node, cycle);
        else if (!group.now.whole)
            wrong(group, cycle, node, "released early: " + stands(group));
        else if (group.out[at.place]) wrong(group, cycle, node, "released twice");
        else {
            group.out[at.place] = 1, ++group.released;
            if (value != group.now.data)
                wrong(group, cycle, node, "result " + std::to_string(value) + ", not " +
                                              std::to_string(group.now.data));
        }
    }

    // A member is released broken: of a group that is killed.
    void leave(Group& group, int member, int node, uint64_t cycle) {
        bool may_be = group.closed && (BREAKS_ALL || group.is_in(member));
        if (BREAKS_ALL && group.is_over(member)) wrong(group, cycle, node, "released twice, broken");
        else if (!may_be) wrong(group, cycle, node, "released broken");
        group.broken[member] = 1;
        if (!group.is_in(member)) return;
        auto& arrivals = group.out[member] ? group.ahead : group.now;
        arrivals.here[member] = 0, --arrivals.count;
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
    std::vector<Endpoint> members_;  // by node and register: number of the group, place in it
    std::vector<Wrong> wrongs_;
    std::vector<int> over_;  // groups whose last episode is over
};
