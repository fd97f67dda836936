/* Groups made and freed again and again: overlapping ones, in the same order at all members. */

#include "syncfabric.h"

#define MOST 6

static uint32_t state = SEED;

static uint32_t next(void)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state >> 8;
}

/* Whether a core is in a list. */
static inline int has(const unsigned *members, unsigned n, unsigned core)
{
    unsigned i = 0;
    while (i < n && members[i] != core)
        i++;
    return i < n;
}

int main(void)
{
    static sf_group *made[MOST];
    unsigned cores = sf_cores();
    sf_group *all = sf_world();
    for (unsigned round = 0; round < 4; round++) {
        unsigned count = 1 + next() % MOST;
        uint32_t orders[MOST];
        for (unsigned g = 0; g < count; g++) {
            unsigned members[SYNCFABRIC_MOST_CORES], n = 0;
            sf_op op = next() % 3;
            uint32_t expected = 0;
            for (unsigned core = 0; core < cores; core++)
                if (next() % 3)
                    members[n++] = core;
            for (unsigned i = n; i > 1; i--) { /* any order of ranks */
                unsigned at = next() % i, swap = members[at];
                members[at] = members[i - 1];
                members[i - 1] = swap;
            }
            made[g] = n ? sf_group_create_op(members, n, op) : 0;
            orders[g] = 0;
            for (unsigned i = 0; i < n; i++) {
                uint32_t value = members[i] & 15;
                expected = !i ? value : op == SF_OR ? expected | value
                    : op == SF_AND ? expected & value : expected ^ value;
                if (members[i] == sf_core())
                    orders[g] = i + 1;
            }
            if (!made[g] != !orders[g] || (made[g] && made[g]->rank + 1u != orders[g]))
                return 1;
            if (made[g] && (made[g]->port != 0) != (IN_HARDWARE(members, n)))
                return 2;
            if (made[g] && (sf_reduce(made[g], sf_core() & 15) & 15) != expected)
                return 3;
        }
        /* Split, and each within the other. */
        for (unsigned g = 0; g < count; g++)
            if (made[g])
                sf_barrier_arrive(made[g]);
        for (unsigned g = count; g--;)
            if (made[g])
                sf_barrier_wait(made[g]);
        sf_barrier(all);
        for (unsigned g = 0; g < count; g++)
            if (made[g])
                sf_group_free(made[g]);
    }
    return 0;
}
