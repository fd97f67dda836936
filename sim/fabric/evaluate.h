// Evaluating a tile for a cycle, with no more around it than must be.
#pragma once
#include "verilated.h"

struct Context : VerilatedContext {
    Context() { threads(1); }  // that Verilator makes; see workers.h for ours
};

// One evaluation makes one cycle if Verilator's memory of the clock can be reached, and no gate must
// see it low; else two do.
template <class Tile, class Root> auto clock_low(Tile&, Root* root, int)
    -> decltype(root->__Vtrigprevexpr___TOP__clk__0, void()) {
    root->__Vtrigprevexpr___TOP__clk__0 = 0;
}
template <class Tile, class Root> void clock_low(Tile& tile, Root*, long) {
    tile.clk = 0;
    tile.eval();
}

// An evaluation without what Verilator does around one (its messages and threads have locks), if
// its function can be reached and no waveform needs the rest. It must not be a tile's first.
#if VM_TRACE_VCD
#define EVALUATE(Tile) inline void evaluate(Tile& t) { t.eval(); }
#else
#define EVALUATE(Tile)                                                                \
    __attribute__((weak)) void Tile##___024root___eval(Tile##___024root*);            \
    inline void evaluate(Tile& t) {                                                   \
        if (&Tile##___024root___eval) Tile##___024root___eval(t.rootp);               \
        else t.eval();                                                                \
    }
#endif

template <class Tile> void evaluate_cycle(Tile& tile) {
#ifdef CLOCK_GATES
    clock_low(tile, tile.rootp, 0L);
#else
    clock_low(tile, tile.rootp, 0);
#endif
    tile.clk = 1;
    evaluate(tile);
}
