/* What every core runs. Core 0 sets up the barrier with what `syncfabric build` emitted. */
#include <stdint.h>

#define WORD(address) (*(volatile uint32_t *)(address))
#define CORE WORD(0x10000000u)
#define READY WORD(0x10000004u)
#define BARRIER WORD(0x10000008u)
#define EXIT WORD(0x1000000cu)
#define CONFIG ((volatile uint32_t *)0x20000000u)
#define FLAGS ((volatile uint32_t *)0x30000000u)

#include "fabric_setup.h"

enum { CORES = 16, BARRIERS = 4 };

static void barrier(void)
{
    BARRIER = 1;
    while (!BARRIER)
        ;
}

static uint32_t program(void)
{
    uint32_t core = CORE, random = core + 1;

    if (core == 0 && fabric_set_up(CONFIG))
        return 1;
    while (!READY)
        ;
    for (uint32_t round = 1; round <= BARRIERS; round++) {
        random ^= random << 13; /* work: a random wait */
        random ^= random >> 17;
        random ^= random << 5;
        for (uint32_t wait = random & 31; wait; wait--)
            __asm__ volatile("nop");

        FLAGS[core] = round;
        barrier();
        for (uint32_t other = 0; other < CORES; other++)
            if (FLAGS[other] < round) /* it has not arrived yet */
                return 2;
    }
    return 0;
}

__attribute__((section(".start"), noreturn)) void _start(void)
{
    EXIT = program();
    for (;;)
        ;
}
