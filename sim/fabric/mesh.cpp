// A mesh: a grid of routers.
//
// network.h, made for each network, also defines WIDTH, HEIGHT and SYNC_WIRES: a port that is as
// wide as messages where they have wires of their own.
#include "network.h"

#include "Vtile.h"
#include "Vtile___024root.h"
#include "grid.h"
#include "messages.h"

namespace {

struct Network : Grid<Vtile, std::remove_reference_t<decltype(Vtile::SYNC_WIRES)>> {
    Network() {
        for (int i = 0; i < NODES; ++i) {
            auto& t = *nodes[i];
            t.x = i % WIDTH, t.y = i / WIDTH, t.header = HEADERS[i];
        }
    }
};

}  // namespace

int main() { return serve<MessageFabric<Network>>(); }
