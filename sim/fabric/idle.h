// What shows that a tile idles: an evaluation that leaves it as it was.
//
// All that a tile is lies in its symbol table, its ports too, and an evaluation depends on nothing
// else. So one that has left every byte as it was will do so again, until an input changes.
//
// Two things are left out, for they count only in cycles in which registers change: the stores of a
// source's queues, which are written when an entry comes, and the input `cycle` of a tile that
// sleeps, which is looked at when a packet is created or ends.
#pragma once
#include <cstring>
#include <type_traits>
#include <vector>

struct Bytes {
    const void* begin;
    std::size_t size;
};

// The stores of a tile whose module has this name, if Verilator calls them so.
#define STORE(module, queue) module##__DOT__source__DOT__##queue##__DOT__store
#define STORES(Tile, module)                                                              \
    template <class Root> auto stores(const Root& root, const Tile*)                      \
        -> decltype(&root.STORE(module, packets), &root.STORE(module, software),          \
                    std::vector<Bytes>()) {                                               \
        return {{&root.STORE(module, packets), sizeof root.STORE(module, packets)},       \
                {&root.STORE(module, software), sizeof root.STORE(module, software)}};    \
    }
template <class Root> std::vector<Bytes> stores(const Root&, const void*) { return {}; }

// What a tile was: one for all tiles of a kind, since all have it in the same places.
template <class Tile> class Memory {
  public:
    explicit Memory(const Tile& tile) {
        const char *table = table_of(tile), *at = table;
        for (auto& store : stores(*tile.rootp, &tile)) {
            const char* begin = static_cast<const char*>(store.begin);
            add(at - table, begin - at), at = begin + store.size;
        }
        add(at - table, table + sizeof(Table) - at);
    }

    // Whether looking costs less than it may save.
    bool is_small() const { return kept_.size() <= 1 << 15; }

    void keep(const Tile& tile) { copy_to(kept_.data(), tile); }

    std::vector<char> saved(const Tile& tile) const {
        std::vector<char> bytes(kept_.size());
        copy_to(bytes.data(), tile);
        return bytes;
    }

    // Make a tile again what it was when it was saved.
    void restore(Tile& tile, const std::vector<char>& bytes) const {
        const char* from = bytes.data();
        char* table = reinterpret_cast<char*>(tile.rootp->vlSymsp);
        for (auto& part : parts_)
            std::memcpy(table + part.offset, from, part.size), from += part.size;
    }

    bool is_kept(const Tile& tile) const {
        const char* kept = kept_.data();
        for (auto& part : parts_) {
            if (std::memcmp(kept, table_of(tile) + part.offset, part.size)) return false;
            kept += part.size;
        }
        return true;
    }

  private:
    using Table = std::remove_pointer_t<decltype(Tile::rootp->vlSymsp)>;
    struct Part {
        std::ptrdiff_t offset, size;
    };

    static const char* table_of(const Tile& tile) {
        return reinterpret_cast<const char*>(tile.rootp->vlSymsp);
    }
    void copy_to(char* to, const Tile& tile) const {
        for (auto& part : parts_)
            std::memcpy(to, table_of(tile) + part.offset, part.size), to += part.size;
    }
    void add(std::ptrdiff_t offset, std::ptrdiff_t size) {
        parts_.push_back({offset, size});
        kept_.resize(kept_.size() + size);
    }

    std::vector<Part> parts_;
    std::vector<char> kept_;
};
