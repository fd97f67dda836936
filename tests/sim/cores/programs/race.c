/* All others send core 1 more than its interface keeps, and arrive; core 1 arrives at once, and takes
 * packets until it is released.
 *
 * FENCED 1: a core that arrives waits until its packets are with core 1, so it must have taken all but
 * those that its interface keeps. FENCED 0: barriers overtake packets. Without FENCED it is as the
 * network file has it. Core 1 puts what it took. */

#include "syncfabric.h"

#define WORD(n) (*(volatile unsigned *)(SYNCFABRIC_CORE_REGISTERS + 4u * (n)))

static unsigned take(void)
{
    unsigned head = WORD(10);
    for (unsigned i = head >> 10 & 31u; i; i--)
        (void)WORD(11);
    return 1;
}

int main(void)
{
    unsigned taken = 0, all = PACKETS * (sf_cores() - 1);
    sf_barrier(sf_world());
#ifdef FENCED
    WORD(13) = FENCED;
#endif
    if (sf_core() != 1) {
        for (unsigned packet = 0; packet < PACKETS; packet++) {
            WORD(8) = 1u | 16u << 10;
            for (unsigned i = 0; i < 16; i++)
                WORD(9) = i;
        }
        WORD(32) = 1;
        (void)WORD(64);
        return 0;
    }
    WORD(32) = 1;
    while (!(WORD(96) & 1u))
        if (WORD(12) & 1u)
            taken += take();
    (void)WORD(64);
    sf_put(taken);
    while (taken < all)
        taken += take();
    return 0;
}
