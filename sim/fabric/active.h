// The active tiles. One that idles is not evaluated, and what it drives stays.
//
// Tiles are in as many parts as there are threads. What crosses from one part to another is a link's
// wires, which one side writes, and the tiles to wake, which their own part reads in the next
// cycle: so the number of threads changes nothing.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "bits.h"
#include "evaluate.h"
#include "idle.h"
#include "links.h"
#include "workers.h"

template <class Network> class Active {
  public:
    // Call it when all tiles have been evaluated.
    Active(Network& network, int threads) : network_(network), workers_(threads), parts_(threads) {
        auto is_small = [](auto& t) { return memory_of(t).is_small(); };
        std::vector<int> tiles(Network::TILES);
        std::iota(tiles.begin(), tiles.end(), 0);
        // Tiles near each other are neighbours in this order, and so mostly in one part.
        std::stable_sort(tiles.begin(), tiles.end(),
                         [&](int a, int b) { return network.home[a] < network.home[b]; });
        for (int i = 0; i < Network::TILES; ++i) {
            part_of_[tiles[i]] = int64_t{i} * threads / Network::TILES;
            parts_[part_of_[tiles[i]]].tiles.push_back(tiles[i]);
            may_idle_ &= network.at(tiles[i], is_small);
        }
        for (auto& part : parts_) part.wakes.resize(threads);
        for (auto& link : network.links) {
            leaving_[link.source].push_back(&link);
            coming_[link.target].push_back(&link);
        }
        FOR_CHAIN(for (auto& hop : network.chain) away_[hop.source] = back_[hop.target] = &hop;)
        for (int tile : tiles) carry(tile);
    }

    uint64_t evaluated() const {
        uint64_t sum = 0;
        for (auto& part : parts_) sum += part.evaluated;
        return sum;
    }

    int threads() const { return workers_.count(); }

    // Give act(tile) each active tile.
    template <class Act> void each(Act act) const {
        for (auto& part : parts_)
            for (int tile : part.tiles) act(tile);
    }

    // The nodes that show a release, by number, once each.
    std::vector<int> released() const {
        std::vector<int> all;
        for (auto& part : parts_) all.insert(all.end(), part.released.begin(), part.released.end());
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        return all;
    }
    void show_release(int node) { parts_[part_of_[node]].released.push_back(node); }

    // Wake a tile, for an input of it changes.
    void wake(int tile) {
        if (idle_[tile]) idle_[tile] = false, parts_[part_of_[tile]].tiles.push_back(tile);
    }

    void keep_all() {
        may_idle_ = false;
        for (int tile = 0; tile < Network::TILES; ++tile) wake(tile);
    }

    // Carry over the links of a tile whose outputs have changed between two cycles.
    void carry(int tile) { carry(tile, parts_[part_of_[tile]]); }

    // Evaluate the active tiles, and carry over their links; all others are there already. If it is worth
    // a look, what idles is no longer active. `before(tile, part)` is called in the part's thread.
    template <class Before> void evaluate(bool look, Before before) {
        look &= may_idle_;
        int count = parts_.size();
        std::size_t active = 0;
        for (auto& part : parts_) active += part.tiles.size();
        if (count > 1 && active >= WORTH_A_THREAD * std::size_t(count) && !workers_.rests()) {
            auto act = [&](int part) {
                evaluate(part, look, before);
                workers_.meet();
                carry_part(parts_[part]);
            };
            workers_.run(act);
        } else {
            for (int part = 0; part < count; ++part) evaluate(part, look, before);
            for (auto& part : parts_) carry_part(part);
        }
    }

  private:
    static constexpr std::size_t WORTH_A_THREAD = 8;  // tiles: their evaluation, and two meetings
    using Links = std::vector<const typename decltype(Network::links)::value_type*>;
    struct alignas(64) Part {
        std::vector<int> tiles;
        std::vector<std::vector<int>> wakes;  // tiles to wake, by their part
        std::vector<int> released;
        uint64_t evaluated = 0;
    };

    template <class Tile> static Memory<Tile>& memory_of(Tile& tile) {
        static thread_local Memory<Tile> memory(tile);
        return memory;
    }

    template <class Before> void evaluate(int number, bool look, Before& before) {
        Part& part = parts_[number];
        for (auto& other : parts_) {
            for (int tile : other.wakes[number])
                if (idle_[tile]) idle_[tile] = false, part.tiles.push_back(tile);
            other.wakes[number].clear();
        }
        part.evaluated += part.tiles.size();
        part.released.clear();
        std::size_t left = 0;
        for (int tile : part.tiles) {
            before(tile, number);
            idle_[tile] = network_.at(tile, [look](auto& t) {
                if (!look) {
                    evaluate_cycle(t);
                    return false;
                }
                auto& memory = memory_of(t);
                memory.keep(t);
                evaluate_cycle(t);
                return memory.is_kept(t);
            });
            if (idle_[tile]) continue;
            part.tiles[left++] = tile;
            if (tile < NODES && any(network_.nodes[tile]->released)) part.released.push_back(tile);
        }
        part.tiles.resize(left);
    }

    void carry_part(Part& part) {
        for (int tile : part.tiles) carry(tile, part);
    }

    void carry(int tile, Part& part) {
        auto wake_later = [&](int other) {
            if (idle_[other]) part.wakes[part_of_[other]].push_back(other);
        };
        for (auto* link : leaving_[tile])
            if (link->forward()) wake_later(link->target);
        for (auto* link : coming_[tile])
            if (link->backward()) wake_later(link->source);
        FOR_CHAIN(if (auto* hop = away_[tile]) if (hop->forward()) wake_later(hop->target);
                  if (auto* hop = back_[tile]) if (hop->backward()) wake_later(hop->source);)
    }

    Network& network_;
    Workers workers_;
    std::vector<Part> parts_;
    std::vector<int> part_of_ = std::vector<int>(Network::TILES);
    std::vector<uint8_t> idle_ = std::vector<uint8_t>(Network::TILES);
    std::vector<Links> leaving_ = std::vector<Links>(Network::TILES), coming_ = leaving_;
    // Hops of the config chain, by the tile at either end.
    FOR_CHAIN(using Hops = std::vector<const ChainLink*>;
              Hops away_ = Hops(Network::TILES), back_ = Hops(Network::TILES);)
#if VM_TRACE_VCD
    bool may_idle_ = false;  // the waveform shows every tile's clock
#else
    bool may_idle_ = true;
#endif
};
