/* Groups of all cores that the one at a manager's node kills: while others wait in a barrier, before
 * they arrive, and after their last barrier. Each is made anew, and has to work. */

#include "syncfabric.h"

static void work(uint32_t cycles)
{
    uint32_t start = sf_cycle();
    while (sf_cycle() - start < cycles)
        ;
}

int main(void)
{
    unsigned members[SYNCFABRIC_MOST_CORES], cores = sf_cores();
    for (unsigned core = 0; core < cores; core++)
        members[core] = core;
    for (unsigned round = 0; round < 24; round++) {
        sf_group *made = sf_group_create(members, cores);
        if (!made || !made->port || sf_broken(made))
            return 1;
        if (sf_reduce(made, 1u << sf_core() % 4) != (cores < 4 ? (1u << cores) - 1 : 15))
            return 2;
        if (made->leads) {
            work(97 * round % 500);
            if (!sf_group_kill(made))
                return 3;
        } else {
            work(61 * (round + sf_core()) % 400);
            if (sf_group_kill(made))
                return 4;
            if (round % 3)
                sf_barrier(made);
            if (round % 3 == 1 && sf_reduce(made, 1) != 0)
                return 5;
            while (round % 3 == 0 && !sf_broken(made))
                ;
        }
        if (!sf_broken(made))
            return 6;
        sf_group_free(made);
    }
    return 0;
}
