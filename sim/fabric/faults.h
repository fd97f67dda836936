// Faults: what becomes of a link's wires on their way (see models/faults/fault.py).
//
// A file has a line a fault, by rising cycles: cycle, number of the link, kind, mask; all in
// hexadecimal. They are done to the wires that have been carried over, and undone a cycle later.
// One that roams is done in the first cycle from its own on, and to the first link from its own on,
// where it changes something: a DROP or a FLIP what a link carries, a CREDIT one that comes back; a
// FORGED word needs an idle link.
#pragma once
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "bits.h"
#include "links.h"

enum FaultKind { FLIP, DROP, CREDIT, SILENT, FORGED };

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

    template <class Awake> void pass(uint64_t cycle, Awake& awake) {
        for (auto* link : touched_) {
            if (link->forward()) awake.wake(link->target);
            if (link->backward()) awake.wake(link->source);
        }
        touched_.clear();
        for (; next_ < faults_.size() && faults_[next_].cycle <= cycle; ++next_)
            if (roam_ || faults_[next_].cycle == cycle) due_.push_back(&faults_[next_]);
        std::size_t left = 0;
        for (auto* fault : due_) {
            bool found = find(*fault);
            if (!found && roam_) due_[left++] = fault;
            if (!found && (roam_ || fault->kind == FORGED)) continue;
            if (fault->kind == SILENT) dead_.push_back(fault->link);
            else change(*fault), touched_.push_back(fault->link);
            wake(fault->link, awake), ++struck_;
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

    template <class Awake> static void wake(const Link<End>* link, Awake& awake) {
        awake.wake(link->source), awake.wake(link->target);
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
        bool busy = *to.valid || *to.sync_valid, probes = false;
        FOR_SLOTS(busy |= any(*to.slots_valid);)
        bool returns = fault.kind == CREDIT && (*from.credit | *from.sync_credit << CHANNELS) &
                                                   std::stoul(fault.mask, nullptr, 16);
        FOR_GUARDS(probes = *to.probe;)
        if (fault.kind == CREDIT) return returns;
        return fault.kind == FORGED ? !busy && !probes : busy;
    }

    static void change(const Fault& fault) {
        if (fault.kind == CREDIT) lose(fault.link->from, std::stoul(fault.mask, nullptr, 16));
        else if (fault.kind != FLIP) drop(fault.link->to);
        if (fault.kind == FLIP || fault.kind == FORGED) flip(fault.link->to, fault.mask);
    }

    // Set all forward wires to 0.
    static void drop(const End& to) {
        *to.valid = *to.sync_valid = *to.flush = 0;
        if (to.flit) clear(*to.flit);
        if (to.sync) clear(*to.sync);
        if (to.rest) clear(*to.rest);
        FOR_GUARDS(*to.check = *to.sync_check = *to.probe = 0;)
        FOR_SLOTS(clear(*to.slots_valid); clear(*to.slots);)
    }

    // Set credits to 0; if all are, what else runs against the link, too.
    static void lose(const End& from, uint32_t mask) {
        *from.credit &= ~mask;
        *from.sync_credit &= ~(mask >> CHANNELS);
        FOR_GUARDS(if (mask == ~0u) *from.empty = 0;)
    }

    // Flip the forward wires of a mask.
    static void flip(const End& to, const std::string& mask) {
        std::size_t at = 0;
        auto run = [&](auto& wire, int low, int width) {
            for (int i = low; i < low + width; ++i, ++at) {
                std::size_t digit = at / 4;
                if (digit >= mask.size()) continue;
                int value = std::stoi(mask.substr(mask.size() - 1 - digit, 1), nullptr, 16);
                if (value >> at % 4 & 1) bit(wire, i) ? clear_bit(wire, i) : set(wire, i);
            }
        };
        [[maybe_unused]] constexpr int packets = OWN ? CHANNELS : PROBES;
        if (to.flit) run(*to.flit, 0, FLIT_BITS);
        run(*to.valid, 0, CHANNELS);
        if (!OWN) run(*to.sync_valid, 0, CLASSES);
        if (to.rest) run(*to.rest, 0, REST_BITS);
        FOR_GUARDS(run(*to.probe, 0, packets); if (CHANNELS) run(*to.check, 0, CHECK_BITS);)
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
    std::vector<const Link<End>*> touched_, dead_;
};
