/* Breadth-first search, level by level: vertex v is core (v mod cores)'s, with its edges.
 *
 * Macros: VERTICES, DEGREE edges out of each, by xorshift32 of the vertex. A core notifies the owners
 * of the vertices that it reaches. After the barrier of a level all messages have come: a
 * barrier holds what was sent before it. A core puts the level of each of its vertices, from 0 at
 * vertex 0; ~0 where there is no path. */

#include "syncfabric.h"

#ifndef VERTICES
#define VERTICES 512
#endif
#ifndef DEGREE
#define DEGREE 3
#endif
#define FAR 0xffffffffu

enum { REACHED };

SF_INBOX(1024);

static uint32_t level_of[VERTICES];
static uint32_t found[SYNCFABRIC_MOST_CORES][SYNCFABRIC_MOST_WORDS];
static uint8_t found_by[SYNCFABRIC_MOST_CORES];

static void flush(unsigned core)
{
    if (found_by[core])
        sf_send(core, REACHED, found[core], found_by[core]);
    found_by[core] = 0;
}

static void reach(uint32_t vertex, unsigned level)
{
    unsigned cores = sf_cores(), owner = vertex % cores;
    if (owner == sf_core()) {
        if (level_of[vertex] == FAR)
            level_of[vertex] = level + 1;
        return;
    }
    found[owner][found_by[owner]++] = vertex;
    if (found_by[owner] == SYNCFABRIC_MOST_WORDS)
        flush(owner);
}

int main(void)
{
    sf_group *all = sf_world();
    unsigned core = sf_core(), cores = sf_cores(), level = 0, busy;

    for (uint32_t v = 0; v < VERTICES; v++)
        level_of[v] = FAR;
    if (!core)
        level_of[0] = 0;
    do {
        busy = 0;
        for (uint32_t v = core; v < VERTICES; v += cores)
            if (level_of[v] == level) {
                uint32_t state = 0x9e3779b9u * (v + 1);
                for (unsigned edge = 0; edge < DEGREE; edge++) {
                    state ^= state << 13;
                    state ^= state >> 17;
                    state ^= state << 5;
                    reach((state >> 8) % VERTICES, level);
                }
                busy = 1;
            }
        for (unsigned other = 0; other < cores; other++)
            flush(other);
        sf_fence(); /* what was sent is to be there when the barrier is over */
        sf_barrier_arrive(all);
        sf_barrier_wait_taking(all);
        while (sf_probe(SF_ANY, REACHED)) {
            uint32_t vertices[SYNCFABRIC_MOST_WORDS];
            unsigned count;
            sf_recv_packet(SF_ANY, REACHED, vertices, &count);
            for (unsigned i = 0; i < count; i++)
                if (level_of[vertices[i]] == FAR)
                    level_of[vertices[i]] = level + 1;
        }
        level++;
    } while (sf_reduce(all, busy));
    for (uint32_t v = core; v < VERTICES; v += cores)
        sf_put(level_of[v]);
    return 0;
}
