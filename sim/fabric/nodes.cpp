// A network of collective engines: routers, and node interfaces where nodes are no routers.
//
// Tiles are numbered as the config chain counts targets: nodes, then routers that are none; behind
// them the registers of links. network.h also defines LINKS_OF (link ports p of a router),
// INTERFACES (0: router i is node i), REGISTERED (1: links have registers) and
//   constants(t, i)            sets the constant inputs of router i
//   PORT_ENDS(t, end)          PORT_END of all link ports of a router, end `in` or `out`
// The second argument is the number of threads. The file named by the first has the tables of the
// network (tables.h):
//   sizes                      NODES, ROUTERS, tiles of registers
//   across[LINKS_OF * r + p]   LINKS_OF * s + q where port p of router r is linked to port q of s, else -1
//   stages[LINKS_OF * r + p]   tiles of registers on the link from there
//   places[i]                  LINKS_OF * r + p where node i is at a link port of router r
#include "network.h"

#include "Vrouter_tile.h"
#include "Vrouter_tile__Syms.h"
#if INTERFACES
#include "Vnode_tile.h"
#include "Vnode_tile__Syms.h"
#endif
#if REGISTERED
#include "Vregisters_tile.h"
#include "Vregisters_tile__Syms.h"
#endif
#include "messages.h"

EVALUATE(Vrouter_tile)
STORES(Vrouter_tile, router_tile)
#if INTERFACES
EVALUATE(Vnode_tile)
STORES(Vnode_tile, node_tile)
using Vprocess = Vnode_tile;
#else
using Vprocess = Vrouter_tile;
#endif
#if REGISTERED
EVALUATE(Vregisters_tile)
#endif

namespace {

struct Network {
    using End = END_OF(Vrouter_tile, out_0);
    static constexpr int OUTPUTS = INTERFACES ? LINKS_OF : LINKS_OF + 1;  // of a router, the node's too
    static inline int LINKS, TARGETS, TILES;

    Context context;
    std::vector<Vprocess*> nodes;
    std::vector<std::unique_ptr<Vrouter_tile>> routers;
#if INTERFACES
    std::vector<std::unique_ptr<Vnode_tile>> interfaces;
#endif
#if REGISTERED
    std::vector<std::unique_ptr<Vregisters_tile>> registers;
#endif
    std::vector<Link<End>> links;
    std::vector<ChainLink> chain;
    std::vector<End> probed = std::vector<End>(LINKS);
    std::vector<int> home = std::vector<int>(TILES);  // the router near which each tile is

    // The tile of a target, or any tile.
    template <class Act> auto target(int tile, Act act) {
#if INTERFACES
        if (tile < NODES) return act(*interfaces[tile]);
#endif
        return act(*routers[tile - INTERFACES * NODES]);
    }
    template <class Act> auto at(int tile, Act act) {
#if REGISTERED
        if (tile >= TARGETS) return act(*registers[tile - TARGETS]);
#endif
        return target(tile, act);
    }

    Network() {
#if INTERFACES
        for (int i = 0; i < NODES; ++i) {
            interfaces.emplace_back(new Vnode_tile(&context, ("node_" + std::to_string(i)).c_str()));
            nodes.push_back(interfaces.back().get());
        }
#endif
        std::vector<End> in, out;  // of the routers' link ports
        for (int r = 0; r < ROUTERS; ++r) {
            routers.emplace_back(new Vrouter_tile(&context, ("router_" + std::to_string(r)).c_str()));
            auto& t = *routers[r];
            home[INTERFACES * NODES + r] = r;
            constants(t, r);
            for (End end : std::vector<End>{PORT_ENDS(t, in)}) in.push_back(end);
            for (End end : std::vector<End>{PORT_ENDS(t, out)}) out.push_back(end);
#if !INTERFACES
            nodes.push_back(&t);
            FOR_PACKETS(probed[OUTPUTS * r + LINKS_OF] = LOCAL_END(t, eject);
                        probed[OUTPUTS * ROUTERS + r] = LOCAL_END(t, inject);)
#endif
        }
        const auto &across = table("across"), &stages = table("stages");
        for (int place = 0; place < LINKS_OF * ROUTERS; ++place) {
            int r = place / LINKS_OF, number = OUTPUTS * r + place % LINKS_OF;
            if (int other = across[place]; other >= 0)
                join(number, stages[place], r, other / LINKS_OF, out[place], in[other]);
            else { FOR_GUARDS(*out[place].empty = (1 << PROBES) - 1;) }
        }
        for (int i = 0; i < NODES; ++i) {
            auto& t = *nodes[i];
            t.index = i;
            FOR_PACKETS(clear(t.header); put(t.header, 0, 64, table("headers")[i]);)
#if INTERFACES
            int place = table("places")[i], r = place / LINKS_OF;
            home[i] = r;
            FOR_GUARDS(*out[place].empty = 0;)
            link(OUTPUTS * r + place % LINKS_OF, NODES + r, i, out[place], PORT_END(t, down));
            link(OUTPUTS * ROUTERS + i, i, NODES + r, PORT_END(t, up), in[place]);
#endif
        }
        std::vector<ChainEnd> host, next;  // of the targets
        for (int tile = 0; tile < TARGETS; ++tile)
            target(tile, [&](auto& t) {
                t.target = tile, t.first = !tile, t.last_target = tile == TARGETS - 1;
                host.push_back(CHAIN_END(t, host)), next.push_back(CHAIN_END(t, next));
            });
        for (int tile = 0; tile + 1 < TARGETS; ++tile)
            chain.push_back({tile, tile + 1, next[tile], host[tile + 1]});
    }

    // Join two routers, by way of the link's registers if it has some.
    void join(int number, int stages, int from, int to, End near, End far) {
        int source = INTERFACES * NODES + from, target = INTERFACES * NODES + to;
        if (!stages) return link(number, source, target, near, far);
#if REGISTERED
        // The probe looks at both ends.
        probed[number] = Link<End>{0, 0, near, far, 0}.driven();
        for (int stage = stages; stage--;) {  // from the end that receives
            int tile = TARGETS + registers.size();
            home[tile] = from;
            auto name = "link_" + std::to_string(number) + "_" + std::to_string(stage);
            auto& t = *registers.emplace_back(new Vregisters_tile(&context, name.c_str()));
            bool last = stage == stages - 1;
            links.push_back({tile, target, PORT_END(t, far), far, last ? number : ~number});
            target = tile, far = PORT_END(t, near);
        }
        links.push_back({source, target, near, far, ~number});
#endif
    }

    void link(int number, int source, int target, End from, End to) {
        links.push_back({source, target, from, to, number});
        probed[number] = links.back().driven();
    }
};

}  // namespace

int main(int count, char** argv) {
    read_tables(argv[1]);
    NODES = table("sizes")[0], ROUTERS = table("sizes")[1];
    Network::LINKS = Network::OUTPUTS * ROUTERS + NODES;
    Network::TARGETS = INTERFACES * NODES + ROUTERS;
    Network::TILES = Network::TARGETS + table("sizes")[2];
    return serve<MessageFabric<Network>>(count > 2 ? std::atoi(argv[2]) : 1);
}
