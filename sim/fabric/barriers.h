// Groups that synchronize by themselves: their members, and the scoreboard.
//
// Commands:
//   group GID OP BOUND NODE REGISTER ...   watch a group; BOUND 0: a barrier may take any time
//   members SEED JITTER   let the members of the watched groups arrive again and again, from the
//                    cycle after the next on
//   seed SEED JITTER HANG   of members to come; no barrier is to stand still for HANG cycles
//   open GID EPISODES ENDS   let a group's members arrive so many times, from now on; with ENDS 1
//                    the last time is the group's last barrier
//   close GID        they arrive no more, and may be released broken
//   absent GID NODE  this one arrives no more
//   dismiss GID      forget a group's members
//   inside GID NODE ...   how many have arrived and are not released, except those at these nodes;
//                    of a group that is closed, where BREAKS_ALL, how many await their last release
//   watch            a line a group: GID, errors, then LATENCY:EPISODES for each latency seen
#pragma once
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "members.h"
#include "scoreboard.h"

class Barriers {
  public:
    Scoreboard& scoreboard() { return scoreboard_; }

    // Obey a command; return whether it is one.
    bool obey(const std::string& name, std::istringstream& words, uint64_t cycle) {
        int gid = 0;
        if (name == "group") watch(words);
        else if (name == "members" || name == "seed") {
            uint64_t hang = 0;
            words >> seed_ >> jitter_ >> hang;
            nodes_.clear(), scoreboard_.set_hang(hang), seeded_ = true;
            if (name == "members")
                for (auto& group : scoreboard_.groups()) let_in(group, FOR_EVER, false, true);
        } else if (name == "open") {
            uint64_t episodes = 0;
            bool ends = true;
            words >> gid >> episodes >> ends;
            if (Group* group = scoreboard_.group(gid))
                scoreboard_.open(*group, episodes, ends, cycle), let_in(*group, episodes, true, ends);
        } else if (name == "close") {
            words >> gid;
            each_member(gid, [](Member& member) { member.stop(); });
            if (Group* group = scoreboard_.group(gid)) group->closed = true;
        } else if (name == "absent") {
            int node = 0;
            words >> gid >> node;
            for (auto& each : nodes_)
                for (auto& member : each.members())
                    if (each.node() == node && member.gid() == gid) member.stop();
        } else if (name == "dismiss") {
            words >> gid;
            for (auto& node : nodes_) {
                auto& all = node.members();
                auto is_gone = [&](Member& member) { return member.gid() == gid; };
                all.erase(std::remove_if(all.begin(), all.end(), is_gone), all.end());
            }
            if (Group* group = scoreboard_.group(gid)) scoreboard_.dismiss(*group, cycle);
        } else if (name == "inside") {
            words >> gid;
            std::vector<int> but;
            for (int node; words >> node;) but.push_back(node);
            Group* group = scoreboard_.group(gid);
            std::cout << (group ? group->inside_but(but) : 0) << '\n';
        } else if (name == "watch") scoreboard_.print();
        else return false;
        return true;
    }

    // Whether a release is looked at: before the first group, too, where members are to come.
    bool watches() const { return seeded_ || !scoreboard_.groups().empty(); }

    // Go on for a cycle. `released` are the nodes that show a release, in order; `dirty` those whose
    // inputs change, to which mark(node) adds one.
    template <class Tiles, class Mark>
    void go_on(const Tiles& nodes, const std::vector<int>& released, const std::vector<int>& dirty,
               uint64_t cycle, Mark mark) {
        for (int node : released) scoreboard_.see_releases(node, *nodes[node], cycle);
        auto next = released.begin();
        for (auto& node : nodes_) {
            auto& t = *nodes[node.node()];
            while (next != released.end() && *next < node.node()) ++next;
            bool shows = next != released.end() && *next == node.node();
            FOR_BROKEN(if (shows) node.leave(t.released, t.broken));
            node.go_on(jitter_, shows ? &t.released : nullptr, [&](Member& member, [[maybe_unused]] uint32_t word) {
                mark(node.node()), set(t.arrive, member.place());
                FOR_DATA(put(t.data, member.place() * DATA_BITS, DATA_BITS, word));
                FOR_LAST(if (member.has_been_last()) set(t.last, member.place()));
            });
        }
        std::vector<int> arriving(dirty);
        std::sort(arriving.begin(), arriving.end());
        arriving.erase(std::unique(arriving.begin(), arriving.end()), arriving.end());
        for (int tile : arriving)
            if (tile < NODES) scoreboard_.see_arrivals(tile, *nodes[tile], cycle);
        scoreboard_.close(cycle);
    }

  private:
    static constexpr uint64_t FOR_EVER = ~uint64_t{0};

    void watch(std::istringstream& words) {
        int gid = 0, op = 0;
        uint64_t bound = 0;
        std::vector<Endpoint> endpoints;
        words >> gid >> op >> bound;
        for (int node, place; words >> node >> place;) endpoints.push_back({node, place});
        scoreboard_.watch(gid, op, bound, endpoints);
    }

    void let_in(const Group& group, uint64_t episodes, bool wait, bool ends) {
        for (auto& endpoint : group.endpoints) {
            auto at = std::lower_bound(nodes_.begin(), nodes_.end(), endpoint.node,
                                       [](auto& each, int node) { return each.node() < node; });
            if (at == nodes_.end() || at->node() != endpoint.node)
                at = nodes_.insert(at, {endpoint.node, seed_});
            Member member(endpoint.place, group.gid, episodes,
                          wait ? (at->state() >> 8) % (jitter_ + 1) : 0, ends);
            auto& all = at->members();
            auto follows = [](const Member& a, const Member& b) { return a.place() < b.place(); };
            all.insert(std::upper_bound(all.begin(), all.end(), member, follows), member);
        }
    }

    template <class Act> void each_member(int gid, Act act) {
        for (auto& node : nodes_)
            for (auto& member : node.members())
                if (member.gid() == gid) act(member);
    }

    Scoreboard scoreboard_{NODES, REGISTERS};
    std::vector<MembersOfNode> nodes_;  // those that have had members, in order
    uint32_t seed_ = 0, jitter_ = 0;
    bool seeded_ = false;
};
