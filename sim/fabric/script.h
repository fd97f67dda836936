// Scripts: what the outside does to the network, in which cycle (see sim/assemble/player.py).
#pragma once
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

enum Kind { END, ARRIVE, CONFIG, LOAD, RATE, PACKET, HOLD, SEND, TAKE, STREAM, STALL, GOAL };
struct Stimulus {
    uint32_t cycle, data, index, extra, kind;
    std::vector<uint32_t> above;  // words of the data beyond the first
};

inline std::vector<Stimulus> read_script(const std::string& name) {
    std::vector<Stimulus> script;
    std::ifstream file(name);
    for (std::string word; file >> word;) {
        int start = word.size() - 28;
        auto part = [&](int first, int count) {
            return static_cast<uint32_t>(std::stoul(word.substr(start + first, count), nullptr, 16));
        };
        script.push_back({part(20, 8), part(12, 8), part(4, 8), part(2, 2), part(0, 2), {}});
        for (int end = 0; end > -start; end -= 8) {
            int first = std::max(end - 8, -start);
            script.back().above.push_back(part(first, end - first));
        }
    }
    return script;
}
