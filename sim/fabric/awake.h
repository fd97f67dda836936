// The tiles that are awake. One that idles sleeps: it is not evaluated, and what it drives stays.
#pragma once
#include <cstdint>
#include <vector>

#include "evaluate.h"
#include "idle.h"
#include "links.h"

template <class Network> class Awake {
  public:
    // Call it when all tiles have been evaluated.
    explicit Awake(Network& network) : network_(network) {
        auto is_small = [](auto& t) { return memory_of(t).is_small(); };
        for (int tile = 0; tile < Network::TILES; ++tile)
            tiles_.push_back(tile), may_sleep_ &= network.at(tile, is_small);
        for (auto& link : network.links) {
            leaving_[link.source].push_back(&link);
            coming_[link.target].push_back(&link);
        }
        FOR_CHAIN(for (auto& hop : network.chain) away_[hop.source] = back_[hop.target] = &hop;)
    }

    const std::vector<int>& tiles() const { return tiles_; }
    uint64_t evaluated() const { return evaluated_; }

    // Wake a tile, for an input of it changes.
    void wake(int tile) {
        if (asleep_[tile]) asleep_[tile] = false, tiles_.push_back(tile);
    }

    void stay() {
        may_sleep_ = false;
        for (int tile = 0; tile < Network::TILES; ++tile) wake(tile);
    }

    // Carry over the links of what was evaluated in the last cycle; all else is there already.
    void carry() {
        for (std::size_t i = 0, count = tiles_.size(); i < count; ++i) {
            for (auto* link : leaving_[tiles_[i]])
                if (link->forward()) wake(link->target);
            for (auto* link : coming_[tiles_[i]])
                if (link->backward()) wake(link->source);
            FOR_CHAIN(if (auto* hop = away_[tiles_[i]]) if (hop->forward()) wake(hop->target);
                      if (auto* hop = back_[tiles_[i]]) if (hop->backward()) wake(hop->source);)
        }
    }

    // Evaluate what is awake; if it is worth a look, what idles falls asleep.
    void evaluate(bool look) {
        look &= may_sleep_;
        evaluated_ += tiles_.size();
        std::size_t left = 0;
        for (int tile : tiles_) {
            asleep_[tile] = network_.at(tile, [look](auto& t) {
                auto& memory = memory_of(t);
                if (look) memory.keep(t);
                evaluate_cycle(t);
                return look && memory.is_kept(t);
            });
            if (!asleep_[tile]) tiles_[left++] = tile;
        }
        tiles_.resize(left);
    }

  private:
    using Links = std::vector<const typename decltype(Network::links)::value_type*>;

    template <class Tile> static Memory<Tile>& memory_of(Tile& tile) {
        static Memory<Tile> memory(tile);
        return memory;
    }

    Network& network_;
    std::vector<int> tiles_;
    std::vector<uint8_t> asleep_ = std::vector<uint8_t>(Network::TILES);
    std::vector<Links> leaving_ = std::vector<Links>(Network::TILES), coming_ = leaving_;
    // Hops of the config chain, by the tile at either end.
    FOR_CHAIN(using Hops = std::vector<const ChainLink*>;
              Hops away_ = Hops(Network::TILES), back_ = Hops(Network::TILES);)
    uint64_t evaluated_ = 0;
#if VM_TRACE_VCD
    bool may_sleep_ = false;  // the waveform shows every tile's clock
#else
    bool may_sleep_ = true;
#endif
};
