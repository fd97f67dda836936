// A many-core system under its bench: clocked until the bench is done.
#include "Vcore_bench.h"
#include "verilated.h"

int main(int count, char** words) {
    VerilatedContext context;
    context.commandArgs(count, words);
    Vcore_bench bench(&context);
    while (!context.gotFinish()) {
        bench.clk = 0, bench.eval();
        bench.clk = 1, bench.eval();
    }
    bench.final();
}
