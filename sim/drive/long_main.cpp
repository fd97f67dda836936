// Main program of long runs: it toggles the clock, and nothing else happens outside the design.
// Arguments: cycles, then the design's own (+script=, +report=).
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "Vtop.h"
#include "verilated.h"

double sc_time_stamp() { return 0; }

int main(int argc, char** argv) {
    const long cycles = argc > 1 ? std::atol(argv[1]) : 0;
    const auto context = std::make_unique<VerilatedContext>();
    context->commandArgs(argc, argv);
    const auto top = std::make_unique<Vtop>(context.get());
    const auto step = [&] {
        top->clk = 0;
        top->eval();
        top->clk = 1;
        top->eval();
    };
    top->load = top->report = 0;
    top->rst = 1;
    for (int i = 0; i < 4; ++i) step();
    top->rst = 0;
    top->load = 1;  // in cycle 0: the script begins with cycle 1
    step();
    top->load = 0;
    const auto begin = std::chrono::steady_clock::now();
    const long part = cycles / 100 ? cycles / 100 : 1;
    for (long cycle = 1; cycle < cycles; ++cycle) {
        step();
        if (cycle % part == 0) {
            std::printf("syncfabric-progress %ld %ld\n", cycle, cycles);
            std::fflush(stdout);
        }
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    top->report = 1;
    step();
    top->final();
    std::printf("{\"cycles\": %ld, \"seconds\": %.6f}\n", cycles, taken.count());
    return 0;
}
