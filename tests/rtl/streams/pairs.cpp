// An operator of 32 bits, given a new pair in each cycle.
//
// Arguments: a file of pairs, one for results, and the operator's latency. A pair is three words of
// 32 bits: both operands, and what says how they are combined, `both` in bit 0, `function` above it,
// and `type` above that. A result is a word.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "Voperator.h"
#include "verilated.h"

int main(int, char** argv) {
    struct Pair {
        uint32_t a, b, how;
    };
    std::FILE* file = std::fopen(argv[1], "rb");
    std::vector<Pair> pairs;
    for (Pair pair; std::fread(&pair, sizeof pair, 1, file) == 1;) pairs.push_back(pair);
    std::fclose(file);

    file = std::fopen(argv[2], "wb");
    const size_t latency = std::strtoul(argv[3], nullptr, 10);
    VerilatedContext context;
    Voperator part{&context};
    for (size_t cycle = 0; cycle < pairs.size() + latency; cycle++) {
        if (cycle < pairs.size()) {
            const Pair& pair = pairs[cycle];
            part.a = pair.a, part.b = pair.b;
            part.both = pair.how & 1, part.function_ = pair.how >> 1 & 7, part.type_ = pair.how >> 4;
        }
        part.eval();
        const uint32_t y = part.y;
        if (cycle >= latency) std::fwrite(&y, sizeof y, 1, file);
        part.clk = 1, part.eval();
        part.clk = 0, part.eval();
    }
    return std::fclose(file);
}
