/* A core arrives when another one has, and has sent it a word: by turns from the last to the first,
 * and back. So no member that arrives may wait for those that have not. Macro: EPISODES. */

#include "syncfabric.h"

#ifndef EPISODES
#define EPISODES 20
#endif

int main(void)
{
    sf_group *all = sf_world();
    for (unsigned episode = 0; episode < EPISODES; episode++) {
        unsigned down = episode & 1, core = sf_core(), end = sf_cores() - 1;
        if (core != (down ? end : 0) && sf_recv1(down ? core + 1 : core - 1, 3) != episode)
            return 1;
        sf_barrier_arrive(all);
        if (core != (down ? 0 : end))
            sf_send1(down ? core - 1 : core + 1, 3, episode);
        sf_barrier_wait(all);
    }
    return 0;
}
