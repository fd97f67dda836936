// Processes that arrive at their barriers by themselves, again and again.
//
// A member arrives, waits for its release, lingers for a random number of cycles, and arrives
// again; with none to linger, in the very cycle of the release. Each node has a generator,
// Marsaglia's xorshift with 32 bits, that steps in every cycle; no two registers see the same byte.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "bits.h"

class Member {
  public:
    // Its register at the node, its group, how often it arrives, and the cycles before it begins.
    // `ends`: it says in the last of them that it is.
    Member(int place, int gid, uint64_t arrivals, uint32_t wait, bool ends)
        : place_(place), gid_(gid), arrivals_(arrivals), left_(wait), ends_(ends) {}

    int place() const { return place_; }
    int gid() const { return gid_; }
    bool has_been_last() const { return ends_ && !arrivals_; }
    void stop() { arrivals_ = 0; }

    // Return the node's random word as this register sees it.
    uint32_t word(uint32_t state) const {
        int by = 5 * place_ % 32;
        return by ? state << by | state >> (32 - by) : state;
    }

    // Go on for a cycle; return whether it arrives in it.
    bool go_on(uint32_t state, uint32_t jitter, bool released) {
        if (!arrivals_ || (inside_ && !released)) return false;
        if (!inside_ && left_) {
            --left_;
            return false;
        }
        uint32_t linger = inside_ ? word(state) % (jitter + 1) : 0;
        inside_ = !linger;
        if (linger) left_ = linger - 1;
        arrivals_ -= inside_;
        return inside_;
    }

  private:
    int place_, gid_;
    uint64_t arrivals_;
    uint32_t left_;
    bool ends_;
    bool inside_ = false;  // arrived and not yet released
};

class MembersOfNode {
  public:
    MembersOfNode(int node, uint32_t seed) : node_(node), state_(seed ^ node * 0x9E3779B9u) {
        if (!state_) state_ = 1;
    }

    int node() const { return node_; }
    uint32_t state() const { return state_; }
    std::vector<Member>& members() { return members_; }

    // A member that is released broken arrives no more.
    template <class Wires> void leave(const Wires& released, const Wires& broken) {
        for (auto& member : members_)
            if (bit(released, member.place()) && bit(broken, member.place())) member.stop();
    }

    // Go on for a cycle: call act(member, random word) for each that arrives in it; `released` is
    // null if no register of the node is.
    template <class Released, class Act>
    void go_on(uint32_t jitter, const Released* released, Act act) {
        for (auto& member : members_)
            if (member.go_on(state_, jitter, released && bit(*released, member.place())))
                act(member, member.word(state_));
        state_ ^= state_ << 13, state_ ^= state_ >> 17, state_ ^= state_ << 5;
    }

  private:
    int node_;
    uint32_t state_;
    std::vector<Member> members_;
};
