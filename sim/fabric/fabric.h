// A network of tiles: instances of Verilated modules, the links between them made here.
//
// network.h, made for each network, defines the sizes NODES (or tables.h has it), REGISTERS (of the node port),
// DATA_BITS, CHANNELS, CLASSES, BREAKS_ALL (a group that is killed releases all its members, and not
// only those that have arrived), and of links FLIT_BITS, SYNC_BITS, REST_BITS, CHECK_BITS, PROBES
// (0: no such wires) and OWN (messages' wires); the macros FOR_DATA, FOR_LAST, FOR_MANAGERS,
// FOR_PACKETS, FOR_SLOTS and FOR_GUARDS (check bits), which keep their text in networks that have
// such; PORT_END(t, name), the end of a link at a port, and END_OF(Tile, name), its type. A kind of
// network then writes its class Network, which makes the tiles, links them, and says what is on
// which link; and a class after Fabric adds what its processes do.
//
// Commands come on standard input, a line each; each is answered, "ok" ends the answer:
//   script FILE      read stimuli (see sim/assemble/player.py)
//   probe [FILE]     write what is on the wires from now on, or no more (see probe.h)
//   waves FILE       write a waveform, first of all (only if built for it)
//   run CYCLES       go on
//   play CYCLES      go on, but only to the end of a cycle in which a group's last barrier ends, the
//                    last request is answered, or something is wrong; answered by the cycle, and a
//                    line each: over GID; answered; wrong CYCLE GID NODE TEXT
//   track, in_flight, corrupt   see in_flight.h, corrupt.h; see also barriers.h, config_port.h
//   faults FILE      do to links what it says (see faults.h), instead of what was to be done before
//   faults FILE roam   the same, but each goes to where it changes something
//   struck           how many have been done
//   keep             remember all of this, queues and requests being empty
//   restore          be again what is remembered
//   observe          a line a tile: its registers and counters
//   counted          a line a target of a network of engines: its counters, 8 bits each
//   all_active       from now on evaluate all tiles in every cycle, whether they idle or not
//   apart            1 if packets and barriers of a tile get their clocks' edges apart, else 0
//   seconds          of processor time so far
//   evaluated        how often a tile was evaluated
//   clocked          how many edges each router's clock had, where clocks have gates
//   report           the traffic's counters, a line a node
//   quit
#pragma once
#include <cstdint>
#include <ctime>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "active.h"
#include "barriers.h"
#include "bits.h"
#include "config_port.h"
#include "corrupt.h"
#include "faults.h"
#include "in_flight.h"
#include "links.h"
#include "probe.h"
#include "script.h"
#include "snapshot.h"
#include "verilated.h"
#if VM_TRACE_VCD
#include "verilated_vcd_c.h"
#endif

template <class Network, class Act> void every(Network& network, Act act) {
    for (int tile = 0; tile < Network::TILES; ++tile) network.at(tile, act);
}

// Network has: `context`; `nodes`, the tiles with processes; `TILES`, how many tiles there are in
// all, and `at(i, act)`, which gives act(tile i), as the config port counts them, nodes first;
// `links`; `probed`, the end of each link that the probe looks at, by number (no wires: no such
// link); `wired`, the barrier wires of their links by number, if there are any (null: no such link).
template <class Network> class Fabric {
  public:
    virtual ~Fabric() = default;

    // Reset the network, which so many threads evaluate from now on.
    void reset(int threads) {
        network_.context.traceEverOn(true);
        every(network_, [](auto& t) { t.rst = 1, t.eval(); });
        for (int k = 0; k < RESET_CYCLES; ++k)
            every(network_, [](auto& t) { evaluate_cycle(t); });
        every(network_, [](auto& t) { t.rst = 0, t.eval(); });
        active_.emplace(network_, threads);
    }

    void command(const std::string& line) {
        std::istringstream words(line);
        std::string name;
        words >> name;
        if (name == "script") words >> name, script_ = read_script(name), next_ = 0;
        else if (name == "probe") look(words);
        else if (name == "faults") {
            std::string roam;
            words >> name >> roam;
            faults_.emplace(network_, name, !roam.empty());
        } else if (name == "struck") std::cout << (faults_ ? faults_->struck() : 0) << '\n';
        else if (name == "keep") kept_ = {cycle_, busy_, dirty_, barriers_, in_flight_}, snapshot_.keep(network_);
        else if (name == "restore") restore();
        else if (name == "observe") every(network_, [](auto& t) {
            std::string line;
            hex(line, t.observe);
            std::cout << line << '\n';
        });
        FOR_CHAIN(else if (name == "counted") for (int i = 0; i < Network::TARGETS; ++i)
            network_.target(i, [](auto& t) {
                std::string line;
                hex(line, t.counted);
                std::cout << line << '\n';
            });)
        else if (name == "clocked") {
            FOR_GATES(for (auto& t : network_.routers) std::cout << t->clocked << '\n';)
        }
        else if (name == "waves") words >> name, open_waves(name);
        else if (name == "all_active") active_->keep_all();
        else if (name == "apart") {
            bool apart = false;
            every(network_, [&](auto& t) { apart |= is_apart(t); });
            std::cout << apart << '\n';
        } else if (name == "seconds") std::cout << double(std::clock()) / CLOCKS_PER_SEC << '\n';
        else if (name == "evaluated") std::cout << active_->evaluated() << '\n';
        else if (name == "run") {
            uint64_t cycles = 0;
            words >> cycles;
            run(cycles);
        } else if (name == "play") {
            uint64_t cycles = 0;
            words >> cycles;
            play(cycles);
        } else if (name == "in_flight") in_flight_.print();
        else if (name == "track") tracks_ = true;
        else if (name == "corrupt") {
            corrupts_ = corrupt_.read(network_, words);
            if (!corrupts_) std::cout << "no such place\n";
        } else {
            if (name == "members") run(1);
            if (!barriers_.obey(name, words, cycle_) && !config_port_.obey(name, words) &&
                !obey(name, words))
                std::cout << "unknown command: " << line << '\n';
        }
        std::cout << "ok" << std::endl;
    }

    void finish() {
        every(network_, [](auto& t) { t.final(); });
#if VM_TRACE_VCD
        if (waves_) waves_->close();
#endif
    }

  protected:
    // Obey a command of this kind of network; return whether it is one.
    virtual bool obey(const std::string& name, std::istringstream& words) = 0;
    // Do what a word of the script says, for this cycle. ARRIVE and CONFIG are done already.
    virtual void act(const Stimulus& s) = 0;
    // Take back what was done for the last cycle, at the dirty tiles.
    virtual void rest() = 0;
    // See to what else happens in a cycle, the links being carried over.
    virtual void pass() = 0;
    // See to what else happens at a node before its tile is evaluated, in the thread of that.
    virtual void pass_at(int, int) {}

    void run(uint64_t cycles) {
        for (uint64_t end = cycle_ + cycles; cycle_ < end; ++cycle_) step();
        if (probe_) probe_->flush();
    }

    // Note that something is wrong with a node's packets.
    void complain(int node, const std::string& text) {
        barriers_.scoreboard().wrongs().push_back({cycle_, -1, node, text});
    }

    // Note that a tile's inputs change for this cycle.
    void mark(int tile) { active_->wake(tile), dirty_.push_back(tile); }

    Network network_;
    std::optional<Active<Network>> active_;
    uint64_t cycle_ = 0;
    std::vector<int> dirty_;
    bool busy_ = false;  // no tile will idle for some time
    Barriers barriers_;

  private:
    static constexpr int RESET_CYCLES = 17;  // more than a link has registers

    void step() {
        stimulate();
        if (faults_) faults_->pass(cycle_, *active_);
        if (corrupts_)
            if (int tile = corrupt_.act(network_, cycle_); tile >= 0) {
                active_->wake(tile);
                if (tile < NODES) active_->show_release(tile);
            }
        if (probe_) probe_->look(network_, cycle_);
        if (tracks_) in_flight_.look(network_);
        if (barriers_.watches())
            barriers_.go_on(network_.nodes, active_->released(), dirty_, cycle_,
                            [&](int tile) { mark(tile); });
        pass();
        draw();
        // No wire that begins in a tile depends on one that comes in by a link in this cycle, so
        // all wires can be carried over when every tile has gone on.
        active_->evaluate(!busy_, [&](int tile, int part) {
            if (tile < NODES) pass_at(tile, part);
        });
    }

    void play(uint64_t cycles) {
        auto& wrongs = barriers_.scoreboard().wrongs();
        auto& over = barriers_.scoreboard().over();
        for (uint64_t end = cycle_ + cycles; cycle_ < end; ++cycle_) {
            step();
            if (answered_ || !over.empty() || !wrongs.empty()) {
                ++cycle_;
                break;
            }
        }
        std::cout << cycle_ << '\n';
        for (int gid : over) std::cout << "over " << gid << '\n';
        if (answered_) std::cout << "answered\n";
        for (auto& wrong : wrongs)
            std::cout << "wrong " << wrong.cycle << ' ' << wrong.gid << ' ' << wrong.node << ' '
                      << wrong.text << '\n';
        over.clear(), wrongs.clear(), answered_ = false;
    }

    void restore() {
        snapshot_.restore(network_);
        cycle_ = kept_.cycle, busy_ = kept_.busy, dirty_ = kept_.dirty;
        barriers_ = kept_.barriers, in_flight_ = kept_.in_flight;
        faults_.reset(), script_.clear(), next_ = 0;
        for (int tile = 0; tile < Network::TILES; ++tile) active_->wake(tile);
    }

    void stimulate() {
        if (!dirty_.empty()) {
            for (int tile : dirty_) {
                active_->wake(tile);
                network_.at(tile, [](auto& t) { t.config_valid = 0; });
                if (tile >= NODES) continue;
                auto& t = *network_.nodes[tile];
                clear(t.arrive);
                FOR_DATA(clear(t.data));
                FOR_LAST(clear(t.last));
            }
            rest();
            dirty_.clear();
        }
        answered_ |= config_port_.receive(network_, *active_);
        config_port_.issue([&](const Stimulus& s) { configure(s); });
        for (; next_ < script_.size() && script_[next_].cycle <= cycle_; ++next_) {
            const Stimulus& s = script_[next_];
            if (s.kind == ARRIVE) arrive(s);
            else if (s.kind == CONFIG) configure(s);
            else act(s);
        }
    }

    void look(std::istringstream& words) {
        std::string name;
        probe_.reset();
        if (words >> name) probe_ = std::make_unique<Probe<Network>>(name);
    }

    void arrive(const Stimulus& s) {
        auto& t = *network_.nodes[s.index / REGISTERS];
        mark(s.index / REGISTERS);
        set(t.arrive, s.index % REGISTERS);
        FOR_DATA(put(t.data, s.index % REGISTERS * DATA_BITS, DATA_BITS, s.data));
        FOR_LAST(if (s.extra) set(t.last, s.index % REGISTERS));
    }

    void configure(const Stimulus& s) {
        int target = s.index >> 12, tile = target;
        FOR_CHAIN(tile = 0;)  // where the chain's host is
        if (tile >= Network::TILES) return;
        mark(tile);
        network_.at(tile, [&](auto& t) {
            t.config_valid = 1, t.config_node = target;
            t.config_address = s.index & 4095;
            t.config_write = s.extra, t.config_data = s.data;
        });
    }

#if VM_TRACE_VCD
    void open_waves(const std::string& name) {
        waves_ = std::make_unique<VerilatedVcdC>();
        every(network_, [&](auto& t) { t.trace(waves_.get(), 99); });
        waves_->open(name.c_str());
    }
    // A cycle is 10 ns, its first half with the clock high; inputs change with the clock's edge.
    void draw() {
        if (!waves_) return;
        waves_->dump(10'000 * cycle_);
        every(network_, [](auto& t) { t.clk = 0; });
        waves_->dump(10'000 * cycle_ + 5'000);
        if (cycle_ % 1024 == 0) waves_->flush();
    }
    std::unique_ptr<VerilatedVcdC> waves_;
#else
    void open_waves(const std::string&) { std::cout << "not built for waveforms\n"; }
    void draw() {}
#endif

    std::vector<Stimulus> script_;
    std::size_t next_ = 0;
    std::optional<Faults<typename Network::End>> faults_;
    std::unique_ptr<Probe<Network>> probe_;
    ConfigPort config_port_;
    bool answered_ = false;
    InFlight<Network> in_flight_;
    bool tracks_ = false;
    Corrupt<Network> corrupt_;
    bool corrupts_ = false;
    Snapshot<Network> snapshot_;
    struct {
        uint64_t cycle = 0;
        bool busy = false;
        std::vector<int> dirty;
        Barriers barriers;
        InFlight<Network> in_flight;
    } kept_;
};

template <class Fabric> int serve(int threads) {
    auto fabric = std::make_unique<Fabric>();
    fabric->reset(VM_TRACE_VCD ? 1 : threads);
    for (std::string line; std::getline(std::cin, line) && line != "quit";) fabric->command(line);
    fabric->finish();
    return 0;
}
