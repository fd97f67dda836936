// Hardware that is broken on purpose: what a check is to see.
//
// Commands (LINK as the probe numbers them):
//   corrupt drop LINK CYCLE     what the link carries in its next busy cycle is lost
//   corrupt credit LINK CYCLE   the credits that come back in the next cycle with any are lost
//   corrupt dead LINK CYCLE     the link carries nothing any more
//   corrupt release NODE CYCLE REGISTER   the node's process is released
#pragma once
#include <cstdint>
#include <sstream>
#include <string>

#include "bits.h"

template <class Network> class Corrupt {
  public:
    // Read a command; return whether there is such a place.
    bool read(Network& network, std::istringstream& words) {
        words >> kind_ >> place_ >> from_ >> place_at_node_;
        link_ = nullptr;
        if (kind_ == "release")
            return place_ >= 0 && place_ < NODES && place_at_node_ < REGISTERS;
        if (place_ < 0 || place_ >= Network::LINKS) return false;
        for (auto& link : network.links)
            if (network.probed[place_].valid == link.from.valid) link_ = &link;
        return link_;
    }

    // Act in a cycle, the links being carried over; return the tile whose inputs or outputs it
    // changes, or -1.
    int act(Network& network, uint64_t cycle) {
        if (undo_) {
            undo_ = false, kind_.clear();
            clear_bit(network.nodes[place_]->released, place_at_node_);
        }
        if (kind_.empty() || cycle < from_) return -1;
        if (kind_ == "release") {
            undo_ = true, set(network.nodes[place_]->released, place_at_node_);
            return place_;
        }
        return corrupt_link();
    }

  private:
    int corrupt_link() {
        auto &from = link_->from, &to = link_->to;
        bool found = false;
        if (kind_ == "credit") {
            found = any(*from.credit) || any(*from.sync_credit);
            *from.credit = *from.sync_credit = 0;
        } else {
            found = any(*to.valid) || any(*to.sync_valid);
            *to.valid = *to.sync_valid = 0;
            FOR_SLOTS(found |= any(*to.slots_valid); clear(*to.slots_valid); clear(*to.slots);)
        }
        int tile = kind_ == "credit" ? link_->source : link_->target;
        if (found && kind_ != "dead") kind_.clear();
        return found ? tile : -1;
    }

    std::string kind_;
    int place_ = 0, place_at_node_ = 0;
    uint64_t from_ = 0;
    bool undo_ = false;
    const typename decltype(Network::links)::value_type* link_ = nullptr;
};
