/* What a core may not do: FAULT says which, and core 1 does it. */

#include "syncfabric.h"

#define WORD(n) (*(volatile unsigned *)(SYNCFABRIC_CORE_REGISTERS + 4u * (n)))

static volatile unsigned words[4];

__attribute__((noinline)) void culprit(void)
{
    switch (FAULT) {
    case 0: *(volatile unsigned *)0x20000000u = 1; break;
    case 1: *(volatile unsigned char *)(SYNCFABRIC_CORE_REGISTERS + 20u) = 1; break;
    case 2: __asm__ volatile("lw t0, 1(%0)" : : "r"(words) : "t0"); break;
    case 3: __asm__ volatile(".word 0xffffffff"); break;
    case 4: __asm__ volatile("ebreak"); break;
    case 5: WORD(32 + 3) = 1; break;
    case 6: WORD(32) = 1, WORD(32) = 1; break;
    case 7: (void)WORD(64); break;
    case 8: WORD(8) = 1; break;
    case 9: ((void (*)(void))0x30000000u)(); break;
    default: for (;;) ;
    }
}

int main(void)
{
    if (sf_core() == 1 && FAULT != 11)
        culprit();
    if (FAULT == 10)
        sf_barrier(sf_world());
    return FAULT == 11 ? 7 : 0;
}
