// A network of tiles: instances of Verilated modules, the links between them made here.
//
// network.h, made for each network, defines the sizes (NODES, TARGETS, REGISTERS, DATA_BITS,
// CHANNELS, CLASSES), HEADERS[node], MANAGERS, and the macros FOR_DATA, FOR_MANAGERS, FOR_SPILL,
// REPORT_WORDS and PORT_END(t, name), the end of a link at a port. A kind of network then writes
// its class Network, which makes the tiles, links them, and says what is on which link.
//
// Commands come on standard input, a line each; each is answered, "ok" ends the answer:
//   script FILE      read stimuli (see sim/assemble/player.py)
//   probe FILE       write what is on the wires from now on (see sim/assemble/probe.py)
//   group GID NODE REGISTER ...   watch a group
//   members SEED JITTER   let the members of the watched groups arrive again and again
//   waves FILE       write a waveform, first of all (only if built for it)
//   run CYCLES       go on
//   report           the traffic's counters, a line a node
//   watch            a line a group: GID, errors, then LATENCY:EPISODES for each latency seen
//   quit
#pragma once
#include <cstdint>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "bits.h"
#include "links.h"
#include "probe.h"
#include "referee.h"
#include "script.h"
#include "verilated.h"
#if VM_TRACE_VCD
#include "verilated_vcd_c.h"
#endif

// One evaluation makes one cycle if Verilator's memory of the clock can be reached; else two do.
template <class Tile, class Root> auto clock_low(Tile&, Root* root, int)
    -> decltype(root->__Vtrigprevexpr___TOP__clk__0, void()) {
    root->__Vtrigprevexpr___TOP__clk__0 = 0;
}
template <class Tile, class Root> void clock_low(Tile& tile, Root*, long) {
    tile.clk = 0;
    tile.eval();
}

// Network has: `context`; `nodes`, the tiles with processes; `links`, to be carried over in every
// cycle; `shown`, the end of each link that the probe looks at, by number (no wires: no such link);
// `every(act)`, which calls act(tile) for each tile, as the config port counts them.
template <class Network> class Fabric {
  public:
    Fabric() : referee_(NODES, REGISTERS) {
        network_.context.traceEverOn(true);
        network_.every([](auto& t) { t.rst = 1; });
        FOR_MANAGERS(int index = 0; for (int node : MANAGERS) {
            network_.nodes[node]->manager = 1;
            network_.nodes[node]->manager_index = index++;
        });
        for (int k = 0; k < 2; ++k) tick();
        network_.every([](auto& t) { t.rst = 0, t.eval(); });
    }

    void run(uint64_t cycles) {
        for (uint64_t end = cycle_ + cycles; cycle_ < end; ++cycle_) {
            stimulate();
            // Every wire that begins in a tile is a function of that tile's registers alone, so all
            // wires can be carried over before any tile goes on.
            for (auto& link : network_.links) link.carry();
            if (probe_) probe_->look(network_, cycle_);
            if (!referee_.groups().empty()) watch();
            for (auto& tile : network_.nodes) tile->cycle = cycle_;
            draw();
            tick();
        }
        if (probe_) probe_->flush();
    }

    void command(const std::string& line) {
        std::istringstream words(line);
        std::string name;
        words >> name;
        if (name == "script") words >> name, script_ = read_script(name), next_ = 0;
        else if (name == "probe") words >> name, probe_ = std::make_unique<Probe<Network>>(name);
        else if (name == "waves") words >> name, open_waves(name);
        else if (name == "group") referee_.add(words);
        else if (name == "members") let_members_arrive(words);
        else if (name == "report") report();
        else if (name == "watch") referee_.print();
        else if (name == "run") {
            uint64_t cycles = 0;
            words >> cycles;
            run(cycles);
        } else std::cout << "unknown command: " << line << '\n';
        std::cout << "ok" << std::endl;
    }

    void finish() {
        network_.every([](auto& t) { t.final(); });
#if VM_TRACE_VCD
        if (waves_) waves_->close();
#endif
    }

  private:
    void tick() {
        network_.every([](auto& t) {
            clock_low(t, t.rootp, 0);
            t.clk = 1;
            t.eval();
        });
    }

    void stimulate() {
        if (acted_) {
            for (auto& t : network_.nodes) {
                clear(t->arrive), t->start = 0, t->traffic_load = 0, t->member_load = 0;
                t->put_valid = 0;
                FOR_DATA(clear(t->data));
                FOR_MANAGERS(clear(t->last));
                FOR_SPILL(t->spill_arrive_valid = 0);
            }
            network_.every([](auto& t) { t.config_valid = 0; });
            acted_ = false;
        }
        for (; next_ < script_.size() && script_[next_].cycle <= cycle_; ++next_) {
            acted_ = true;
            act(script_[next_]);
        }
    }

    void act(const Stimulus& s) {
        auto& nodes = network_.nodes;
        switch (s.kind) {
        case ARRIVE: {
            auto& t = *nodes[s.index / REGISTERS];
            set(t.arrive, s.index % REGISTERS);
            FOR_DATA(put(t.data, s.index % REGISTERS * DATA_BITS, DATA_BITS, s.data));
            FOR_MANAGERS(if (s.extra) set(t.last, s.index % REGISTERS));
            break;
        }
        case SPILLED: {
            FOR_SPILL(auto& t = *nodes[s.index & ~(1u << 31)]; t.spill_arrive_valid = 1;
                      t.spill_arrive_gid = s.extra; FOR_DATA(t.spill_arrive_data = s.data);
                      FOR_MANAGERS(t.spill_arrive_last = s.index >> 31));
            break;
        }
        case START:
            for (auto& t : nodes) t->start = 1;
            break;
        case CONFIG: {
            uint32_t target = 0;
            network_.every([&](auto& t) {
                if (target++ != s.index >> 12) return;
                t.config_valid = 1, t.config_node = s.index >> 12;
                t.config_address = s.index & 4095;
                t.config_write = s.extra, t.config_data = s.data;
            });
            break;
        }
        case LOAD:
            for (auto& t : nodes) t->traffic_load = 1, t->traffic_seed = s.data;
            break;
        case RATE:
            for (auto& t : nodes) t->traffic_enable = s.extra, t->traffic_rate = s.data;
            break;
        case PACKET:
            nodes[s.index]->put_valid = 1;
            nodes[s.index]->put_flit = static_cast<uint64_t>(s.data) << 6 | s.extra;
            break;
        }
    }

    void watch() {
        for (int i = 0; i < NODES; ++i) {
            auto& t = *network_.nodes[i];
            referee_.see(i, t.arrives, t.released, cycle_);
        }
        referee_.close(cycle_);
    }

#if VM_TRACE_VCD
    void open_waves(const std::string& name) {
        waves_ = std::make_unique<VerilatedVcdC>();
        network_.every([&](auto& t) { t.trace(waves_.get(), 99); });
        waves_->open(name.c_str());
    }
    // A cycle is 10 ns, its first half with the clock high; inputs change with the clock's edge.
    void draw() {
        if (!waves_) return;
        waves_->dump(10'000 * cycle_);
        network_.every([](auto& t) { t.clk = 0; });
        waves_->dump(10'000 * cycle_ + 5'000);
        if (cycle_ % 1024 == 0) waves_->flush();
    }
    std::unique_ptr<VerilatedVcdC> waves_;
#else
    void open_waves(const std::string&) { std::cout << "not built for waveforms\n"; }
    void draw() {}
#endif

    void let_members_arrive(std::istringstream& words) {
        uint32_t seed = 0, jitter = 0;
        words >> seed >> jitter;
        for (auto& t : network_.nodes) {
            clear(t->member), t->member_load = 1, t->member_seed = seed;
            t->member_jitter = jitter, t->member_enable = 1;
        }
        for (auto& group : referee_.groups())
            for (auto& seat : group.seats) set(network_.nodes[seat.node]->member, seat.place);
        acted_ = false;  // keep member_load for the one cycle that is run here
        run(1);
        acted_ = true;
    }

    void report() {
        for (auto& t : network_.nodes) {
            std::string line;
            REPORT_WORDS(t, line);
            std::cout << line << '\n';
        }
    }

    Network network_;
    uint64_t cycle_ = 0;
    std::vector<Stimulus> script_;
    std::size_t next_ = 0;
    bool acted_ = false;
    std::unique_ptr<Probe<Network>> probe_;
    Referee referee_;
};

template <class Network> int serve() {
    auto fabric = std::make_unique<Fabric<Network>>();
    for (std::string line; std::getline(std::cin, line) && line != "quit";) fabric->command(line);
    fabric->finish();
    return 0;
}
