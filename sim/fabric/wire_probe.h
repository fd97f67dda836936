// The part of the probe that looks at barrier wires: at links whose word has changed.
#pragma once
#include <string>
#include <vector>

#include "bits.h"

template <class Network> class WireProbe {
  public:
    // Look at all links; return whether a word is not what it was in the cycle before.
    bool look(Network& network) {
        int number = 0;
        for (auto* wires : network.wired) {
            if (wires && *wires != wires_[number]) {
                Word word = wires_[number] = *wires;
                mask(word);
                if (word != words_[number]) words_[number] = word, changed_.push_back(number);
            }
            ++number;
        }
        return !changed_.empty();
    }

    void print(std::string& line) {
        for (int number : changed_)
            line += " w", hex(line, number), line += ':', hex(line, words_[number]);
        changed_.clear();
    }

  private:
    using Word = std::remove_pointer_t<std::remove_extent_t<decltype(Network::wired)>>;
    static constexpr int LINKS = std::extent_v<decltype(Network::wired)>;

    // Data of a slot whose wire is 0 do not count.
    static void mask(Word& word) {
        FOR_DATA(for (int wire = 0; wire < SLOT_WIRES; ++wire) {
            if (bit(word, wire)) continue;
            for (int i = 0; i < DATA_BITS; ++i) clear_bit(word, SLOT_WIRES + wire * DATA_BITS + i);
        })
    }

    std::vector<Word> wires_ = std::vector<Word>(LINKS), words_ = wires_;  // as seen, as printed
    std::vector<int> changed_;
};
