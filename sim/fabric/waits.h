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
    std::map<uint64_t, int> counts;
    uint64_t first = 0, end = 0;

    template <class Nodes> void look(const Nodes& nodes, uint64_t cycle) {
        for (int i = 0; i < NODES; ++i) {
            [[maybe_unused]] auto& t = *nodes[i];
            FOR_PACKETS(uint64_t latency = t.latency_sum - sums_[i], created = cycle - 1 - latency;
                        if (latency && first <= created && created < end) ++counts[latency];
                        sums_[i] = t.latency_sum;)
        }
    }

  private:
    std::vector<uint64_t> sums_ = std::vector<uint64_t>(NODES);
};
