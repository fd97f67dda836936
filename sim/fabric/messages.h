// A network of messages or barrier wires: what its processes and its packets do.
//
// network.h also defines REPORT_WORDS, with packets. Tables: managers, and headers by node. Commands:
//   waits CYCLES     see how long packets are first in their source's queue; no longer than this;
//                    answered by the longest wait so far
//   measure FIRST END   count packets that are created in these cycles
//   latencies        a line each: a latency, and how many of these have come out with it
//   streams          the counters of streams' sinks, a line a node, all channels of each in one word
//   entries          the words of each engine's entries (ENTRY_WORDS, of network.h), a line a router
#pragma once
#include "fabric.h"
#include "waits.h"

template <class Network> class MessageFabric : public Fabric<Network> {
  public:
    MessageFabric() {
        FOR_MANAGERS(int index = 0; for (int node : table("managers")) {
            network_.nodes[node]->manager = 1;
            network_.nodes[node]->manager_index = index++;
        });
    }

  private:
    using Base = Fabric<Network>;
    using Base::network_, Base::cycle_, Base::mark;

    bool obey(const std::string& name, std::istringstream& words) override {
        if (name == "report") report();
        else if (name == "streams") streams();
        else if (name == "entries") entries();
        else if (name == "waits") {
            words >> most_;
            std::cout << waits_.longest() << '\n';
        } else if (name == "measure") {
            words >> latencies_.first >> latencies_.end;
            FOR_PACKETS(latencies_.begin(network_.nodes, this->active_->threads());)
        }
        else if (name == "latencies")
            for (auto& [latency, packets] : latencies_.all())
                std::cout << latency << ' ' << packets << '\n';
        else return false;
        return true;
    }

    void rest() override {
        FOR_PACKETS(for (int tile : this->dirty_) if (tile < NODES)
                        network_.nodes[tile]->traffic_load = 0, network_.nodes[tile]->put_valid = 0;)
        FOR_STREAMS(for (int tile : this->dirty_) if (tile < NODES)
                        network_.nodes[tile]->stream_put = 0, network_.nodes[tile]->stream_set = 0;)
    }

    void act(const Stimulus& s) override {
        FOR_PACKETS(act_on_packets(s));
        FOR_STREAMS(act_on_streams(s));
    }

    void act_on_streams(const Stimulus& s) {
        FOR_STREAMS(if (s.kind != STREAM && s.kind != STALL) return;
                    auto& t = *network_.nodes[s.index];
                    mark(s.index);
                    if (s.kind == STALL) t.stream_set = 1, t.stream_stalls = s.data;
                    else {
                        t.stream_put = 1, t.stream_command = s.data;
                        if (!s.above.empty()) t.stream_command |= uint64_t{s.above[0]} << 32;
                    })
    }

    void act_on_packets(const Stimulus& s) {
        auto& nodes = network_.nodes;
        switch (s.kind) {
        case LOAD:
            for (int i = 0; i < NODES; ++i)
                mark(i), nodes[i]->traffic_load = 1, nodes[i]->traffic_seed = s.data;
            break;
        case RATE:
            this->busy_ = s.extra;  // its generators step in every cycle
            for (int i = 0; i < NODES; ++i)
                mark(i), nodes[i]->traffic_enable = s.extra, nodes[i]->traffic_rate = s.data;
            break;
        case GOAL:
            mark(s.index), nodes[s.index]->traffic_goal = uint64_t{s.data} << 1 | s.extra;
            break;
        case PACKET:
            mark(s.index);
            nodes[s.index]->put_valid = 1;
            clear(nodes[s.index]->put_flit);
            put(nodes[s.index]->put_flit, 0, 38, static_cast<uint64_t>(s.data) << 6 | s.extra);
            for (std::size_t i = 0; i < s.above.size(); ++i)
                put(nodes[s.index]->put_flit, 38 + 32 * i, 32, s.above[i]);
            break;
        }
    }

    void pass_at([[maybe_unused]] int node, [[maybe_unused]] int part) override {
        FOR_CYCLE(network_.nodes[node]->cycle = cycle_;)
        FOR_PACKETS(if (latencies_.end) latencies_.look(*network_.nodes[node], node, part, cycle_);)
    }

    void pass() override {
        FOR_PACKETS(if (most_) waits_.look(network_.nodes, most_, [&](int node) {
                        this->complain(node, "a packet has been first in its source's queue for " +
                                                 std::to_string(most_) + " cycles");
                    });)
    }

    void report() {
        FOR_PACKETS(for (auto& t : network_.nodes) {
            std::string line;
            REPORT_WORDS(t, line);
            std::cout << line << '\n';
        })
    }

    void streams() {
        FOR_STREAMS(for (auto& t : network_.nodes) {
            std::string line;
            STREAM_WORDS(t, line);
            std::cout << line << '\n';
        })
    }

    void entries() {
        for (auto& t : network_.routers) {
            std::string line;
            for (int k = 0; k < ENTRIES; ++k) { ENTRY_WORDS((*t), line, k); }
            std::cout << line << '\n';
        }
    }

    Waits waits_;
    Latencies latencies_;
    uint64_t most_ = 0;
};
