/* Barriers of all cores, one after another; each core reports when it arrived and when it went on.
 *
 * Macros: EPISODES barriers; before each one a core works SKEW cycles at most, at random. A core
 * puts, for each barrier, the cycle before it and the cycle after it. */

#include "syncfabric.h"

#ifndef EPISODES
#define EPISODES 20
#endif
#ifndef SKEW
#define SKEW 0
#endif

static uint32_t before[EPISODES], after[EPISODES];

static uint32_t next(uint32_t s)
{
    s ^= s << 13;
    s ^= s >> 17;
    return s ^ s << 5;
}

int main(void)
{
    sf_group *all = sf_world();
    uint32_t state = 0x9e3779b9u * (sf_core() + 1);
    sf_barrier(all);
    for (unsigned episode = 0; episode < EPISODES; episode++) {
        if (SKEW) {
            uint32_t start = sf_cycle(), work;
            state = next(state);
            work = (state >> 8) % (SKEW + 1u);
            while (sf_cycle() - start < work)
                ;
        }
        before[episode] = sf_cycle();
        sf_barrier(all);
        after[episode] = sf_cycle();
    }
    for (unsigned episode = 0; episode < EPISODES; episode++) {
        sf_put(before[episode]);
        sf_put(after[episode]);
    }
    return 0;
}
