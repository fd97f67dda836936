/* Barriers of the file's groups 1, 2, ..., GROUPS, one group after another.
 *
 * All cores are members of the last one. For each group that it is a member of, a core puts the
 * cycle before and the cycle after each of EPISODES barriers. */

#include "syncfabric.h"

#ifndef GROUPS
#define GROUPS 4
#endif
#ifndef EPISODES
#define EPISODES 10
#endif

static uint32_t before[GROUPS][EPISODES], after[GROUPS][EPISODES];

int main(void)
{
    for (unsigned gid = 1; gid <= GROUPS; gid++) {
        sf_group *group = sf_group_of(gid);
        sf_barrier(sf_group_of(GROUPS));
        for (unsigned episode = 0; group && episode < EPISODES; episode++) {
            before[gid - 1][episode] = sf_cycle();
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
