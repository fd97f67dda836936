// Links that die while the network runs, and are fenced by its software.
//
// A dead link is silent both ways. Once it is fenced its sender gets back every credit that is
// out, one a cycle and channel, and what it sends is gone. Credits are counted on the wires from
// reset, as whoever stands at the link's end would.
#pragma once
#include <cstdint>
#include <sstream>
#include <vector>

#include "links.h"

template <class End> class Cuts {
  public:
    template <class Network> void doom(Network& network, std::istringstream& words) {
        for (int number; words >> number;)
            for (auto& link : network.links)
                if (link.number == number) cuts_.push_back({&link});
    }

    // Make a link silent in this cycle, before the links are carried over.
    template <class Awake> void die(uint32_t number, Awake& awake) {
        for (auto& cut : cuts_) {
            Link<End>& link = *cut.link;
            if (link.number != static_cast<int>(number)) continue;
            link.dead = true;
            FOR_LANES({
                *link.to.valid = *link.to.sync_valid = *link.to.flush = 0;
                if (link.to.flit) silence(*link.to.flit);
                if (link.to.sync) silence(*link.to.sync);
                *link.from.credit = *link.from.sync_credit = 0;
            })
            FOR_WIRES(silence(*link.to.wires);)
            awake.wake(link.source), awake.wake(link.target);
        }
    }

    void fence(uint32_t number) {
        for (auto& cut : cuts_)
            if (cut.link->number == static_cast<int>(number)) cut.fenced = true;
    }

    // Count what is on the wires in this cycle; drive the credits of fenced links.
    template <class Awake> void pass([[maybe_unused]] Awake& awake) {
        FOR_LANES(for (auto& cut : cuts_) {
            const End& from = cut.link->from;
            bool counts = from.sync_credit != &NOTHING;
            uint32_t credit = *from.credit | (counts ? *from.sync_credit << CHANNELS : 0);
            if (cut.fenced) {
                uint32_t given = 0;
                for (int lane = 0; lane < CHANNELS + (counts ? CLASSES : 0); ++lane)
                    given |= static_cast<uint32_t>(cut.out[lane] > 0) << lane;
                if (from.credit != &NOTHING) *from.credit = given & ((1u << CHANNELS) - 1);
                if (counts) *from.sync_credit = given >> CHANNELS;
                if (given != credit) awake.wake(cut.link->source);
                credit = given;
            }
            uint32_t sent = *from.valid | *from.sync_valid << CHANNELS;
            for (int lane = 0; lane < CHANNELS + CLASSES; ++lane)
                cut.out[lane] += (sent >> lane & 1) - (credit >> lane & 1);
        })
    }

  private:
    struct Cut {
        Link<End>* link;
        bool fenced = false;
        int out[CHANNELS + CLASSES + 1] = {};
    };

    template <class Wire> static void silence(Wire& wire) { wire = Wire{}; }

    std::vector<Cut> cuts_;
};
