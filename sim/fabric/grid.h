// A grid: every node is the same tile, linked to its neighbours.
//
// network.h also defines WIDTH and HEIGHT. Tile has `index`, and shows what is on the links between
// the network and its node: `eject_...` and `inject_...`.
#pragma once
#include "fabric.h"

template <class Tile, class LinkEnd> struct Grid {
    using End = LinkEnd;
    static constexpr int LINKS = 6 * NODES, TILES = NODES;

    VerilatedContext context;
    std::vector<std::unique_ptr<Tile>> nodes;
    std::vector<Link<End>> links;
    std::vector<End> shown = std::vector<End>(LINKS);

    Grid() {
        for (int i = 0; i < NODES; ++i) {
            auto name = "node_" + std::to_string(i % WIDTH) + "_" + std::to_string(i / WIDTH);
            nodes.emplace_back(new Tile(&context, name.c_str()));
            auto& t = *nodes[i];
            t.index = i;
            shown[5 * i + 4] = LOCAL_END(t, eject);
            shown[5 * NODES + i] = LOCAL_END(t, inject);
        }
        for (int i = 0; i < NODES; ++i) {
            auto& a = *nodes[i];
            if (i % WIDTH < WIDTH - 1) {
                auto& b = *nodes[i + 1];
                link(i, 0, i + 1, PORT_END(a, east_out), PORT_END(b, west_in));
                link(i + 1, 2, i, PORT_END(b, west_out), PORT_END(a, east_in));
            }
            if (i + WIDTH < NODES) {
                auto& b = *nodes[i + WIDTH];
                link(i, 1, i + WIDTH, PORT_END(a, north_out), PORT_END(b, south_in));
                link(i + WIDTH, 3, i, PORT_END(b, south_out), PORT_END(a, north_in));
            }
        }
    }

    void link(int node, int port, int other, End from, End to) {
        links.push_back({node, other, from, to, 5 * node + port});
        shown[5 * node + port] = links.back().driven();
    }

    template <class Act> auto at(int tile, Act act) { return act(*nodes[tile]); }
};
