// How long packets are the first in their source's queue, until their tail is sent.
#pragma once
#include <algorithm>
#include <cstdint>
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
