/* A product of matrices, C = A B, of SIZE by SIZE integers, on a square of cores.
 *
 * Core (x, y) of n x n has a block of B: the rows of part x, and the columns of part y. The core of row
 * 0 has the columns of A of part x, and spreads them over its column; partial sums are reduced over
 * rows, to the core of column 0, which checks them. Macros: SIZE, a multiple of n; BY: see methods.h. A
 * core puts the cycle before and after. Groups of the file: rows are 10 + y, columns 30 + x; by
 * barriers 50 + y for sums, and 70 + x. */

#include "methods.h"

#ifndef SIZE
#define SIZE 16
#endif

static int32_t a[SIZE][SIZE], b[SIZE][SIZE], c[SIZE][SIZE]; /* each core uses a part */

static int32_t of_a(unsigned row, unsigned column) { return (int32_t)(3 * row - 5 * column + 1); }
static int32_t of_b(unsigned row, unsigned column) { return (int32_t)(row * column) - 7; }

int main(void)
{
    unsigned side = 1, core = sf_core();
    while (side * side < sf_cores())
        side++;
    unsigned x = core % side, y = core / side, part = SIZE / side;
    group_pair row = {sf_group_of(10 + y), sf_group_of(50 + y)};
    group_pair column = {sf_group_of(30 + x), sf_group_of(70 + x)};
    int32_t *own_a = &a[0][0], *own_b = &b[0][0], *own_c = &c[0][0];
    for (unsigned i = 0; i < SIZE; i++)
        for (unsigned k = 0; k < part; k++)
            own_a[i * part + k] = y ? 0 : of_a(i, x * part + k);
    for (unsigned k = 0; k < part; k++)
        for (unsigned j = 0; j < part; j++)
            own_b[j * part + k] = of_b(x * part + k, y * part + j);
    sf_barrier(sf_world());
    sf_put(sf_cycle());
    spread(column, own_a, SIZE * part);
    for (unsigned i = 0; i < SIZE; i++)
        for (unsigned j = 0; j < part; j++) {
            int32_t sum = 0;
            for (unsigned k = 0; k < part; k++)
                sum += own_a[i * part + k] * own_b[j * part + k];
            own_c[i * part + j] = sum;
        }
    give_first(row, own_c, SIZE * part, SF_SUM);
    sf_put(sf_cycle());
    for (unsigned i = 0; i < SIZE && !x; i++)
        for (unsigned j = 0; j < part; j++) {
            int32_t sum = 0;
            for (unsigned k = 0; k < SIZE; k++)
                sum += of_a(i, k) * of_b(k, y * part + j);
            if (own_c[i * part + j] != sum)
                return 1;
        }
    return 0;
}
