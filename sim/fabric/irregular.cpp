// An irregular network: switches and nodes, two tiles, linked as the network file says.
//
// network.h, made for each network, also defines SWITCHES, PORTS (k), PORT_BITS and
//   ACROSS[k * s + p]   k * t + o where port p of switch s is linked to port o of switch t, else -1
//   PLACES[i]           k * s + p where node i is on port p of switch s
//   ROUTES[s][d]        table of switch s: port to switch d
//   DATELINES[s]        ports of switch s with a dateline, a bit each
//   PORT_ENDS(t, way)   PORT_END of all ports of a switch, way `in` or `out`
#include "network.h"

#include "Vnode_tile.h"
#include "Vnode_tile__Syms.h"
#include "Vswitch_tile.h"
#include "Vswitch_tile__Syms.h"
#include "messages.h"

EVALUATE(Vnode_tile)
EVALUATE(Vswitch_tile)
STORES(Vnode_tile, node_tile)

namespace {

struct Network {
    using End = END_OF(Vnode_tile, uplink);
    static constexpr int LINKS = PORTS * SWITCHES + NODES, TILES = NODES + SWITCHES;

    VerilatedContext context;
    std::vector<std::unique_ptr<Vnode_tile>> nodes;
    std::vector<std::unique_ptr<Vswitch_tile>> switches;
    std::vector<Link<End>> links;
    std::vector<End> shown = std::vector<End>(LINKS);
    FOR_WIRES(decltype(End::wires) wired[LINKS] = {};)

    Network() {
        std::vector<End> in, out;  // of the switches' ports
        for (int s = 0; s < SWITCHES; ++s) {
            auto name = "switch_" + std::to_string(s);
            switches.emplace_back(new Vswitch_tile(&context, name.c_str()));
            auto& t = *switches[s];
            t.number = s, t.target = NODES + s, t.dateline = DATELINES[s];
            for (int d = 0; d < SWITCHES; ++d)
                put(t.routes, d * PORT_BITS, PORT_BITS, ROUTES[s][d]);
            for (End end : std::vector<End>{PORT_ENDS(t, in)}) in.push_back(end);
            for (End end : std::vector<End>{PORT_ENDS(t, out)}) out.push_back(end);
        }
        for (int port = 0; port < PORTS * SWITCHES; ++port)
            if (int other = ACROSS[port]; other >= 0)
                link(port, NODES + port / PORTS, NODES + other / PORTS, out[port], in[other]);
        for (int i = 0; i < NODES; ++i) {
            auto name = "node_" + std::to_string(i);
            nodes.emplace_back(new Vnode_tile(&context, name.c_str()));
            auto& t = *nodes[i];
            t.target = i, t.index = i;
            FOR_PACKETS(t.header = HEADERS[i];)
            int place = PLACES[i], beside = NODES + place / PORTS;
            link(place, beside, i, out[place], PORT_END(t, downlink));
            link(PORTS * SWITCHES + i, i, beside, PORT_END(t, uplink), in[place]);
        }
    }

    void link(int number, int source, int target, End from, End to) {
        links.push_back({source, target, shown[number] = from, to, number});
        FOR_WIRES(wired[number] = from.wires;)
    }

    template <class Act> auto at(int tile, Act act) {
        return tile < NODES ? act(*nodes[tile]) : act(*switches[tile - NODES]);
    }
};

}  // namespace

int main() { return serve<MessageFabric<Network>>(); }
