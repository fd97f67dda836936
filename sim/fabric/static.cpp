// A static network: switches with their nodes, and the loader of their routes.
//
// network.h, made for each network, also defines FLIT_BITS, and what switches.h needs.
#include "network.h"

#include "Vloader_tile.h"
#include "Vloader_tile__Syms.h"
#include "Vtile.h"
#include "Vtile__Syms.h"
#if INTERFACES
#include "Vswitch_tile.h"
#include "Vswitch_tile__Syms.h"
#endif
#include "switches.h"

EVALUATE(Vtile)
EVALUATE(Vloader_tile)
#if INTERFACES
EVALUATE(Vswitch_tile)
#else
using Vswitch_tile = Vtile;
#endif

namespace {

using Network = Switches<Vswitch_tile, Vtile, Vloader_tile, SWITCH_END(Vswitch_tile)>;

class StaticFabric : public Fabric<Network> {
  public:
    StaticFabric() { busy_ = true; }  // the chain of routes is no link that wakes a tile

  private:
    // There is no traffic to report, there are no streams, and no processor arrives by itself.
    bool obey(const std::string& name, std::istringstream&) override {
        return name == "report" || name == "streams" || name == "entries";
    }

    // What software does shows on its links at once, so its tile is evaluated anew.
    void act(const Stimulus& s) override {
        auto& t = *network_.nodes[s.index];
        switch (s.kind) {
        case HOLD:
            t.hold = s.data;
            break;
        case SEND:
            t.send_valid = 1;
            clear(t.send_flit), put(t.send_flit, 0, std::min(FLIT_BITS, 32), s.data);
            for (std::size_t i = 0; i < s.above.size(); ++i)
                put(t.send_flit, 32 + 32 * i, 32, s.above[i]);
            break;
        case TAKE:
            t.recv_take = 1;
            break;
        }
        t.eval(), active_->carry(s.index);
        mark(s.index);
        sent_.push_back(s.index);
    }

    void rest() override {
        for (int node : sent_) {
            auto& t = *network_.nodes[node];
            t.send_valid = t.recv_take = 0, t.eval(), active_->carry(node);
        }
        sent_.clear();
    }

    // The chain of routes, from the loader through all switches; all of it comes from registers.
    void pass() override {
        auto& loader = *network_.loader;
        CData bit = loader.route_in;
        for (auto* t : network_.switches) {
            t->route_shift = loader.route_shift, t->route_strobe = loader.route_strobe;
            t->route_in = bit, bit = t->route_out;
        }
    }

    std::vector<int> sent_;
};

}  // namespace

// The argument is the number of threads.
int main(int count, char** argv) { return serve<StaticFabric>(count > 1 ? std::atoi(argv[1]) : 1); }
