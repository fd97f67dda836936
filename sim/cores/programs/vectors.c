/* Vectors of all cores: combined for all, for one, and given by one; in the network, and over messages.
 *
 * Macros: WORDS of each vector. A core puts the cycle before and after each of the three, first of the
 * group of all, which has a stream if the network file gives it one, then of a group that a program
 * makes. It ends with 1 if a result is wrong. */

#include "syncfabric.h"

#ifndef WORDS
#define WORDS 256
#endif

static uint32_t vector[WORDS];

static void fill(void)
{
    for (unsigned i = 0; i < WORDS; i++)
        vector[i] = (sf_core() + 1) * (i + 1);
}

static uint32_t begin(void)
{
    fill();
    sf_barrier(sf_world());
    return sf_cycle();
}

/* Every word is a multiple of its number. */
static int is(uint32_t factor)
{
    for (unsigned i = 0; i < WORDS; i++)
        if (vector[i] != factor * (i + 1))
            return 0;
    return 1;
}

static int try(sf_group *group)
{
    uint32_t cores = sf_cores(), sum = cores * (cores + 1) / 2, times[6];
    unsigned last = cores - 1;
    int right = 1;
    times[0] = begin();
    right &= sf_allreduce(group, vector, WORDS, SF_SUM);
    times[1] = sf_cycle();
    right &= is(sum);
    times[2] = begin();
    right &= sf_reduce_to(group, last, vector, WORDS, SF_SUM);
    times[3] = sf_cycle();
    right &= is(sf_core() == last ? sum : sf_core() + 1);
    times[4] = begin();
    right &= sf_broadcast(group, last, vector, WORDS);
    times[5] = sf_cycle();
    right &= is(cores);
    for (unsigned i = 0; i < 6; i++)
        sf_put(times[i]);
    return right;
}

int main(void)
{
    unsigned all[SYNCFABRIC_MOST_CORES];
    for (unsigned core = 0; core < sf_cores(); core++)
        all[core] = core;
    if (!try(sf_world()))
        return 1;
    return !try(sf_group_create(all, sf_cores()));
}
