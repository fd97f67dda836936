// The links between tiles, made by copying wires.
#pragma once
#include <type_traits>

#include "verilated.h"

#define TYPE_OF(port) std::remove_reference_t<decltype(port)>

// One end of a link: the wires of a tile's port. `sync` is null where messages share the flit's,
// `rest` where they are no wider, `flit` where there are no packets.
template <class Flit, class Sync, class Rest, class Valid, class Slots, class Stream, class Above,
          class Sent, class Freed, class Probe>
struct EndOf {
    CData *valid, *sync_valid, *credit, *sync_credit, *flush;
    Flit* flit;
    Sync* sync;
    Rest* rest;
    FOR_GUARDS(CData *check, *sync_check, *sequence; Probe *probe, *empty;)
    FOR_SLOTS(Valid* slots_valid; Slots* slots;)
    FOR_STREAMS(CData* stream_valid; Stream* stream; Above* stream_rest;  // on a flit and beside it
                CData *stream_fault, *stream_credit;
                Sent* stream_sent; Freed* stream_freed;)  // with guards, in place of credits
};
// The end of a node's own link, which carries packets of processes alone.
#define LOCAL_END(t, name) \
    {&t.name##_valid, &NOTHING, &t.name##_credit, &NOTHING, &NOTHING, &t.name##_flit, nullptr, nullptr}

inline CData NOTHING = 0;  // stands for wires that a port has not

// Copy a wire's value; return whether that changes anything.
template <class Wire> bool copy(Wire& to, const Wire& from) {
    bool changed = to != from;
    to = from;
    return changed;
}

// The same for a wire that neither port may have: NOTHING is left alone, for all threads share it.
template <class Wire> bool copy_there(Wire* to, const Wire* from) {
    return to != from && copy(*to, *from);
}

// One end of a hop of the config chain: the wires of a tile's port.
#define CHAIN_END(t, side)                                                                  \
    {&t.side##_request_valid, &t.side##_request, &t.side##_answer_valid,                    \
     &t.side##_answer_error, &t.side##_answer_rdata}

FOR_CHAIN(struct ChainEnd {
    CData* request_valid;
    QData* request;
    CData *answer_valid, *answer_error;
    IData* answer_rdata;
};

struct ChainLink {
    int source, target;  // tiles, the nearer to the host first
    ChainEnd from, to;

    bool forward() const {
        return copy(*to.request_valid, *from.request_valid) | copy(*to.request, *from.request);
    }
    bool backward() const {
        return copy(*from.answer_valid, *to.answer_valid) | copy(*from.answer_error, *to.answer_error) |
               copy(*from.answer_rdata, *to.answer_rdata);
    }
};)

template <class End> struct Link {
    int source, target;  // tiles
    End from, to;
    int number;  // as the probe counts links; ~number: it leads to the registers of one

    // Carry over what the source drives; return whether it is new to the target.
    bool forward() const {
        bool changed = false;
        changed |= copy_there(to.valid, from.valid) | copy_there(to.sync_valid, from.sync_valid);
        changed |= copy_there(to.flush, from.flush);
        if (from.flit) changed |= copy(*to.flit, *from.flit);
        if (from.sync) changed |= copy(*to.sync, *from.sync);
        if (from.rest) changed |= copy(*to.rest, *from.rest);
        FOR_GUARDS(changed |= copy_there(to.check, from.check) | copy_there(to.probe, from.probe);
                   changed |= copy_there(to.sync_check, from.sync_check) |
                              copy_there(to.sequence, from.sequence);)
        FOR_SLOTS(changed |= copy(*to.slots_valid, *from.slots_valid);
                  changed |= copy(*to.slots, *from.slots);)
        FOR_STREAMS(changed |= copy_there(to.stream_valid, from.stream_valid);
                    changed |= copy_there(to.stream, from.stream);
                    changed |= copy_there(to.stream_rest, from.stream_rest);
                    changed |= copy_there(to.stream_fault, from.stream_fault);
                    changed |= copy_there(to.stream_sent, from.stream_sent);)
        return changed;
    }

    // Carry over what the target drives; return whether it is new to the source.
    bool backward() const {
        bool changed = false;
        changed |= copy_there(from.credit, to.credit);
        changed |= copy_there(from.sync_credit, to.sync_credit);
        FOR_GUARDS(changed |= copy_there(from.empty, to.empty);)
        FOR_STREAMS(changed |= copy_there(from.stream_credit, to.stream_credit);
                    changed |= copy_there(from.stream_freed, to.stream_freed);)
        return changed;
    }

    // What is on the link, as each side drives it.
    End driven() const {
        End end = from;
        end.credit = to.credit, end.sync_credit = to.sync_credit;
        FOR_GUARDS(end.empty = to.empty;)
        FOR_STREAMS(end.stream_credit = to.stream_credit;)
        return end;
    }
};
