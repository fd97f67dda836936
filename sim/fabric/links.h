// The links between tiles, made by copying wires.
#pragma once
#include "verilated.h"

// One end of a link: the wires of a tile's port. `sync` is null where messages share the flit's.
template <class Flit, class Sync> struct EndOf {
    CData *valid, *sync_valid, *credit, *sync_credit, *flush;
    Flit* flit;
    Sync* sync;
};
inline CData NOTHING = 0;  // stands for wires that a port has not

template <class End> struct Link {
    End from, to;
    void carry() const {
        *to.valid = *from.valid, *to.sync_valid = *from.sync_valid, *to.flit = *from.flit;
        *to.flush = *from.flush;
        *from.credit = *to.credit, *from.sync_credit = *to.sync_credit;
        if (from.sync) *to.sync = *from.sync;
    }
};
