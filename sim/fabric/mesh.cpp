// A mesh: every node is the same tile, linked to its neighbours.
//
// network.h, made for each network, also defines WIDTH, HEIGHT and SYNC_WIRES: a port that is as
// wide as messages where they have wires of their own.
#include "network.h"

#include "Vtile.h"
#include "Vtile___024root.h"
#include "fabric.h"

namespace {

#define LOCAL_END(t, name) \
    {&t.name##_valid, &NOTHING, &t.name##_credit, &NOTHING, &t.name##_flit, nullptr}

struct Network {
    using End = EndOf<std::remove_reference_t<decltype(Vtile::eject_flit)>,
                      std::remove_reference_t<decltype(Vtile::SYNC_WIRES)>>;
    static constexpr int LINKS = 6 * NODES;

    VerilatedContext context;
    std::vector<std::unique_ptr<Vtile>> nodes;
    std::vector<Link<End>> links;
    std::vector<End> shown = std::vector<End>(LINKS);

    Network() {
        for (int i = 0; i < NODES; ++i) {
            auto name = "node_" + std::to_string(i % WIDTH) + "_" + std::to_string(i / WIDTH);
            nodes.emplace_back(new Vtile(&context, name.c_str()));
            auto& t = *nodes[i];
            t.x = i % WIDTH, t.y = i / WIDTH, t.index = i, t.header = HEADERS[i];
            shown[5 * i + 4] = LOCAL_END(t, eject);
            shown[5 * NODES + i] = LOCAL_END(t, inject);
        }
        for (int i = 0; i < NODES; ++i) {
            auto& a = *nodes[i];
            if (i % WIDTH < WIDTH - 1) {
                auto& b = *nodes[i + 1];
                link(5 * i, PORT_END(a, east_out), PORT_END(b, west_in));
                link(5 * (i + 1) + 2, PORT_END(b, west_out), PORT_END(a, east_in));
            }
            if (i + WIDTH < NODES) {
                auto& b = *nodes[i + WIDTH];
                link(5 * i + 1, PORT_END(a, north_out), PORT_END(b, south_in));
                link(5 * (i + WIDTH) + 3, PORT_END(b, south_out), PORT_END(a, north_in));
            }
        }
    }

    void link(int number, End from, End to) { links.push_back({shown[number] = from, to}); }

    template <class Act> void every(Act act) {
        for (auto& tile : nodes) act(*tile);
    }
};

}  // namespace

int main() { return serve<Network>(); }
