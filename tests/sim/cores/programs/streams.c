/* Groups of 3x3 cores that managers give a slot with a stream, if there is one, and streams of theirs.
 *
 * Macro MODE: 0: the manager at core 0 has both slots; 1: it has one, and that at core 3 the other; 2:
 * the first one is of a group of the file. A core ends with the number of what is wrong. */

#include "syncfabric.h"

#define ENTRY 2u /* it has an entry, without a stream */
#define NONE 3u  /* it goes over messages */

static uint32_t vector[40];

static unsigned state_of(const sf_group *group)
{
    unsigned channel = (unsigned)(group->port - &SF_WORD(SYNCFABRIC_CORE_ARRIVE_BASE))
        - SYNCFABRIC_STREAM_REGISTER;
    return !group->port ? NONE : channel < SYNCFABRIC_STREAMS ? channel : ENTRY;
}

/* Sum up a vector of a group's members, whose numbers have a sum, and meet in barriers. */
static int works(sf_group *group, uint32_t sum, unsigned round)
{
    for (unsigned i = 0; i < 40; i++)
        vector[i] = (sf_core() + 1) * (i + round);
    if (!sf_allreduce(group, vector, 40, SF_SUM))
        return 0;
    for (unsigned i = 0; i < 40; i++)
        if (vector[i] != sum * (i + round))
            return 0;
    return (sf_reduce(group, group->op == SF_SUM ? 1 : 1u << group->rank) & 15)
        == (group->op == SF_SUM ? group->size : (1u << group->size) - 1) % 16;
}

int main(void)
{
    unsigned all[9], row[3], self = sf_core(), y = self / 3;
    for (unsigned core = 0; core < 9; core++)
        all[core] = core;
    for (unsigned x = 0; x < 3; x++)
        row[x] = 3 * y + x;
    for (unsigned round = 0; round < 5; round++) { /* epochs come round */
        sf_group *sums = sf_group_create_op(all, 9, SF_SUM);
        sf_group *first = sf_group_create(all, 9);
        sf_group *second = sf_group_create_op(row, 3, SF_XOR);
        if (!first || !second || !sums)
            return 1;
        if (state_of(sums) != ENTRY)
            return 2;
        if (state_of(first) != (MODE == 2))
            return 3;
        if (state_of(second) != (y == 0 ? MODE ? ENTRY : 1 : y == 1 && MODE == 1 ? 1 : NONE))
            return 4;
        if (!works(first, 45, round) || !works(second, 9 * y + 6, round) || !works(sums, 45, round))
            return 5;
        sf_barrier(sf_world());
        if (round == 3) { /* a stream that ends with its group, at all that have begun */
            if (self == 0)
                sf_group_kill(first);
            else if (sf_allreduce(first, vector, 40, SF_SUM) || !sf_broken(first))
                return 6;
        }
        sf_group_free(second);
        sf_group_free(first);
        sf_group_free(sums);
    }
    return 0;
}
