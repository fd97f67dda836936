// A mesh of tiles: every node is an instance of one Verilated module, the links are made here.
//
// What stands before this text defines the sizes (WIDTH, HEIGHT, REGISTERS, DATA_BITS, CHANNELS),
// OWN_LINKS and SPILL (0 or 1), and the lists PORTS_* of port names.
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
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "Vtop.h"
#include "Vtop___024root.h"
#include "verilated.h"
#if VM_TRACE_VCD
#include "verilated_vcd_c.h"
#endif

namespace {

constexpr int NODES = WIDTH * HEIGHT;
constexpr int LINK_BITS = CHANNELS + 2;
constexpr int LINKS = 6 * NODES;

// Verilator's vectors are integers up to 64 bits and VlWide beyond; the same words for both.
template <class T> std::enable_if_t<std::is_integral_v<T>, bool> any(const T& v) { return v != 0; }
template <std::size_t N> bool any(const VlWide<N>& v) {
    for (std::size_t i = 0; i < N; ++i)
        if (v[i]) return true;
    return false;
}
template <class T> std::enable_if_t<std::is_integral_v<T>> clear(T& v) { v = 0; }
template <std::size_t N> void clear(VlWide<N>& v) {
    for (std::size_t i = 0; i < N; ++i) v[i] = 0;
}
template <class T> std::enable_if_t<std::is_integral_v<T>, uint64_t> bit(const T& v, int i) {
    return static_cast<uint64_t>(v) >> i & 1;
}
template <std::size_t N> uint64_t bit(const VlWide<N>& v, int i) { return v[i / 32] >> i % 32 & 1; }
template <class T> std::enable_if_t<std::is_integral_v<T>> set(T& v, int i) { v |= T{1} << i; }
template <std::size_t N> void set(VlWide<N>& v, int i) { v[i / 32] |= 1U << i % 32; }
template <class T> uint64_t field(const T& v, int low, int width) {
    uint64_t value = 0;
    for (int i = 0; i < width; ++i) value |= bit(v, low + i) << i;
    return value;
}
template <class T> void put(T& v, int low, int width, uint64_t value) {
    for (int i = 0; i < width; ++i)
        if (value >> i & 1) set(v, low + i);
}
template <class T> std::enable_if_t<std::is_integral_v<T>> hex(std::string& to, const T& v) {
    char text[24];
    std::snprintf(text, sizeof text, "%llx", static_cast<unsigned long long>(v));
    to += text;
}
template <std::size_t N> void hex(std::string& to, const VlWide<N>& v) {
    int top = N - 1;
    while (top > 0 && !v[top]) --top;
    char text[12];
    std::snprintf(text, sizeof text, "%x", v[top]);
    to += text;
    while (top-- > 0) {
        std::snprintf(text, sizeof text, "%08x", v[top]);
        to += text;
    }
}

// One evaluation makes one cycle if Verilator's memory of the clock can be reached; else two do.
template <class Root> auto clock_low(Vtop&, Root* root, int)
    -> decltype(root->__Vtrigprevexpr___TOP__clk__0, void()) {
    root->__Vtrigprevexpr___TOP__clk__0 = 0;
}
template <class Root> void clock_low(Vtop& tile, Root*, long) {
    tile.clk = 0;
    tile.eval();
}

struct Bits {  // a long row of bits, printed as one hexadecimal number
    std::vector<uint8_t> digits;
    bool used = false;
    explicit Bits(int width) : digits(width / 4 + 1) {}
    void put(int low, uint64_t value) {
        for (; value; value >>= 1, ++low)
            if (value & 1) digits[low / 4] |= 1 << low % 4, used = true;
    }
    void print(std::string& to) {
        std::size_t top = digits.size();
        if (!used) {
            to += '0';
            return;
        }
        while (!digits[top - 1]) --top;
        while (top--) to += "0123456789abcdef"[digits[top]], digits[top] = 0;
        used = false;
    }
};

struct Stimulus {
    uint32_t cycle, data, index, extra, kind;
};
enum Kind { END, ARRIVE, SPILLED, START, CONFIG, LOAD, RATE };

struct Seat {
    int node, place;
};

struct Group {  // the referee of one group
    int gid;
    std::vector<Seat> seats;
    std::vector<uint8_t> here, ahead, out;  // arrived for this episode, for the next; released
    uint32_t arrived = 0, released = 0;
    uint64_t last = 0, last_ahead = 0;
    uint64_t errors = 0;
    std::map<uint64_t, uint64_t> episodes;  // by latency
    void release(int seat) {
        if (arrived != seats.size() || out[seat]) ++errors;
        else out[seat] = 1, ++released;
    }
    void arrive(int seat, uint64_t cycle) {
        auto& seats_taken = out[seat] ? ahead : here;
        if (seats_taken[seat]) ++errors;
        seats_taken[seat] = 1;
        if (out[seat]) last_ahead = cycle;
        else ++arrived, last = cycle;
    }
    void close(uint64_t cycle) {
        if (released != seats.size()) return;
        ++episodes[cycle - last];
        here.swap(ahead), last = last_ahead, arrived = released = 0;
        for (std::size_t i = 0; i < seats.size(); ++i) arrived += here[i], ahead[i] = out[i] = 0;
    }
};

class Fabric {
  public:
    Fabric() : valid_(LINKS * LINK_BITS), credit_(LINKS * LINK_BITS), released_(NODES * REGISTERS) {
        context_.traceEverOn(true);
        for (int i = 0; i < NODES; ++i) {
            auto name = "node_" + std::to_string(i % WIDTH) + "_" + std::to_string(i / WIDTH);
            tiles_.emplace_back(new Vtop(&context_, name.c_str()));
            tiles_[i]->x = i % WIDTH, tiles_[i]->y = i / WIDTH, tiles_[i]->index = i;
            tiles_[i]->rst = 1;
        }
        for (int k = 0; k < 2; ++k) tick();
        for (auto& tile : tiles_) tile->rst = 0, tile->eval();
        seats_.resize(NODES * REGISTERS, {-1, -1});
        seen_.resize(NODES);
    }

    void run(uint64_t cycles) {
        for (uint64_t end = cycle_ + cycles; cycle_ < end; ++cycle_) {
            stimulate();
            connect();
            if (probe_) probe();
            if (!groups_.empty()) watch();
            for (auto& tile : tiles_) tile->cycle = cycle_;
            draw();
            tick();
        }
        if (probe_) std::fflush(probe_);
    }

    void finish() {
        for (auto& tile : tiles_) tile->final();
#if VM_TRACE_VCD
        if (waves_) waves_->close();
#endif
    }

    void command(const std::string& line) {
        std::istringstream words(line);
        std::string name;
        words >> name;
        if (name == "script") read_script(words);
        else if (name == "probe") open_probe(words);
        else if (name == "waves") open_waves(words);
        else if (name == "group") add_group(words);
        else if (name == "members") let_members_arrive(words);
        else if (name == "report") report();
        else if (name == "watch") print_watch();
        else if (name == "run") {
            uint64_t cycles = 0;
            words >> cycles;
            run(cycles);
        } else std::cout << "unknown command: " << line << '\n';
        std::cout << "ok" << std::endl;
    }

  private:
    void tick() {
        for (auto& tile : tiles_) {
            clock_low(*tile, tile->rootp, 0);
            tile->clk = 1;
            tile->eval();
        }
    }

    void stimulate() {
        if (acted_) {
            for (auto& t : tiles_) {
                clear(t->arrive), t->start = 0, t->config_valid = 0, t->traffic_load = 0;
                t->member_load = 0;
                FOR_DATA(clear(t->data));
                FOR_SPILL(t->spill_arrive_valid = 0);
            }
            acted_ = false;
        }
        for (; next_ < script_.size() && script_[next_].cycle <= cycle_; ++next_) {
            const Stimulus& s = script_[next_];
            acted_ = true;
            switch (s.kind) {
            case ARRIVE: {
                Vtop& t = *tiles_[s.index / REGISTERS];
                set(t.arrive, s.index % REGISTERS);
                FOR_DATA(put(t.data, s.index % REGISTERS * DATA_BITS, DATA_BITS, s.data));
                break;
            }
            case SPILLED: {
                FOR_SPILL(Vtop& t = *tiles_[s.index]; t.spill_arrive_valid = 1;
                          t.spill_arrive_gid = s.extra;
                          FOR_DATA(t.spill_arrive_data = s.data));
                break;
            }
            case START:
                for (auto& t : tiles_) t->start = 1;
                break;
            case CONFIG: {
                Vtop& t = *tiles_[s.index >> 12];
                t.config_valid = 1, t.config_node = s.index >> 12, t.config_address = s.index & 4095;
                t.config_write = s.extra, t.config_data = s.data;
                break;
            }
            case LOAD:
                for (auto& t : tiles_) t->traffic_load = 1, t->traffic_seed = s.data;
                break;
            case RATE:
                for (auto& t : tiles_) t->traffic_enable = s.extra, t->traffic_rate = s.data;
                break;
            }
        }
    }

    // Every wire that begins in a tile is a function of that tile's registers alone, so all
    // wires can be carried over before any tile goes on.
    void connect() {
        for (int i = 0; i < NODES; ++i) {
            Vtop& a = *tiles_[i];
            if (i % WIDTH < WIDTH - 1) {
                Vtop& b = *tiles_[i + 1];
                LINK_FORWARD(a, east_out, b, west_in);
                LINK_FORWARD(b, west_out, a, east_in);
            }
            if (i + WIDTH < NODES) {
                Vtop& b = *tiles_[i + WIDTH];
                LINK_FORWARD(a, north_out, b, south_in);
                LINK_FORWARD(b, south_out, a, north_in);
            }
        }
    }

    void probe() {
        int answer = -1;
        bool released = false, spilled = false;
        for (int i = 0; i < NODES; ++i) {
            Vtop& t = *tiles_[i];
            int base = 5 * i * LINK_BITS;
            OUTPUT_BITS(t, east, base, i % WIDTH < WIDTH - 1);
            OUTPUT_BITS(t, north, base + LINK_BITS, i + WIDTH < NODES);
            OUTPUT_BITS(t, west, base + 2 * LINK_BITS, i % WIDTH > 0);
            OUTPUT_BITS(t, south, base + 3 * LINK_BITS, i >= WIDTH);
            valid_.put(base + 4 * LINK_BITS, t.eject_valid);
            credit_.put(base + 4 * LINK_BITS, t.eject_credit);
            valid_.put((5 * NODES + i) * LINK_BITS, t.inject_valid);
            credit_.put((5 * NODES + i) * LINK_BITS, t.inject_credit);
            if (any(t.released)) {
                released = true;
                for (int r = 0; r < REGISTERS; ++r)
                    if (bit(t.released, r)) released_.put(i * REGISTERS + r, 1);
            }
            if (t.config_ready) answer = i;
            FOR_SPILL(spilled |= t.spill_release_valid);
        }
        if (!valid_.used && !credit_.used && !released && !spilled && answer < 0) return;
        line_.clear();
        hex(line_, cycle_), line_ += ' ';
        bool flits = valid_.used;
        valid_.print(line_), line_ += ' ';
        credit_.print(line_), line_ += ' ';
        released_.print(line_);
        if (flits) print_flits();
        if (released && DATA_BITS >= 0) print_results();
        FOR_SPILL(for (int i = 0; i < NODES; ++i) if (tiles_[i]->spill_release_valid) {
            Vtop& t = *tiles_[i];
            line_ += " s", hex(line_, i), line_ += ':', hex(line_, t.spill_release_gid);
            line_ += ':';
            uint64_t value = 0;
            FOR_DATA(value = t.spill_release_result);
            hex(line_, value);
        });
        if (answer >= 0) {
            line_ += " c", hex(line_, tiles_[answer]->config_error);
            line_ += ':', hex(line_, tiles_[answer]->config_rdata);
        }
        line_ += '\n';
        if (released || spilled) {
            line_ += 'o';
            for (int i = 0; i < NODES; ++i) {
                std::string now;
                hex(now, tiles_[i]->observe);
                if (now == (seen_[i].empty() ? "0" : seen_[i])) continue;
                seen_[i] = now;
                line_ += ' ', hex(line_, i), line_ += ':' + now;
            }
            line_ += '\n';
        }
        std::fwrite(line_.data(), 1, line_.size(), probe_);
    }

    void print_flits() {
        for (int i = 0; i < NODES; ++i) {
            Vtop& t = *tiles_[i];
            OUTPUT_FLITS(t, east, i % WIDTH < WIDTH - 1);
            OUTPUT_FLITS(t, north, i + WIDTH < NODES);
            OUTPUT_FLITS(t, west, i % WIDTH > 0);
            OUTPUT_FLITS(t, south, i >= WIDTH);
            if (t.eject_valid) line_ += ' ', hex(line_, t.eject_flit);
        }
        for (auto& t : tiles_)
            if (t->inject_valid) line_ += ' ', hex(line_, t->inject_flit);
    }

    void print_results() {
        for (auto& t : tiles_)
            for (int r = 0; r < REGISTERS; ++r)
                if (bit(t->released, r)) {
                    uint64_t value = 0;
                    FOR_DATA(value = field(t->result, r * DATA_BITS, DATA_BITS));
                    line_ += ' ', hex(line_, value);
                }
    }

    void watch() {
        for (int i = 0; i < NODES; ++i) {
            Vtop& t = *tiles_[i];
            if (!any(t.arrives) && !any(t.released)) continue;
            for (int r = 0; r < REGISTERS; ++r) {
                Seat seat = seats_[i * REGISTERS + r];
                if (seat.node < 0) continue;
                Group& group = groups_[seat.node];
                if (bit(t.released, r)) group.release(seat.place);
                if (bit(t.arrives, r)) group.arrive(seat.place, cycle_);
            }
        }
        for (auto& group : groups_) group.close(cycle_);
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
        for (auto& tile : tiles_) tile->trace(waves_.get(), 99);
        waves_->open(name.c_str());
    }
    // A cycle is 10 ns, its first half with the clock high; inputs change with the clock's edge.
    void draw() {
        if (!waves_) return;
        waves_->dump(10'000 * cycle_);
        for (auto& tile : tiles_) tile->clk = 0;
        waves_->dump(10'000 * cycle_ + 5'000);
        if (cycle_ % 1024 == 0) waves_->flush();
    }
    std::unique_ptr<VerilatedVcdC> waves_;
#else
    void open_waves(std::istringstream&) { std::cout << "not built for waveforms\n"; }
    void draw() {}
#endif

    void add_group(std::istringstream& words) {
        Group group{};
        words >> group.gid;
        for (int node, place; words >> node >> place;) {
            seats_[node * REGISTERS + place] = {static_cast<int>(groups_.size()),
                                                static_cast<int>(group.seats.size())};
            group.seats.push_back({node, place});
        }
        for (auto* row : {&group.here, &group.ahead, &group.out}) row->resize(group.seats.size());
        groups_.push_back(group);
    }

    void let_members_arrive(std::istringstream& words) {
        uint32_t seed = 0, jitter = 0;
        words >> seed >> jitter;
        for (auto& t : tiles_) {
            clear(t->member), t->member_load = 1, t->member_seed = seed;
            t->member_jitter = jitter, t->member_enable = 1;
        }
        acted_ = true;
        for (auto& group : groups_)
            for (auto& seat : group.seats) set(tiles_[seat.node]->member, seat.place);
        run_one_with_load();
    }

    void run_one_with_load() {
        acted_ = false;  // keep member_load for the one cycle that is run here
        run(1);
        acted_ = true;
    }

    void report() {
        for (auto& t : tiles_) {
            std::string line;
            REPORT_WORDS(t, line);
            std::cout << line << '\n';
        }
    }

    void print_watch() {
        for (auto& group : groups_) {
            std::cout << group.gid << ' ' << group.errors;
            for (auto& [latency, count] : group.episodes) std::cout << ' ' << latency << ':' << count;
            std::cout << '\n';
        }
    }

    VerilatedContext context_;
    std::vector<std::unique_ptr<Vtop>> tiles_;
    uint64_t cycle_ = 0;
    std::vector<Stimulus> script_;
    std::size_t next_ = 0;
    bool acted_ = false;
    std::FILE* probe_ = nullptr;
    Bits valid_, credit_, released_;
    std::string line_;
    std::vector<std::string> seen_;
    std::vector<Group> groups_;
    std::vector<Seat> seats_;  // by node and register: number of the group, place in it
};

}  // namespace

int main() {
    auto fabric = std::make_unique<Fabric>();
    for (std::string line; std::getline(std::cin, line) && line != "quit";) fabric->command(line);
    fabric->finish();
}
