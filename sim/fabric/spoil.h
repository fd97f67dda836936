// Hardware that is broken on purpose: what a check is to see.
//
// Commands (LINK as the probe numbers them; where there are barrier wires, but for credits, as it
// numbers those):
//   spoil drop LINK CYCLE     what the link carries in its next busy cycle is lost; where there are
//                             barrier wires, the next pulse
//   spoil credit LINK CYCLE   the credits that come back in the next cycle with any are lost
//   spoil dead LINK CYCLE     the link carries nothing any more
//   spoil stuck LINK CYCLE    the link's barrier wires are 1 for ever
//   spoil release NODE CYCLE REGISTER   the node's process is released
#pragma once
#include <cstdint>
#include <sstream>
#include <string>

#include "bits.h"

template <class Network> class Spoil {
  public:
    // Read a command; return whether there is such a place.
    bool read(Network& network, std::istringstream& words) {
        words >> kind_ >> place_ >> from_ >> place_at_node_;
        link_ = nullptr;
        if (kind_ == "release")
            return place_ >= 0 && place_ < NODES && place_at_node_ < REGISTERS;
        bool by_wires = SLOT_WIRES && kind_ != "credit";
        int places = Network::LINKS;
        FOR_WIRES(if (by_wires) places = sizeof network.wired / sizeof *network.wired;)
        if (place_ < 0 || place_ >= places || (kind_ == "stuck" && !SLOT_WIRES)) return false;
        for (auto& link : network.links) {
            bool is_it = false;
            FOR_LANES(is_it |= !by_wires && network.shown[place_].valid == link.from.valid;)
            FOR_WIRES(is_it |= by_wires && network.wired[place_] == link.from.wires;)
            if (is_it) link_ = &link;
        }
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
        return spoil_link();
    }

  private:
    int spoil_link() {
        [[maybe_unused]] auto &from = link_->from, &to = link_->to;
        bool found = false;
        if (kind_ == "credit") {
            FOR_LANES(found = any(*from.credit) || any(*from.sync_credit);
                      *from.credit = *from.sync_credit = 0;)
        } else if (kind_ == "stuck") {
            found = true;
            FOR_WIRES(for (int i = 0; i < SLOT_WIRES; ++i) set(*to.wires, i);)
        } else {
            bool drops = kind_ == "drop";
            FOR_LANES(if (!SLOT_WIRES || !drops) {
                found = any(*to.valid) || any(*to.sync_valid);
                *to.valid = *to.sync_valid = 0;
            })
            FOR_WIRES(bool pulse = field(*to.wires, DOWN_WIRES, SLOT_WIRES - DOWN_WIRES);
                      if (pulse || !drops) found |= any(*to.wires), clear(*to.wires);)
        }
        int tile = kind_ == "credit" ? link_->source : link_->target;
        if (found && kind_ != "dead" && kind_ != "stuck") kind_.clear();
        return found ? tile : -1;
    }

    std::string kind_;
    int place_ = 0, place_at_node_ = 0;
    uint64_t from_ = 0;
    bool undo_ = false;
    const typename decltype(Network::links)::value_type* link_ = nullptr;
};
