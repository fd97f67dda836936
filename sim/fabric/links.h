// The links between tiles, made by copying wires.
#pragma once
#include <type_traits>

#include "verilated.h"

#define TYPE_OF(port) std::remove_reference_t<decltype(port)>

// One end of a link: the wires of a tile's port. `sync` is null where messages share the flit's,
// `wires` where there are no barrier wires. What no port of the network has is not carried at all.
template <class Flit, class Sync, class Wires> struct EndOf {
    FOR_PACKETS(CData *valid, *sync_valid, *credit, *sync_credit, *flush; Flit* flit; Sync* sync;)
    FOR_WIRES(Wires* wires;)
};
inline CData NOTHING = 0;  // stands for wires that a port has not

template <class End> struct Link {
    End from, to;
    void carry() const {
        FOR_PACKETS({
            *to.valid = *from.valid, *to.sync_valid = *from.sync_valid, *to.flit = *from.flit;
            *to.flush = *from.flush;
            *from.credit = *to.credit, *from.sync_credit = *to.sync_credit;
            if (from.sync) *to.sync = *from.sync;
        })
        FOR_WIRES(*to.wires = *from.wires;)
    }
};
