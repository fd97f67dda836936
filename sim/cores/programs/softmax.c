/* Softmax of ROWS rows, each of COLUMNS values a core: their greatest, the sum of powers of 2 above it,
 * and each one's share, with 16 bits below the point.
 *
 * A core checks its shares against whole rows, and puts the cycle before and after. Groups of the file,
 * of all: 1, and by barriers 2 for sums, 3 for maxima. Macro BY: see methods.h. */

#include "methods.h"

#ifndef ROWS
#define ROWS 32
#endif
#ifndef COLUMNS
#define COLUMNS 4
#endif

static uint32_t greatest[ROWS], sums[ROWS], shares[ROWS][COLUMNS];

static uint32_t value(unsigned core, unsigned row, unsigned column)
{
    return (core * 37 + row * 11 + column * 23) % 61;
}

/* 2 to the power of value - most, a quarter a step. */
static uint32_t power(uint32_t value, uint32_t most)
{
    static const uint32_t quarters[] = {65536, 55109, 46341, 38968};
    uint32_t below = most - value;
    return quarters[below & 3] >> (below >> 2);
}

static uint32_t share(uint32_t own, uint32_t sum) { return (own << 15) / (sum >> 1); }

int main(void)
{
    group_pair sum = {sf_group_of(1), sf_group_of(2)}, most = {sf_group_of(1), sf_group_of(3)};
    unsigned core = sf_core();
    sf_barrier(sf_world());
    sf_put(sf_cycle());
    for (unsigned r = 0; r < ROWS; r++)
        for (unsigned c = 0; c < COLUMNS; c++)
            greatest[r] = value(core, r, c) > greatest[r] ? value(core, r, c) : greatest[r];
    give_all(most, greatest, ROWS, SF_MAX);
    for (unsigned r = 0; r < ROWS; r++)
        for (unsigned c = 0; c < COLUMNS; c++)
            sums[r] += shares[r][c] = power(value(core, r, c), greatest[r]);
    give_all(sum, sums, ROWS, SF_SUM);
    for (unsigned r = 0; r < ROWS; r++)
        for (unsigned c = 0; c < COLUMNS; c++)
            shares[r][c] = share(shares[r][c], sums[r]);
    sf_put(sf_cycle());
    for (unsigned r = 0; r < ROWS; r++) {
        uint32_t top = 0, total = 0;
        for (unsigned i = 0; i < sf_cores() * COLUMNS; i++) {
            uint32_t one = value(i / COLUMNS, r, i % COLUMNS);
            top = one > top ? one : top;
        }
        for (unsigned i = 0; i < sf_cores() * COLUMNS; i++)
            total += power(value(i / COLUMNS, r, i % COLUMNS), top);
        for (unsigned c = 0; c < COLUMNS; c++)
            if (shares[r][c] != share(power(value(core, r, c), top), total))
                return 1;
    }
    return 0;
}
