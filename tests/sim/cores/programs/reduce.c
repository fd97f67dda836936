/* Reductions one after another, with messages of the program's on their way meanwhile.
 *
 * Each core sends the next one a message of two words before each reduction, and takes what came
 * two reductions later. It puts every reduction's result, and 1 for every message that is wrong. */
#include "syncfabric.h"

#ifndef EPISODES
#define EPISODES 12
#endif

static uint32_t next(uint32_t s)
{
    s ^= s << 13;
    s ^= s >> 17;
    return s ^ s << 5;
}

int main(void)
{
    sf_group *all = sf_world();
    unsigned core = sf_core(), cores = sf_cores(), wrong = 0;
    uint32_t value = 0x9e3779b9u * (core + 1), words[2];
    for (unsigned episode = 0; episode < EPISODES; episode++) {
        uint32_t start = sf_cycle(), work;
        value = next(value);
        words[0] = core, words[1] = episode;
        work = value % 300u;
        sf_send((core + 1) % cores, episode & 3, words, 2);
        while (sf_cycle() - start < work)
            ;
        if (work & 1)
            sf_probe(SF_ANY, 31);
        sf_put(sf_reduce(all, value));
        if (episode >= 2) {
            unsigned from = sf_recv((core + cores - 1) % cores, (episode - 2) & 3, words, 2);
            wrong += from != words[0] || words[1] != episode - 2;
        }
    }
    return (int)wrong;
}
