// The switches of a static network, a tile each, with their nodes, or with nodes as tiles beside.
//
// network.h also defines INTERFACES, ROUTERS, LINKS_OF, ACROSS, PLACES and PORT_ENDS, as nodes.cpp
// says of a network of engines, and COLUMNS, those of a mesh (else 0). A node has `index`, and shows
// what is on the links between the network and its process: `eject_...` and `inject_...`.
#pragma once
#include "fabric.h"

template <class Switch, class Node, class Loader, class LinkEnd> struct Switches {
    using End = LinkEnd;
    static constexpr int OUTPUTS = INTERFACES ? LINKS_OF : LINKS_OF + 1;
    static constexpr int LINKS = OUTPUTS * ROUTERS + NODES;
    static constexpr int FIRST = INTERFACES ? NODES + 1 : 0;  // the first switch's tile
    static constexpr int TILES = NODES + 1 + INTERFACES * ROUTERS;

    Context context;
    std::vector<std::unique_ptr<Node>> nodes;
    std::unique_ptr<Loader> loader{new Loader(&context, "loader")};
    std::vector<std::unique_ptr<Switch>> beside;
    std::vector<Switch*> switches;
    std::vector<Link<End>> links;
    std::vector<End> probed = std::vector<End>(LINKS);
    std::vector<int> home = std::vector<int>(TILES);  // the switch near which each tile is

    Switches() {
        for (int i = 0; i < NODES; ++i) {
            auto name = "node_" + (COLUMNS ? std::to_string(i % COLUMNS) + "_" : "") +
                        std::to_string(COLUMNS ? i / COLUMNS : i);
            nodes.emplace_back(new Node(&context, name.c_str()));
            nodes[i]->index = i;
            home[i] = INTERFACES ? PLACES[i] / LINKS_OF : i;
        }
        std::vector<End> in, out;  // of the switches' link ports
        for (int s = 0; s < ROUTERS; ++s) {
            auto& t = make(s);
            for (End end : std::vector<End>{PORT_ENDS(t, in)}) in.push_back(end);
            for (End end : std::vector<End>{PORT_ENDS(t, out)}) out.push_back(end);
        }
        for (int place = 0; place < LINKS_OF * ROUTERS; ++place)
            if (int other = ACROSS[place]; other >= 0)
                link(OUTPUTS * (place / LINKS_OF) + place % LINKS_OF, FIRST + place / LINKS_OF,
                     FIRST + other / LINKS_OF, out[place], in[other]);
        for (int i = 0; i < NODES; ++i) {
            auto& t = *nodes[i];
#if INTERFACES
            int place = PLACES[i], tile = FIRST + place / LINKS_OF;
            link(place, tile, i, out[place], PORT_END(t, eject));
            link(OUTPUTS * ROUTERS + i, i, tile, LOCAL_END(t, inject), in[place]);
#else
            probed[OUTPUTS * i + LINKS_OF] = LOCAL_END(t, eject);
            probed[OUTPUTS * ROUTERS + i] = LOCAL_END(t, inject);
#endif
        }
    }

    Switch& make(int s) {
#if INTERFACES
        auto* made = new Switch(&context, ("switch_" + std::to_string(s)).c_str());
        beside.emplace_back(made);
        home[FIRST + s] = s;
        for (int i = 0; i < NODES; ++i)
            if (PLACES[i] / LINKS_OF == s) made->node_ports |= 1 << PLACES[i] % LINKS_OF;
        switches.push_back(made);
#else
        switches.push_back(nodes[s].get());
#endif
        return *switches.back();
    }

    void link(int number, int source, int target, End from, End to) {
        links.push_back({source, target, from, to, number});
        probed[number] = links.back().driven();
    }

    template <class Act> auto at(int tile, Act act) {
#if INTERFACES
        if (tile > NODES) return act(*beside[tile - FIRST]);
#endif
        return tile < NODES ? act(*nodes[tile]) : act(*loader);
    }
};
