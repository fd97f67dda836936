/* Jacobi's method on a plate: each core has some rows, and gets its neighbours' edges by messages.
 *
 * Macros: ROWS, COLUMNS of the plate's inside, at most STEPS steps. The upper edge has HOT, the
 * others 0. Every CHECK steps the cores ask
 * whether something has changed, and else end. A core puts the steps, and then its rows. */

#include "syncfabric.h"

#ifndef ROWS
#define ROWS 64
#endif
#ifndef COLUMNS
#define COLUMNS 16
#endif
#ifndef STEPS
#define STEPS 12
#endif
#define CHECK 4
#define HOT 1000000u

enum { FROM_ABOVE, FROM_BELOW };

static uint32_t plates[2][ROWS + 2][COLUMNS + 2];

int main(void)
{
    sf_group *all = sf_world();
    unsigned core = sf_core(), cores = sf_cores(), steps = 0, changes = 1;
    unsigned first = core * ROWS / cores, rows = (core + 1) * ROWS / cores - first;
    int above = core > 0, below = core + 1 < cores;
    uint32_t (*old)[COLUMNS + 2] = plates[0], (*new)[COLUMNS + 2] = plates[1];

    if (cores > ROWS)
        return 2;
    if (!above)
        for (unsigned x = 1; x <= COLUMNS; x++)
            old[0][x] = new[0][x] = HOT;
    do {
        uint32_t (*swap)[COLUMNS + 2] = old;
        unsigned changed = 0;
        if (above)
            sf_send(core - 1, FROM_BELOW, old[1] + 1, COLUMNS);
        if (below)
            sf_send(core + 1, FROM_ABOVE, old[rows] + 1, COLUMNS);
        if (above)
            sf_recv(core - 1, FROM_ABOVE, old[0] + 1, COLUMNS);
        if (below)
            sf_recv(core + 1, FROM_BELOW, old[rows + 1] + 1, COLUMNS);
        for (unsigned y = 1; y <= rows; y++)
            for (unsigned x = 1; x <= COLUMNS; x++) {
                uint32_t sum = old[y - 1][x] + old[y + 1][x] + old[y][x - 1] + old[y][x + 1];
                new[y][x] = sum / 4;
                changed |= new[y][x] != old[y][x];
            }
        if (steps % CHECK == CHECK - 1)
            changes = sf_reduce(all, changed);
        else
            sf_barrier(all);
        old = new;
        new = swap;
    } while (++steps < STEPS && changes);

    sf_put(steps);
    for (unsigned y = 1; y <= rows; y++)
        for (unsigned x = 1; x <= COLUMNS; x++)
            sf_put(old[y][x]);
    return 0;
}
