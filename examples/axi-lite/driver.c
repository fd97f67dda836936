/* A user's software: it sets up the group and does barriers, with the headers of `syncfabric build`. */
#include <stddef.h>
#include <stdint.h>

/* On a chip, leave these four lines out, and let BASE be the address of the network's registers. */
uint32_t (*bus_read)(uint32_t word);
void (*bus_write)(uint32_t word, uint32_t value);
#define SOC_READ(base, word) ((void)(base), bus_read(word))
#define SOC_WRITE(base, word, value) ((void)(base), bus_write((word), (value)))
#define BASE ((volatile uint32_t *)NULL)

#include "soc_axi.h"
#include "soc_setup.h"

static uint32_t rounds[SOC_MEMBERS]; /* in which each member is */

static uint32_t value(uint32_t member, uint32_t round)
{
    return 10 * member + round;
}

/* Set up the group, and a meter of its barriers. Return 0, or what went wrong. */
int set_up(void)
{
    uint32_t mask[SOC_HOST_MASK_WORDS] = {0};
    if (!soc_identify(BASE))
        return -1;
    for (uint32_t m = 0; m < SOC_MEMBERS; m++)
        mask[0] |= 1u << (soc_members[m].node * SOC_HOST_REGISTERS + soc_members[m].reg);
    soc_measure(BASE, 0, mask);
    return soc_set_up(BASE);
}

/* What the processor of a member does. Return 0, or what went wrong. */
int work(uint32_t member, uint32_t last_round)
{
    const soc_member *me = &soc_members[member];
    for (uint32_t round = 1; round <= last_round; round++) {
        uint32_t sum, expected = 0;
        soc_set_data(BASE, me->node, me->reg, value(member, round));
        rounds[member] = round;
        if (soc_arrive(BASE, me->node, 1u << me->reg) != SOC_OK)
            return 1;
        if (soc_wait(BASE, me->node, me->reg, 1000, &sum) != SOC_OK)
            return 2;
        for (uint32_t other = 0; other < SOC_MEMBERS; other++) {
            if (rounds[other] < round) /* it has not arrived yet */
                return 3;
            expected += value(other, round);
        }
        if (sum != (expected & ((1u << SOC_HOST_DATA_BITS) - 1)))
            return 4;
    }
    return 0;
}

uint32_t barriers(void)
{
    return soc_read_meter(BASE, 0).episodes;
}

uint32_t slowest(void)
{
    return soc_read_meter(BASE, 0).greatest;
}
