/* Sets a network of engines up, and runs a barrier of its first group: "r address" and
 * "w address value" go out, answers come in; what it says begins with "#". */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t asked(void)
{
    uint32_t value = 0;
    fflush(stdout);
    if (scanf("%" SCNx32, &value) != 1)
        exit(1);
    return value;
}

static uint32_t host_read(uint32_t word)
{
    printf("r %" PRIx32 "\n", word);
    return asked();
}

static void host_write(uint32_t word, uint32_t value)
{
    printf("w %" PRIx32 " %" PRIx32 "\n", word, value);
    (void)asked();
}

#define NET_READ(base, word) ((void)(base), host_read(word))
#define NET_WRITE(base, word, value) ((void)(base), host_write(word, value))
#include "setup.h"
#include "registers.h"

int main(void)
{
    volatile uint32_t *base = NULL;
    const uint32_t group = net_members[0].group;
    printf("# identify %d\n", net_identify(base));
    printf("# set up %d\n", net_set_up(base));
    for (uint32_t i = 0; i < NET_MEMBERS && net_members[i].group == group; i++) {
        const net_member *member = &net_members[i];
        net_set_data(base, member->node, member->reg, i + 1);
        printf("# arrive %d\n", net_arrive(base, member->node, 1u << member->reg));
    }
    for (uint32_t i = 0; i < NET_MEMBERS && net_members[i].group == group; i++) {
        const net_member *member = &net_members[i];
        uint32_t result = 0;
        int outcome = net_wait(base, member->node, member->reg, 100u, &result);
        printf("# wait %d %" PRIu32 "\n", outcome, result);
    }
    for (uint32_t router = 0; router < NET_ROUTERS; router++) {
        net_config_write(base, NET_ROUTER(router), NET_COMMIT, NET_CODE_READ);
        printf("# alive %" PRIu32 "\n", net_config_answer(base) & NET_STATUS_WORD_ALIVE_MASK);
    }
    return 0;
}
