// A network of tiles: instances of Verilated modules, the links between them made here.
//
// network.h, made for each network, defines the sizes (NODES, TARGETS, REGISTERS, DATA_BITS, CHANNELS,
// CLASSES), HEADERS[node], and the macros FOR_DATA, FOR_SPILL, REPORT_WORDS and PORT_END(t, name), the
// end of a link at a port. A kind of network then writes its class Network, which makes the tiles, links
// them, and says what is on which link.
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
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "bits.h"
#include "referee.h"
#include "verilated.h"
#if VM_TRACE_VCD
#include "verilated_vcd_c.h"
#endif

// One end of a link: the wires of a tile's port. `sync` is null where messages share the flit's.
template <class Flit, class Sync> struct EndOf {
    CData *valid, *sync_valid, *credit, *sync_credit;
    Flit* flit;
    Sync* sync;
};
inline CData NOTHING = 0;  // stands for wires that a port has not

template <class End> struct Link {
    End from, to;
    void carry() const {
        *to.valid = *from.valid, *to.sync_valid = *from.sync_valid, *to.flit = *from.flit;
        *from.credit = *to.credit, *from.sync_credit = *to.sync_credit;
        if (from.sync) *to.sync = *from.sync;
    }
};

// One evaluation makes one cycle if Verilator's memory of the clock can be reached; else two do.
template <class Tile, class Root> auto clock_low(Tile&, Root* root, int)
    -> decltype(root->__Vtrigprevexpr___TOP__clk__0, void()) {
    root->__Vtrigprevexpr___TOP__clk__0 = 0;
}
template <class Tile, class Root> void clock_low(Tile& tile, Root*, long) {
    tile.clk = 0;
    tile.eval();
}

struct Stimulus {
    uint32_t cycle, data, index, extra, kind;
};
enum Kind { END, ARRIVE, SPILLED, START, CONFIG, LOAD, RATE };

// Network has: `context`; `nodes`, the tiles with processes; `links`, to be carried over in every
// cycle; `shown`, the end of each link that the probe looks at, by number (no wires: no such link);
// `every(act)`, which calls act(tile) for each tile, as the config port counts them.
template <class Network> class Fabric {
  public:
    Fabric()
        : valid_(LINKS * LINK_BITS), credit_(LINKS * LINK_BITS), released_(NODES * REGISTERS),
          seen_(TARGETS), referee_(NODES, REGISTERS) {
        network_.context.traceEverOn(true);
        network_.every([](auto& t) { t.rst = 1; });
        for (int k = 0; k < 2; ++k) tick();
        network_.every([](auto& t) { t.rst = 0, t.eval(); });
    }

    void run(uint64_t cycles) {
        for (uint64_t end = cycle_ + cycles; cycle_ < end; ++cycle_) {
            stimulate();
            // Every wire that begins in a tile is a function of that tile's registers alone, so all
            // wires can be carried over before any tile goes on.
            for (auto& link : network_.links) link.carry();
            if (probe_) probe();
            if (!referee_.groups().empty()) watch();
            for (auto& tile : network_.nodes) tile->cycle = cycle_;
            draw();
            tick();
        }
        if (probe_) std::fflush(probe_);
    }

    void command(const std::string& line) {
        std::istringstream words(line);
        std::string name;
        words >> name;
        if (name == "script") read_script(words);
        else if (name == "probe") open_probe(words);
        else if (name == "waves") open_waves(words);
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
    static constexpr int LINKS = Network::LINKS, LINK_BITS = CHANNELS + CLASSES;

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
                FOR_DATA(clear(t->data));
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
            break;
        }
        case SPILLED: {
            FOR_SPILL(auto& t = *nodes[s.index]; t.spill_arrive_valid = 1;
                      t.spill_arrive_gid = s.extra; FOR_DATA(t.spill_arrive_data = s.data));
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
        }
    }

    void probe() {
        bool answered = false, released = false, spilled = false;
        uint32_t error = 0, answer = 0;
        for (int i = 0; i < LINKS; ++i) {
            const auto& end = network_.shown[i];
            if (!end.valid) continue;
            valid_.put(i * LINK_BITS, *end.valid | *end.sync_valid << CHANNELS);
            credit_.put(i * LINK_BITS, *end.credit | *end.sync_credit << CHANNELS);
        }
        for (int i = 0; i < NODES; ++i) {
            auto& t = *network_.nodes[i];
            if (any(t.released)) {
                released = true;
                for (int r = 0; r < REGISTERS; ++r)
                    if (bit(t.released, r)) released_.put(i * REGISTERS + r, 1);
            }
            FOR_SPILL(spilled |= t.spill_release_valid);
        }
        network_.every([&](auto& t) {
            if (t.config_ready) answered = true, error = t.config_error, answer = t.config_rdata;
        });
        if (!valid_.used && !credit_.used && !released && !spilled && !answered) return;
        line_.clear();
        hex(line_, cycle_), line_ += ' ';
        bool flits = valid_.used;
        valid_.print(line_), line_ += ' ';
        credit_.print(line_), line_ += ' ';
        released_.print(line_);
        if (flits) print_flits();
        if (released) print_results();
        FOR_SPILL(print_spilled());
        if (answered) line_ += " c", hex(line_, error), line_ += ':', hex(line_, answer);
        line_ += '\n';
        if (released || spilled) print_observed();
        std::fwrite(line_.data(), 1, line_.size(), probe_);
    }

    void print_flits() {
        for (const auto& end : network_.shown) {
            if (!end.valid) continue;
            if (*end.valid || (*end.sync_valid && !end.sync)) line_ += ' ', hex(line_, *end.flit);
            if (*end.sync_valid && end.sync) line_ += ' ', hex(line_, *end.sync);
        }
    }

    void print_results() {
        for (auto& t : network_.nodes)
            for (int r = 0; r < REGISTERS; ++r)
                if (bit(t->released, r)) {
                    uint64_t value = 0;
                    FOR_DATA(value = field(t->result, r * DATA_BITS, DATA_BITS));
                    line_ += ' ', hex(line_, value);
                }
    }

    FOR_SPILL(void print_spilled() {
        for (int i = 0; i < NODES; ++i) {
            auto& t = *network_.nodes[i];
            if (!t.spill_release_valid) continue;
            line_ += " s", hex(line_, i), line_ += ':', hex(line_, t.spill_release_gid);
            line_ += ':';
            uint64_t value = 0;
            FOR_DATA(value = t.spill_release_result);
            hex(line_, value);
        }
    })

    void print_observed() {
        line_ += 'o';
        int target = 0;
        network_.every([&](auto& t) {
            std::string now, &seen = seen_[target];
            hex(now, t.observe);
            if (now != (seen.empty() ? "0" : seen)) {
                seen = now;
                line_ += ' ', hex(line_, target), line_ += ':' + now;
            }
            ++target;
        });
        line_ += '\n';
    }

    void watch() {
        for (int i = 0; i < NODES; ++i) {
            auto& t = *network_.nodes[i];
            referee_.see(i, t.arrives, t.released, cycle_);
        }
        referee_.close(cycle_);
    }

    void read_script(std::istringstream& words) {
        std::string name, word;
        words >> name;
        std::ifstream file(name);
        script_.clear(), next_ = 0;
        while (file >> word) {
            auto part = [&](int first, int count) {
                return static_cast<uint32_t>(std::stoul(word.substr(first, count), nullptr, 16));
            };
            script_.push_back({part(20, 8), part(12, 8), part(4, 8), part(2, 2), part(0, 2)});
        }
    }

    void open_probe(std::istringstream& words) {
        std::string name;
        words >> name;
        probe_ = std::fopen(name.c_str(), "w");
    }

#if VM_TRACE_VCD
    void open_waves(std::istringstream& words) {
        std::string name;
        words >> name;
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
    void open_waves(std::istringstream&) { std::cout << "not built for waveforms\n"; }
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
    std::FILE* probe_ = nullptr;
    Bits valid_, credit_, released_;
    std::string line_;
    std::vector<std::string> seen_;  // by target
    Referee referee_;
};

template <class Network> int serve() {
    auto fabric = std::make_unique<Fabric<Network>>();
    for (std::string line; std::getline(std::cin, line) && line != "quit";) fabric->command(line);
    fabric->finish();
    return 0;
}
