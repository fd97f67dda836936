/* A broadcast of core 0, a reduction to it, or an all-reduce, of all cores, by one of several methods.
 *
 * Macros: WORDS of each vector; KIND: 0 broadcast, 1 reduction, 2 all-reduce; BY: see methods.h, and 3:
 * over messages along a binary tree, packet by packet, 4: along a binomial tree, each of whose edges is
 * the stream of a group, 100 + the child's number; SF_SHORT, of the library: up to how many words it
 * has halves of halves over messages in place of chains and rings. A core puts the cycle before and
 * after; it ends with 1 if its result is wrong. Groups but those of 4 as of sgd.c. */

#include "sf_messages.h"
#include "methods.h"

#ifndef WORDS
#define WORDS 256
#endif
#ifndef KIND
#define KIND 2
#endif
#define MOST SYNCFABRIC_MOST_WORDS

static uint32_t vector[WORDS];
#if BY == 2 || BY == 3
SF_INBOX(WORDS + WORDS / 8 + 256); /* what one has sent before it is asked for */
#endif

/* A core takes what its children have before it gives its own, or hands on to them what it takes. */
static void tree(int up)
{
    unsigned self = sf_core(), above = (self - 1) / 2, cores = sf_cores();
    for (size_t at = 0; at < WORDS; at += MOST) {
        unsigned n = WORDS - at < MOST ? WORDS - at : MOST;
        if (!up && self)
            sf_take_words(above, vector + at, n, SF_REPLACE);
        for (unsigned child = 2 * self + 1; child <= 2 * self + 2 && child < cores; child++)
            if (up)
                sf_take_words(child, vector + at, n, SF_SUM);
            else
                sf_give_words(child, vector + at, n);
        if (up && self)
            sf_give_words(above, vector + at, n);
    }
}

/* Whole vectors, in log2 of the cores steps. */
static void pairs(int up)
{
    unsigned self = sf_core(), cores = sf_cores();
    for (unsigned step = 1; step < cores; step *= 2) {
        unsigned bit = up ? step : cores / 2 / step, child = self | bit, takes = !(self & bit) == up;
        if (self & (bit - 1))
            continue;
        sf_stream_begin(sf_group_of(100 + child), up || !takes ? vector : 0, takes ? vector : 0, WORDS,
                        SF_SUM);
        sf_stream_wait();
    }
}

int main(void)
{
    group_pair all = {sf_group_of(1), sf_group_of(2)};
    uint32_t self = sf_core(), cores = sf_cores();
    for (unsigned i = 0; i < WORDS; i++)
        vector[i] = (self + 1) * (i + 1);
    sf_barrier(sf_world());
    sf_put(sf_cycle());
    if (BY > 2) {
        void (*along)(int up) = BY == 3 ? tree : pairs;
        if (KIND)
            along(1);
        if (KIND != 1)
            along(0);
    } else if (KIND == 0) {
        spread(all, vector, WORDS);
    } else if (KIND == 1) {
        give_first(all, vector, WORDS, SF_SUM);
    } else {
        give_all(all, vector, WORDS, SF_SUM);
    }
    sf_put(sf_cycle());
    if (KIND == 1 && self)
        return 0;
    for (unsigned i = 0; i < WORDS; i++)
        if (vector[i] != (KIND ? cores * (cores + 1) / 2 : 1) * (i + 1))
            return 1;
    return 0;
}
