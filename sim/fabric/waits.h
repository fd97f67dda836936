// How long packets are the first in their source's queue, until their tail is sent.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

class Waits {
  public:
    uint64_t longest() const { return longest_; }

    // Look at all sources in a cycle; stuck(node) where a packet waits for `most` cycles.
    template <class Nodes, class Stuck> void look(const Nodes& nodes, uint64_t most, Stuck stuck) {
        for (int i = 0; i < NODES; ++i) {
            [[maybe_unused]] auto& t = *nodes[i];
            Source& source = sources_[i];
            FOR_PACKETS(bool waits = t.created - t.overflow != t.sent;
                        if (!waits || t.sent != source.sent) source = {t.sent, 0};
                        source.waited += waits;)
            longest_ = std::max(longest_, source.waited);
            if (source.waited == most) stuck(i);
        }
    }

  private:
    struct Source {
        uint32_t sent = 0;
        uint64_t waited = 0;
    };

    std::vector<Source> sources_ = std::vector<Source>(NODES);
    uint64_t longest_ = 0;
};

// Packets that are created in some cycles, by their latency: sinks show theirs in the next cycle.
class Latencies {
  public:
    using Counts = std::map<uint64_t, int>;
    std::vector<Counts> counts;  // a part of the network each
    uint64_t first = 0, end = 0;

    template <class Nodes> void begin(const Nodes& nodes, int parts) {
        counts.resize(parts);
        for (int i = 0; i < NODES; ++i) sums_[i] = nodes[i]->latency_sum;
    }

    // Look at a node in a cycle in which its tile is evaluated; all else stays as it is.
    template <class Tile> void look(const Tile& tile, int node, int part, uint64_t cycle) {
        uint64_t latency = tile.latency_sum - sums_[node], created = cycle - 1 - latency;
        if (latency && first <= created && created < end) ++counts[part][latency];
        sums_[node] = tile.latency_sum;
    }

    Counts all() const {
        Counts sum;
        for (auto& part : counts)
            for (auto& [latency, packets] : part) sum[latency] += packets;
        return sum;
    }

  private:
    std::vector<uint64_t> sums_ = std::vector<uint64_t>(NODES);
};
