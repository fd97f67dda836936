/* Groups of all cores that the one at a manager's node kills: while others wait in a barrier, before
 * they arrive, and after their last barrier; one in four ends as usual. Each has to work.
 *
 * Macro BY_WATCHDOG: that core just stays away from a barrier, until a watchdog ends the group. */

#include "syncfabric.h"

#ifndef BY_WATCHDOG
#define BY_WATCHDOG 0
#endif

static void work(uint32_t cycles)
{
    uint32_t start = sf_cycle();
    while (sf_cycle() - start < cycles)
        ;
}

/* Kill a group, or be in it meanwhile; whether all is as it should be. */
static int end(sf_group *made, unsigned round)
{
    if (made->leads) {
        work(97 * round % 500);
        while (BY_WATCHDOG && !sf_broken(made))
            ;
        if (!BY_WATCHDOG && !sf_group_kill(made))
            return 0;
    } else if (BY_WATCHDOG) {
        sf_barrier(made);
    } else {
        work(61 * (round + sf_core()) % 400 * (round % 5 ? 1 : 40)); /* longer than a set-up */
        if (sf_group_kill(made))
            return 0;
        if (round % 4)
            sf_barrier(made);
        if (round % 4 == 1 && sf_reduce(made, 1) != 0)
            return 0;
        while (round % 4 == 0 && !sf_broken(made))
            ;
    }
    return sf_broken(made);
}

int main(void)
{
    unsigned members[SYNCFABRIC_MOST_CORES], cores = sf_cores();
    for (unsigned core = 0; core < cores; core++)
        members[core] = core;
    for (unsigned round = 0; round < 40; round++) {
        sf_group *made = sf_group_create(members, cores);
        if (!made || !made->port || sf_broken(made))
            return 1;
        if (sf_reduce(made, 1u << sf_core() % 4) != (cores < 4 ? (1u << cores) - 1 : 15))
            return 2;
        if (round % 4 == 3)
            sf_barrier(made);
        else if (!end(made, round))
            return 3;
        sf_group_free(made);
    }
    return 0;
}
