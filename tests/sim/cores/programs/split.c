/* Barriers in two halves, with work between them, and messages before and between them.
 *
 * A core puts, for each barrier, the cycle before it arrives and the cycle after its wait. Before it
 * arrives it sends the next core a number, and waits until it is there: so it finds its own one. Macros: EPISODES
 * barriers; WORK cycles at most, at random, before and between; TAKING, wait and take in as well. */

#include "syncfabric.h"

#ifndef EPISODES
#define EPISODES 20
#endif
#ifndef WORK
#define WORK 200
#endif
#define LENT 3 /* words sent between the halves */

static uint32_t before[EPISODES], after[EPISODES], state;

static void work(void)
{
    uint32_t start = sf_cycle();
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    while (sf_cycle() - start < (state >> 8) % (WORK + 1u))
        ;
}

int main(void)
{
    sf_group *all = sf_world();
    unsigned cores = sf_cores(), next = (sf_core() + 1) % cores;
    unsigned last = (sf_core() + cores - 1) % cores;
    uint32_t words[LENT];
    state = 0x9e3779b9u * (sf_core() + 1);
    for (unsigned episode = 0; episode < EPISODES; episode++) {
        work();
        sf_send1(next, 1, episode);
        sf_fence();
        before[episode] = sf_cycle();
        sf_barrier_arrive(all);
        words[0] = words[1] = words[2] = episode;
        sf_send(next, 2, words, LENT);
        work();
#ifdef TAKING
        sf_barrier_wait_taking(all);
#else
        sf_barrier_wait(all);
#endif
        after[episode] = sf_cycle();
        if (!sf_probe(last, 1) || sf_recv1(last, 1) != episode)
            return 1;
        sf_recv(last, 2, words, LENT);
        if (words[LENT - 1] != episode || sf_reduce(all, 1u << sf_core() % 32) == 0)
            return 2;
    }
    for (unsigned episode = 0; episode < EPISODES; episode++) {
        sf_put(before[episode]);
        sf_put(after[episode]);
    }
    return 0;
}
