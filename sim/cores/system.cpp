// A many-core system: instances of Verilated tiles, the links between them made here.
//
// It does what the Verilog bench (bench.py) does: reads a script, loads and sets up the system, lets
// the cores go, and writes what happens. Arguments: +script=FILE +events=FILE.
//
// system.h, made for each system, defines NODES, CORES, REGISTERS and SWITCHES; cycles, steps and
// activities as the bench has them; HAS_LOADER, or with engines HAS_TAPS (each core has
// a config port of its own), HAS_ROUTERS and REGISTERED (registers of links); SET_UP_TILES, which
// gives each tile its number, and CARRY_LINKS.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "system.h"

#include "Vtile.h"
#include "Vtile__Syms.h"
#ifndef HAS_TAPS
#include "Vshare_tile.h"
#include "Vshare_tile__Syms.h"
#endif
#ifdef HAS_ROUTERS
#include "Vrouter_tile.h"
#include "Vrouter_tile__Syms.h"
using Switch = Vrouter_tile;
#endif
#ifdef REGISTERED
#include "Vregisters_tile.h"
#include "Vregisters_tile__Syms.h"
#endif
#ifdef HAS_LOADER
#include "Vloader_tile.h"
#include "Vloader_tile__Syms.h"
#endif
#include "bits.h"
#include "evaluate.h"

EVALUATE(Vtile)
#ifndef HAS_TAPS
EVALUATE(Vshare_tile)
#endif
#ifdef HAS_ROUTERS
EVALUATE(Vrouter_tile)
#endif
#ifdef REGISTERED
EVALUATE(Vregisters_tile)
#endif
#ifdef HAS_LOADER
EVALUATE(Vloader_tile)
#endif

namespace {

struct Request {
    bool valid = false, write = false;
    uint32_t target = 0, address = 0, data = 0;
};
struct Answer {
    bool ready = false, error = false;
    uint32_t data = 0;
};

class System {
    VerilatedContext context;  // before all that uses it

  public:
    System() {
        for (int i = 0; i < NODES; ++i) {
            tiles.emplace_back(new Vtile(&context, ("node_" + std::to_string(i)).c_str()));
            tiles[i]->number = i;
        }
#ifdef HAS_ROUTERS
        for (int s = 0; s < SWITCHES; ++s)
            switches.emplace_back(
                new Switch(&context, ("switch_" + std::to_string(s)).c_str()));
#endif
#ifdef REGISTERED
        for (int k = 0; k < REGISTERED; ++k)
            registers.emplace_back(
                new Vregisters_tile(&context, ("link_" + std::to_string(k)).c_str()));
#endif
        SET_UP_TILES
        every([](auto& t) { t.rst = 1, t.eval(); });
        for (int k = 0; k < RESET_CYCLES; ++k) every([](auto& t) { evaluate_cycle(t); });
        every([](auto& t) { t.rst = 0, t.eval(); });
#ifndef HAS_TAPS
        share.rst = 1, share.eval();
        evaluate_cycle(share);
        share.rst = 0, share.eval();
#endif
    }

    // Begin a cycle: carry over all that tiles see of each other, and make a request if one waits.
    void begin(const Request& loader) {
        CARRY_LINKS
#ifdef HAS_LOADER
        CData bit = routes.route_in;
        for (auto& t : tiles) {
            t->route_shift = routes.route_shift, t->route_strobe = routes.route_strobe;
            t->route_in = bit, bit = t->route_out;
        }
#endif
        answer_ = {};
        every([this](auto& t) {
            answer_.ready |= t.config_ready, answer_.error |= t.config_error;
            answer_.data |= t.config_rdata;
        });
#ifndef HAS_TAPS
        if (running_) return serve();
#endif
        request(loader);
    }

    void end() {
        every([](auto& t) { evaluate_cycle(t); });
#ifndef HAS_TAPS
        if (busy_) evaluate_cycle(share);
#endif
    }

    void run() {
        running_ = true;
        for (int i = 0; i < CORES; ++i) tiles[i]->run = 1;
    }

    const Answer& answer() const { return answer_; }

    std::vector<std::unique_ptr<Vtile>> tiles;

  private:
    template <class Act> void every(Act act) {
        for (auto& t : tiles) act(*t);
#ifdef HAS_ROUTERS
        for (auto& t : switches) act(*t);
#endif
#ifdef REGISTERED
        for (auto& t : registers) act(*t);
#endif
#ifdef HAS_LOADER
        act(routes);
#endif
    }

    void request(const Request& asked) {
        if (!asked.valid && !asked_) return;
        asked_ = asked.valid;
        every([&](auto& t) {
            t.config_valid = asked.valid, t.config_node = asked.target;
            t.config_address = asked.address, t.config_write = asked.write;
            t.config_data = asked.data;
        });
    }

#ifndef HAS_TAPS
    // Give the config port to one core after the other. Nothing of this happens in most cycles.
    void serve() {
        bool asks = false;
        for (int i = 0; i < CORES; ++i) asks |= tiles[i]->ask_valid;
        if (asks) busy_ = 4;
        else if (busy_) --busy_;
        if (!busy_) return;
        clear(share.valid), clear(share.write), clear(share.address), clear(share.data);
        for (int i = 0; i < CORES; ++i) {
            if (!tiles[i]->ask_valid) continue;
            set(share.valid, i);
            if (tiles[i]->ask_write) set(share.write, i);
            put(share.address, i * CONFIG_BITS, CONFIG_BITS, tiles[i]->ask_address);
            put(share.data, i * 32, 32, tiles[i]->ask_data);
        }
        share.config_ready = answer_.ready, share.config_error = answer_.error;
        share.config_rdata = answer_.data;
        request({bool(share.config_valid), bool(share.config_write), share.config_node,
                 share.config_address, share.config_data});
        share.clk = 0, share.eval();
        for (int i = 0; i < CORES; ++i) {
            tiles[i]->ask_ready = bit(share.ready, i);
            tiles[i]->ask_error = answer_.error, tiles[i]->ask_rdata = answer_.data;
        }
    }
    Vshare_tile share{&context, "share"};
    int busy_ = 0;  // cycles for which what gives the config port away may have something to do
#endif

#ifdef HAS_ROUTERS
    std::vector<std::unique_ptr<Switch>> switches;
#endif
#ifdef REGISTERED
    std::vector<std::unique_ptr<Vregisters_tile>> registers;
#endif
#ifdef HAS_LOADER
    Vloader_tile routes{&context, "loader"};
#endif
    Answer answer_;
    bool running_ = false, asked_ = false;
};

class Bench {
  public:
    Bench(const char* script, const char* events)
        : script_(std::fopen(script, "r")), events_(std::fopen(events, "w")) {
        if (!script_ || !events_) std::perror("system"), std::exit(1);
    }

    // Load the system and set it up; return false if the script ends, or a request is refused.
    bool prepare() {
        unsigned step, a, b, c, d;
        while (std::fscanf(script_, "%x %x %x %x %x", &step, &a, &b, &c, &d) == 5) {
            switch (step) {
            case LOAD_ALL:
                load(true, 0, a, b);
                break;
            case LOAD:
                load(false, a, b, c);
                break;
            case CONFIG:
                if (!ask({true, true, a, b, c})) return false;
                break;
            case POLL:
                do {
                    if (!ask({true, false, a, b, 0})) return false;
                } while ((system_.answer().data & c) != d);
                break;
            case IDLE:
                while (a--) pass();
                break;
            default:
                limit_ = a;
                for (auto& t : system_.tiles) t->barrier_low = b, t->barrier_high = c;
                system_.run();
                return true;
            }
        }
        return false;
    }

    void run() {
        for (bool over = false; !over; ++cycle_) {
            for (auto& t : system_.tiles) t->cycle = cycle_;
            system_.begin({});
            over = look();
            system_.end();
        }
    }

    ~Bench() { std::fclose(script_), std::fclose(events_); }

  private:
    void pass(const Request& request = {}) { system_.begin(request), system_.end(); }

    void load(bool all, uint32_t core, uint32_t address, uint32_t data) {
        for (auto& t : system_.tiles) {
            t->load_valid = 1, t->load_all = all, t->load_core = core;
            t->load_address = address, t->load_data = data;
        }
        pass();
        for (auto& t : system_.tiles) t->load_valid = 0;
    }

    bool ask(const Request& request) {
        pass(request);
        do pass();
        while (!system_.answer().ready);
        if (!system_.answer().error) return true;
        std::fprintf(events_, "0 refused %u %u\n", request.target, request.address);
        return false;
    }

    void say(long long cycle, const char* what) {
        std::fprintf(events_, "%lld %s\n", cycle, what);
    }

    // See what happens in a cycle; return whether it was the last one.
    bool look() {
        for (int i = 0; i < NODES; ++i) ports(i, "arrive", system_.tiles[i]->arrive);
        for (int i = 0; i < NODES; ++i) ports(i, "release", system_.tiles[i]->released);
        bool all_over = true, any_fault = false, changed = false;
        for (int i = 0; i < CORES; ++i) {
            auto& t = *system_.tiles[i];
            if (t.put)
                std::fprintf(events_, "%lld %s %d %u\n", cycle_ - 1, t.put_char ? "char" : "put", i,
                             t.word);
        }
        for (int i = 0; i < CORES; ++i) {
            auto& t = *system_.tiles[i];
            bool is_over = t.activity == STOPPED;
            if (t.activity != activity_[i] || t.in_barrier != in_barrier_[i]) {
                changed = true;
                std::fprintf(events_, "%lld does %d %d %d\n", cycle_, i, t.activity, t.in_barrier);
                activity_[i] = t.activity, in_barrier_[i] = t.in_barrier;
            }
            if (is_over && !was_over_[i]) {
                was_over_[i] = true;
                any_fault |= !t.exited;
                if (t.exited)
                    std::fprintf(events_, "%lld exit %d %u\n", cycle_ - 1, i, t.word);
                else
                    std::fprintf(events_, "%lld fault %d %d %u %u\n", cycle_ - 1, i, t.reason, t.pc,
                                 t.address);
            }
            all_over &= is_over;
        }
        bool over = changed && (all_over || any_fault);
        if (changed) {
            still_ = 0;
        } else if (still_++ >= STUCK_CYCLES) {
            still_ = 0, over = true;
            for (auto activity : activity_) over &= activity > ARRIVES;
            if (over) say(cycle_, "stuck");
        }
        if (!over && cycle_ == limit_) over = true, say(cycle_, "limit");
        if (!over) return false;
        for (int i = 0; i < CORES; ++i) {
            auto& t = *system_.tiles[i];
            if (!t.exited)
                std::fprintf(events_, "%lld stands %d %d %u\n", cycle_, i, t.activity, t.pc);
        }
        say(cycle_, "end");
        return true;
    }

    template <class Port> void ports(int node, const char* what, const Port& port) {
        if (!any(port)) return;
        for (int r = 0; r < REGISTERS; ++r)
            if (bit(port, r)) std::fprintf(events_, "%lld %s %d %d\n", cycle_, what, node, r);
    }

    System system_;
    std::FILE *script_, *events_;
    long long cycle_ = 0, limit_ = 0, still_ = 0;
    uint8_t activity_[CORES] = {}, in_barrier_[CORES] = {};
    bool was_over_[CORES] = {};
};

const char* argument(int count, char** words, const char* name) {
    for (int i = 1; i < count; ++i)
        if (!std::strncmp(words[i], name, std::strlen(name))) return words[i] + std::strlen(name);
    std::fprintf(stderr, "there is no %s\n", name);
    std::exit(1);
}

}  // namespace

int main(int count, char** words) {
    Bench bench(argument(count, words, "+script="), argument(count, words, "+events="));
    if (bench.prepare()) bench.run();
}
