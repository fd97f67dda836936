// Evaluating a tile for a cycle, with no more around it than must be.
#pragma once
#include <cstdint>

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

// The parts of Verilator's evaluation, null where they have other names: logic that inputs go into,
// the clocks' edges, and registers with the logic behind them.
template <class Root> struct Regions {
    void (*inputs)(Root*), (*edges)(Root*), (*clocked)(Root*);
};

// An evaluation without what Verilator does around one (its messages and threads have locks), if
// its function can be reached and no waveform needs the rest. It must not be a tile's first.
#if VM_TRACE_VCD
#define EVALUATE(Tile)                             \
    inline void evaluate(Tile& t) { t.eval(); }    \
    inline Regions<Tile##___024root> regions(const Tile&) { return {}; }
#else
#define EVALUATE(Tile)                                                                         \
    __attribute__((weak)) void Tile##___024root___eval(Tile##___024root*);                     \
    __attribute__((weak)) void Tile##___024root___eval_ico(Tile##___024root*);                 \
    __attribute__((weak)) void Tile##___024root___eval_triggers_vec__act(Tile##___024root*);   \
    __attribute__((weak)) void Tile##___024root___eval_nba(Tile##___024root*);                 \
    inline void evaluate(Tile& t) {                                                            \
        if (&Tile##___024root___eval) Tile##___024root___eval(t.rootp);                        \
        else t.eval();                                                                         \
    }                                                                                          \
    inline Regions<Tile##___024root> regions(const Tile&) {                                    \
        return {&Tile##___024root___eval_ico, &Tile##___024root___eval_triggers_vec__act,      \
                &Tile##___024root___eval_nba};                                                 \
    }
#endif

// The edges of a tile's clocks, as Verilator numbers them; no edge at all if that is unknown.
struct Edges {
    uint64_t first = 0, packets = 0, barriers = 0;
};
template <class Tile, class Root> Edges edges_of(Tile& tile, Root* root) {
    auto region = regions(tile);
    if (!region.inputs || !region.edges || !region.clocked) return {};
    auto rise = [&](bool packets, bool barriers) {
        root->__Vtrigprevexpr___TOP__clk__0 = 0;
        root->__Vtrigprevexpr___TOP__packets_clk__0 = 0;
        root->__Vtrigprevexpr___TOP__barriers_clk__0 = 0;
        tile.clk = 1, tile.packets_clk = packets, tile.barriers_clk = barriers;
        region.edges(root);
        uint64_t edges = root->__VactTriggered[0];
        root->__VactTriggered[0] = 0;
        return edges;
    };
    uint64_t first = rise(false, false);
    Edges edges{first, rise(true, false) & ~first, rise(false, true) & ~first};
    bool known = first && edges.packets && edges.barriers && !(edges.packets & edges.barriers);
    rise(true, true);
    return known ? edges : Edges{};
}

// The same, found out once for all tiles of a kind; none of a kind with one clock.
template <class Tile, class Root> auto known_edges(Tile& tile, Root* root, int)
    -> decltype(root->__VicoTriggered[0], root->__VactTriggered[0], root->__VnbaTriggered[0],
                root->__Vtrigprevexpr___TOP__clk__0, root->__Vtrigprevexpr___TOP__packets_clk__0,
                root->__Vtrigprevexpr___TOP__barriers_clk__0, Edges()) {
    static const Edges edges = edges_of(tile, root);
    return edges;
}
template <class Tile, class Root> Edges known_edges(Tile&, Root*, long) { return {}; }
template <class Tile> bool is_apart(Tile& tile) { return known_edges(tile, tile.rootp, 0).first; }

// Evaluate a tile whose packets and barriers have clocks of their own: what is at rest gets no edge.
// Return false if Verilator's evaluation is not in parts that can be reached.
template <class Tile, class Root> auto evaluate_active(Tile& tile, Root* root, int)
    -> decltype(root->__VicoTriggered[0], tile.packets_active, tile.barriers_active, bool()) {
    const Edges edges = known_edges(tile, root, 0);
    if (!edges.first) return false;
    auto region = regions(tile);
    root->__VicoTriggered[0] = 1;
    region.inputs(root);
    root->__VnbaTriggered[0] = edges.first | (tile.packets_active ? edges.packets : 0) |
                               (tile.barriers_active ? edges.barriers : 0);
    region.clocked(root);
    root->__VnbaTriggered[0] = 0;
    return true;
}
template <class Tile, class Root> bool evaluate_active(Tile&, Root*, long) { return false; }

// A whole cycle of a tile with such clocks where that is so; of others by the first clock alone.
template <class Tile> auto pulse(Tile& tile, int) -> decltype(tile.barriers_clk, void()) {
    tile.clk = tile.packets_clk = tile.barriers_clk = 0;
    tile.eval();
    tile.clk = tile.packets_clk = tile.barriers_clk = 1;
    evaluate(tile);
}
template <class Tile> void pulse(Tile& tile, long) {
#ifdef CLOCK_GATES
    clock_low(tile, tile.rootp, 0L);
#else
    clock_low(tile, tile.rootp, 0);
#endif
    tile.clk = 1;
    evaluate(tile);
}

template <class Tile> void evaluate_cycle(Tile& tile) {
    if (!evaluate_active(tile, tile.rootp, 0)) pulse(tile, 0);
}
