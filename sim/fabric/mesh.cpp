// A mesh: a grid of routers.
//
// network.h, made for each network, also defines WIDTH and HEIGHT.
#include "network.h"

#include "Vtile.h"
#include "Vtile__Syms.h"
#include "grid.h"
#include "messages.h"

EVALUATE(Vtile)
STORES(Vtile, tile)

namespace {

struct Network : Grid<Vtile, END_OF(Vtile, east_out)> {
    Network() {
        for (int i = 0; i < NODES; ++i) {
            auto& t = *nodes[i];
            t.x = i % WIDTH, t.y = i / WIDTH;
            FOR_PACKETS(t.header = HEADERS[i];)
        }
    }
};

}  // namespace

int main() { return serve<MessageFabric<Network>>(); }
