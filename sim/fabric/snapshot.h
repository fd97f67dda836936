// All tiles as they were in some cycle, to go back to.
//
// What queues of a source hold is left out (see idle.h), so they are to be empty then.
#pragma once
#include <vector>

#include "idle.h"

template <class Network> class Snapshot {
  public:
    void keep(Network& network) {
        tiles_.resize(Network::TILES);
        for (int tile = 0; tile < Network::TILES; ++tile)
            network.at(tile, [&](auto& t) { tiles_[tile] = memory_of(t).saved(t); });
    }

    void restore(Network& network) const {
        for (int tile = 0; tile < Network::TILES; ++tile)
            network.at(tile, [&](auto& t) { memory_of(t).restore(t, tiles_[tile]); });
    }

  private:
    template <class Tile> static Memory<Tile>& memory_of(Tile& tile) {
        static Memory<Tile> memory(tile);
        return memory;
    }

    std::vector<std::vector<char>> tiles_;
};
