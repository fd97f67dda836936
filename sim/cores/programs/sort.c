/* Bitonic sort: each core has KEYS keys, and exchanges them with one partner a step.
 *
 * The number of cores is a power of two. Keys come from xorshift32 of the core's number. A core
 * puts its keys at the end: those of core 0 are the smallest. */

#include "syncfabric.h"

#ifndef KEYS
#define KEYS 32
#endif

enum { EXCHANGE };

static uint32_t keys[KEYS], others[KEYS], merged[KEYS];

static void sort_own(void)
{
    for (unsigned i = 1; i < KEYS; i++) {
        uint32_t key = keys[i];
        unsigned at = i;
        for (; at && keys[at - 1] > key; at--)
            keys[at] = keys[at - 1];
        keys[at] = key;
    }
}

/* Keep the smaller half of both cores' keys, or the larger. */
static void keep(int smaller)
{
    if (smaller) {
        for (unsigned i = 0, a = 0, b = 0; i < KEYS; i++)
            merged[i] = keys[a] <= others[b] ? keys[a++] : others[b++];
    } else {
        for (unsigned i = KEYS, a = KEYS, b = KEYS; i--;)
            merged[i] = keys[a - 1] > others[b - 1] ? keys[--a] : others[--b];
    }
    for (unsigned i = 0; i < KEYS; i++)
        keys[i] = merged[i];
}

int main(void)
{
    sf_group *all = sf_world();
    unsigned core = sf_core(), cores = sf_cores();
    uint32_t state = 0x9e3779b9u * (core + 1);

    if (cores & (cores - 1)) {
        sf_puts("sort takes a power of two of cores\n");
        return 2;
    }
    for (unsigned i = 0; i < KEYS; i++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        keys[i] = state;
    }
    sort_own();
    for (unsigned run = 2; run <= cores; run *= 2)
        for (unsigned far = run / 2; far; far /= 2) {
            unsigned partner = core ^ far;
            int rising = !(core & run);
            sf_send(partner, EXCHANGE, keys, KEYS);
            sf_recv(partner, EXCHANGE, others, KEYS);
            keep(rising == (core < partner));
            sf_barrier(all);
        }
    for (unsigned i = 0; i < KEYS; i++)
        sf_put(keys[i]);
    return 0;
}
