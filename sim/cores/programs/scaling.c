/* Barriers of the file's groups GROUPS, ..., 2, 1, each group's members among those of the next.
 *
 * So a core in no group has done with all barriers, and adds no load. A group's first
 * barrier lets its members begin together. For each group that it is a member of, from group 1 on, a
 * core puts the cycle before and the cycle after each of EPISODES more; with REDUCE 1 they are
 * reductions. */

#include "syncfabric.h"

#ifndef GROUPS
#define GROUPS 4
#endif
#ifndef EPISODES
#define EPISODES 10
#endif
#ifndef REDUCE
#define REDUCE 0
#endif

static uint32_t before[GROUPS][EPISODES], after[GROUPS][EPISODES];

int main(void)
{
    for (unsigned gid = GROUPS; gid; gid--) {
        sf_group *group = sf_group_of(gid);
        if (group)
            sf_barrier(group);
        for (unsigned episode = 0; group && episode < EPISODES; episode++) {
            before[gid - 1][episode] = sf_cycle();
            if (REDUCE)
                sf_reduce(group, 1);
            else
                sf_barrier(group);
            after[gid - 1][episode] = sf_cycle();
        }
    }
    for (unsigned gid = 1; gid <= GROUPS; gid++)
        for (unsigned episode = 0; sf_group_of(gid) && episode < EPISODES; episode++) {
            sf_put(before[gid - 1][episode]);
            sf_put(after[gid - 1][episode]);
        }
    return 0;
}
