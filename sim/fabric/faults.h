// Faults: what becomes of a link's wires in flight (see models/faults/fault.py).
//
// A file has a line a fault, by rising cycles: cycle, number of the link, kind, mask; all in
// hexadecimal. They are done to the wires that have been carried over, and undone a cycle later.
// One that roams is done in the first cycle from its own on, and to the first link from its own on,
// where it changes something: a DROP or a FLIP what a link carries, a CREDIT one that comes back; a
// INJECTED word needs an idle link; and one of streams' wires a word on it, or in the receiver's buffer
// if they run back.
#pragma once
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "bits.h"
#include "links.h"

enum FaultKind { FLIP, DROP, CREDIT, SILENT, INJECTED, STREAM_FLIP, STREAM_LOW, STREAM_HIGH };

template <class End> class Faults {
  public:
    template <class Network> Faults(Network& network, const std::string& name, bool roam)
        : roam_(roam), links_(network.links) {
        std::ifstream file(name);
        std::string cycle, number, kind, mask;
        while (file >> cycle >> number >> kind >> mask)
            for (auto& link : links_)
                if (link.number == std::stoi(number, nullptr, 16))
                    faults_.push_back({std::stoull(cycle, nullptr, 16), &link,
                                       std::stoi(kind, nullptr, 16), mask});
    }

    // How many have been done.
    int struck() const { return struck_; }

    template <class Active> void pass(uint64_t cycle, Active& active) {
        for (auto* link : dirty_) {
            if (link->forward()) active.wake(link->target);
            if (link->backward()) active.wake(link->source);
        }
        dirty_.clear();
        for (; next_ < faults_.size() && faults_[next_].cycle <= cycle; ++next_)
            if (roam_ || faults_[next_].cycle == cycle) due_.push_back(&faults_[next_]);
        std::size_t left = 0;
        for (auto* fault : due_) {
            bool found = find(*fault);
            if (!found && roam_) due_[left++] = fault;
            if (!found && (roam_ || fault->kind == INJECTED)) continue;
            bool changes = true;
            if (fault->kind == SILENT) dead_.push_back(fault->link);
            else changes = change(*fault), dirty_.push_back(fault->link);
            wake(fault->link, active), struck_ += changes;
        }
        due_.resize(left);
        for (auto* link : dead_) drop(link->to), lose(link->from, ~0u);
    }

  private:
    struct Fault {
        uint64_t cycle;
        const Link<End>* link;
        int kind;
        std::string mask;
    };

    template <class Active> static void wake(const Link<End>* link, Active& active) {
        active.wake(link->source), active.wake(link->target);
    }

    // Whether there is something to change; one that roams goes to where there is.
    bool find(Fault& fault) const {
        if (fault.kind == SILENT || matters(fault, *fault.link)) return true;
        const Link<End>* first = fault.link;
        for (std::size_t i = 1; roam_ && i < links_.size(); ++i) {
            fault.link = &links_[(first - links_.data() + i) % links_.size()];
            if (matters(fault, *fault.link)) return true;
        }
        fault.link = first;
        return false;
    }

    static bool matters(const Fault& fault, const Link<End>& link) {
        const End &from = link.from, &to = link.to;
        FOR_STREAMS(if (fault.kind >= STREAM_FLIP) {
            bool back = false;
            for (std::size_t at = STREAM_FORWARD; at < 4 * fault.mask.size(); ++at)
                back |= has(fault.mask, at);
            return back ? holds(link) : *to.stream_valid;
        })
        bool busy = *to.valid || *to.sync_valid, probes = false;
        FOR_STREAMS(busy |= *to.stream_valid;)
        FOR_SLOTS(busy |= any(*to.slots_valid);)
        bool returns = fault.kind == CREDIT && (*from.credit | *from.sync_credit << CHANNELS) &
                                                   std::stoul(fault.mask, nullptr, 16);
        FOR_GUARDS(probes = *to.probe;)
        if (fault.kind == CREDIT) return returns;
        return fault.kind == INJECTED ? !busy && !probes : busy;
    }

    // Change wires; return whether any is another then.
    static bool change(const Fault& fault) {
        FOR_STREAMS(if (fault.kind >= STREAM_FLIP) return change_streams(fault);)
        if (fault.kind == CREDIT) lose(fault.link->from, std::stoul(fault.mask, nullptr, 16));
        else if (fault.kind == DROP) drop(fault.link->to);
        if (fault.kind == FLIP || fault.kind == INJECTED) flip(fault.link->to, fault.mask);
        return true;
    }

    FOR_STREAMS(
        static constexpr bool WORDS_ON_FLITS = STREAM_BITS == 0;
        static constexpr int STREAM_FORWARD = 2 * STREAMS + STREAM_BITS + SENT_BITS +
                                              (WORDS_ON_FLITS ? FLIT_BITS + STREAM_REST_BITS : 0);

        static bool change_streams(const Fault& fault) {
            const End &from = fault.link->from, &to = fault.link->to;
            bool changed = false;
            int at = 0;
            auto run = [&](auto& wire, int width) {
                for (int i = 0; i < width; ++i, ++at) {
                    if (!has(fault.mask, at)) continue;
                    bool was = bit(wire, i);
                    bool is = fault.kind == STREAM_FLIP ? !was : fault.kind == STREAM_HIGH;
                    is ? set(wire, i) : clear_bit(wire, i);
                    changed |= was != is;
                }
            };
            run(*to.stream_valid, STREAMS), run(*to.stream, STREAM_BITS);
            if (WORDS_ON_FLITS) run(*to.flit, FLIT_BITS), run(*to.stream_rest, STREAM_REST_BITS);
            run(*to.stream_fault, STREAMS), run(*to.stream_sent, SENT_BITS);
            if (FREED_BITS) run(*from.stream_freed, FREED_BITS);
            else run(*from.stream_credit, STREAMS);
            return changed;
        }

        // Whether words have been sent whose places are not free again; unknown without guards.
        static bool holds(const Link<End>& link) {
            if (!FREED_BITS) return *link.from.stream_credit;
            for (int i = 0; i < FREED_BITS - CHECK_BITS; ++i)
                if (bit(*link.to.stream_sent, i) != bit(*link.from.stream_freed, i)) return true;
            return false;
        }
    )

    // Whether a hexadecimal mask has a bit.
    static bool has(const std::string& mask, std::size_t at) {
        if (at / 4 >= mask.size()) return false;
        return std::stoi(mask.substr(mask.size() - 1 - at / 4, 1), nullptr, 16) >> at % 4 & 1;
    }

    // Set all forward wires to 0.
    static void drop(const End& to) {
        *to.valid = *to.sync_valid = *to.flush = 0;
        if (to.flit) clear(*to.flit);
        if (to.sync) clear(*to.sync);
        if (to.rest) clear(*to.rest);
        FOR_GUARDS(*to.check = *to.sync_check = *to.sequence = *to.probe = 0;)
        FOR_SLOTS(clear(*to.slots_valid); clear(*to.slots);)
        FOR_STREAMS(*to.stream_valid = *to.stream_fault = 0; clear(*to.stream); clear(*to.stream_rest);
                    clear(*to.stream_sent);)
    }

    // Set credits to 0; if all are, what else runs against the link, too.
    static void lose(const End& from, uint32_t mask) {
        *from.credit &= ~mask;
        *from.sync_credit &= ~(mask >> CHANNELS);
        FOR_GUARDS(if (mask == ~0u) *from.empty = 0;)
        FOR_STREAMS(if (mask == ~0u) *from.stream_credit = 0, clear(*from.stream_freed);)
    }

    // Flip the forward wires of a mask.
    static void flip(const End& to, const std::string& mask) {
        std::size_t at = 0;
        auto run = [&](auto& wire, int low, int width) {
            for (int i = low; i < low + width; ++i, ++at)
                if (has(mask, at)) bit(wire, i) ? clear_bit(wire, i) : set(wire, i);
        };
        [[maybe_unused]] constexpr int packets = OWN ? CHANNELS : PROBES;
        if (to.flit) run(*to.flit, 0, FLIT_BITS);
        run(*to.valid, 0, CHANNELS);
        if (!OWN) run(*to.sync_valid, 0, CLASSES);
        if (to.rest) run(*to.rest, 0, REST_BITS);
        FOR_STREAMS(if (WORDS_ON_FLITS) {
            run(*to.stream_valid, 0, STREAMS), run(*to.stream_rest, 0, STREAM_REST_BITS);
        })
        FOR_GUARDS(run(*to.sequence, 0, SEQUENCE_BITS); run(*to.probe, 0, packets); if (CHANNELS) run(*to.check, 0, CHECK_BITS);)
        if (to.sync) run(*to.sync, 0, SYNC_BITS);
        if (OWN) run(*to.sync_valid, 0, CLASSES);
        FOR_GUARDS(if (OWN) run(*to.probe, CHANNELS, PROBES - CHANNELS);
         if (OWN) run(*to.sync_check, 0, CHECK_BITS);)
        FOR_SLOTS(run(*to.slots_valid, 0, SLOTS); run(*to.slots, 0, SLOTS * SLOT_BITS);)
    }

    bool roam_;
    const std::vector<Link<End>>& links_;
    int struck_ = 0;
    std::vector<Fault> faults_;
    std::size_t next_ = 0;
    std::vector<Fault*> due_;
    std::vector<const Link<End>*> dirty_, dead_;
};
