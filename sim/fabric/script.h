// Scripts: what the outside does to the network, in which cycle (see sim/assemble/player.py).
#pragma once
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

enum Kind { END, ARRIVE, SPILLED, START, CONFIG, LOAD, RATE, PACKET, HOLD, SEND, TAKE };
struct Stimulus {
    uint32_t cycle, data, index, extra, kind;
};

inline std::vector<Stimulus> read_script(const std::string& name) {
    std::vector<Stimulus> script;
    std::ifstream file(name);
    for (std::string word; file >> word;) {
        auto part = [&](int first, int count) {
            return static_cast<uint32_t>(std::stoul(word.substr(first, count), nullptr, 16));
        };
        script.push_back({part(20, 8), part(12, 8), part(4, 8), part(2, 2), part(0, 2)});
    }
    return script;
}
