// The probe: a line of text for every cycle in which a wire is high (see probe_text in
// sim/assemble/bench.py).
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "bits.h"

template <class Network> class Probe {
  public:
    explicit Probe(const std::string& name)
        : file_(std::fopen(name.c_str(), "w")), valid_(LINKS * LINK_BITS),
          credit_(LINKS * LINK_BITS), released_(NODES * REGISTERS) {}

    ~Probe() { std::fclose(file_); }
    Probe(const Probe&) = delete;

    void flush() { std::fflush(file_); }

    void look(Network& network, uint64_t cycle) {
        bool answered = false, released = false, changed = false;
        uint32_t error = 0, answer = 0;
        for (int i = 0; i < LINKS; ++i) {
            const auto& end = network.probed[i];
            if (!end.valid) continue;
            valid_.put(i * LINK_BITS, *end.valid | *end.sync_valid << CHANNELS);
            credit_.put(i * LINK_BITS, *end.credit | *end.sync_credit << CHANNELS);
            FOR_SLOTS(if (end.slots_valid)
                          valid_.put(i * LINK_BITS + CHANNELS + CLASSES, *end.slots_valid);)
            FOR_STREAMS(if (end.stream_valid) {
                valid_.put(i * LINK_BITS + FIRST_STREAM, *end.stream_valid | *end.stream_fault << STREAMS);
                credit_.put(i * LINK_BITS + FIRST_STREAM, *end.stream_credit);
            })
        }
        for (int i = 0; i < NODES; ++i) {
            auto& t = *network.nodes[i];
            FOR_STREAMS(changed |= t.stream_taken;)
            FOR_BROKEN(changed |= ports_[i].differs(t);)
            if (any(t.released)) {
                released = true;
                for (int r = 0; r < REGISTERS; ++r)
                    if (bit(t.released, r)) released_.put(i * REGISTERS + r, 1);
            }
        }
        FOR_GUARDS(for (const auto& end : network.probed)
                       if (end.check) changed |= *end.check | *end.sync_check | *end.probe | *end.empty;)
        every(network, [&](auto& t) {
            if (t.config_ready) answered = true, error |= t.config_error, answer |= t.config_rdata;
        });
        if (!valid_.used && !credit_.used && !released && !changed && !answered) return;
        line_.clear();
        hex(line_, cycle), line_ += ' ';
        bool flits = valid_.used;
        valid_.print(line_), line_ += ' ';
        credit_.print(line_), line_ += ' ';
        released_.print(line_);
        if (flits) print_flits(network);
        if (released) print_results(network);
        FOR_GUARDS(print_guards(network));
        FOR_STREAMS(print_beats(network));
        FOR_BROKEN(print_ports(network));
        if (answered) line_ += " c", hex(line_, error), line_ += ':', hex(line_, answer);
        line_ += '\n';
        if (released) print_observed(network);
        std::fwrite(line_.data(), 1, line_.size(), file_);
    }

  private:
    static constexpr int FIRST_STREAM = CHANNELS + CLASSES + SLOTS,
                         LINK_BITS = FIRST_STREAM + 2 * STREAMS;
    const int LINKS = Network::LINKS;

    void print_flits(Network& network) {
        for (const auto& end : network.probed) {
            if (!end.valid) continue;
            print_flits_of(end);
            FOR_SLOTS(for (int s = 0; end.slots && s < SLOTS; ++s)
                          if (bit(*end.slots_valid, s))
                              line_ += ' ', hex(line_, field(*end.slots, s * SLOT_BITS, SLOT_BITS));)
            FOR_STREAMS(if (end.stream_valid) {
                if (*end.stream_valid) line_ += ' ', print_word_of(end);
                for (int c = 0; c < STREAMS; ++c)
                    if (bit(*end.stream_fault, c)) line_ += " 1";
            })
        }
    }

    template <class End> void print_flits_of(const End& end) {
        if constexpr (REST_BITS > 0) if (*end.sync_valid) {
            uint64_t low = field(*end.flit, 0, FLIT_BITS);
            line_ += ' ', hex(line_, low | uint64_t{*end.rest} << FLIT_BITS);
            return;
        }
        if (*end.valid || (*end.sync_valid && !end.sync)) line_ += ' ', hex(line_, *end.flit);
        if (*end.sync_valid && end.sync) line_ += ' ', hex(line_, *end.sync);
    }

    FOR_STREAMS(template <class End> void print_word_of(const End& end) {
        if constexpr (STREAM_BITS > 0) return hex(line_, *end.stream);
        for (int i = 0; i < FLIT_BITS; ++i) word_.put(i, bit(*end.flit, i));
        for (int i = 0; i < STREAM_REST_BITS; ++i) word_.put(FLIT_BITS + i, bit(*end.stream_rest, i));
        word_.print(line_);
    })

    void print_results(Network& network) {
        for (auto& t : network.nodes)
            for (int r = 0; r < REGISTERS; ++r)
                if (bit(t->released, r)) {
                    uint64_t value = 0;
                    FOR_DATA(value = field(t->result, r * DATA_BITS, DATA_BITS));
                    line_ += ' ', hex(line_, value);
                }
    }

    FOR_GUARDS(void print_guards(Network& network) {
        for (int i = 0; i < LINKS; ++i) {
            const auto& end = network.probed[i];
            if (!end.check || !(*end.check | *end.sync_check | *end.probe | *end.empty)) continue;
            line_ += " g", hex(line_, i);
            for (uint64_t wire : {uint64_t(*end.check), uint64_t(*end.sync_check), uint64_t(*end.probe),
                                  uint64_t(*end.empty)})
                line_ += ':', hex(line_, wire);
        }
    })

    FOR_STREAMS(void print_beats(Network& network) {
        for (int i = 0; i < NODES; ++i)
            if (auto& t = *network.nodes[i]; t.stream_taken) {
                line_ += " m", hex(line_, i);
                BEAT_WORDS(t, line_);
            }
    })

    // What a process sees of its registers, as it was when last printed.
    FOR_BROKEN(using Process = std::remove_pointer_t<typename decltype(Network::nodes)::value_type>;
    struct Ports {
        TYPE_OF(Process::ready) ready;
        TYPE_OF(Process::done) done;
        TYPE_OF(Process::broken) broken;
        FOR_DATA(TYPE_OF(Process::result) result;)

        Ports() { clear(ready), clear(done), clear(broken); FOR_DATA(clear(result);) }

        template <class T> bool differs(const T& t) const {
            return ready != t.ready || done != t.done || broken != t.broken FOR_DATA(|| result != t.result);
        }
        template <class T> void take(const T& t) {
            ready = t.ready, done = t.done, broken = t.broken;
            FOR_DATA(result = t.result;)
        }
    };

    void print_ports(Network& network) {
        for (int i = 0; i < NODES; ++i) {
            auto& t = *network.nodes[i];
            if (!ports_[i].differs(t)) continue;
            ports_[i].take(t);
            line_ += " p", hex(line_, i);
            line_ += ':', hex(line_, t.ready), line_ += ':', hex(line_, t.done), line_ += ':';
            hex(line_, t.broken), line_ += ':';
            bool none = true;
            FOR_DATA(hex(line_, t.result), none = false;)
            if (none) line_ += '0';
        }
    })

    void print_observed(Network& network) {
        line_ += 'o';
        std::size_t target = 0;
        every(network, [&](auto& t) {
            if (target == seen_.size()) seen_.emplace_back();
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

    std::FILE* file_;
    FOR_BROKEN(std::vector<Ports> ports_ = std::vector<Ports>(NODES);)
    Bits valid_, credit_, released_;
    FOR_STREAMS(Bits word_{FLIT_BITS + STREAM_REST_BITS};)
    std::string line_;
    std::vector<std::string> seen_;  // by target
};
