/* Core 0 writes to all others before a barrier; they look after it, without waiting for packets.
 *
 * FENCED 0: arrives do not wait for acknowledgements, and what was sent may not be there yet. A core
 * puts how often nothing was there. */

#include "syncfabric.h"

#define WORD(n) (*(volatile unsigned *)(SYNCFABRIC_CORE_REGISTERS + 4u * (n)))

int main(void)
{
    sf_group *all = sf_world();
    unsigned missing = 0;
    sf_barrier(all);
    WORD(13) = FENCED;
    for (unsigned round = 0; round < 8; round++) {
        if (sf_core() == 0)
            for (unsigned to = 1; to < sf_cores(); to++) {
                WORD(8) = to | 16u << 10;
                for (unsigned i = 0; i < 16; i++)
                    WORD(9) = i;
            }
        sf_barrier(all);
        if (sf_core()) {
            missing += !(WORD(12) & 1u);
            unsigned head = WORD(10);
            for (unsigned i = head >> 10 & 31u; i; i--)
                (void)WORD(11);
        }
        (void)WORD(14);
        sf_barrier(all);
    }
    sf_put(missing);
    return 0;
}
