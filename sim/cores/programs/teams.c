/* Groups of all cores, made and freed again one after another; all begin together.
 *
 * Macros: TIMES groups. A core puts, for each, the cycles until it is made, and until it is freed. */

#include "syncfabric.h"

#ifndef TIMES
#define TIMES 3
#endif

int main(void)
{
    unsigned members[SYNCFABRIC_MOST_CORES];
    sf_group *all = sf_world();
    for (unsigned core = 0; core < sf_cores(); core++)
        members[core] = core;
    for (unsigned time = 0; time < TIMES; time++) {
        uint32_t start, made, end;
        sf_group *group;
        sf_barrier(all);
        start = sf_cycle();
        group = sf_group_create(members, sf_cores());
        made = sf_cycle() - start;
        if (!group)
            return 1;
        sf_barrier(group);
        start = sf_cycle();
        sf_group_free(group);
        end = sf_cycle() - start;
        sf_put(made);
        sf_put(end);
    }
    return 0;
}
