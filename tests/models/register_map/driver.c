/* Uses a host's registers; words go over standard input and output, as on the console. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t ask(void)
{
    uint32_t word = 0;
    char line[64];
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin))
        exit(2);
    if (sscanf(line, "= %" SCNx32, &word) != 1 && line[0] == 'e')
        printf("# refused\n");
    return word;
}

static uint32_t read_word(uint32_t word)
{
    printf("r %" PRIx32 "\n", word);
    return ask();
}

static void write_word(uint32_t word, uint32_t value)
{
    printf("w %" PRIx32 " %" PRIx32 "\n", word, value);
    (void)ask();
}

#define SYNCFABRIC_READ(base, word) ((void)(base), read_word(word))
#define SYNCFABRIC_WRITE(base, word, value) ((void)(base), write_word((word), (value)))
#include "net_axi.h"
#include "net_registers.h"

int main(void)
{
    uint32_t result = 0;
    const uint32_t mask[SYNCFABRIC_HOST_MASK_WORDS] = {0x249u};
    syncfabric_meter seen;

    printf("# identify %d\n", syncfabric_identify(NULL));
    printf("# arrive %d\n", syncfabric_arrive(NULL, 0, 1));
    syncfabric_config_write(NULL, 1, SYNCFABRIC_IMAGE, 0x123);
    printf("# config %" PRIx32 "\n", syncfabric_config_read(NULL, 1, SYNCFABRIC_IMAGE));
    syncfabric_measure(NULL, 1, mask);
    syncfabric_set_data(NULL, 3, 0, 9);
    syncfabric_enable_interrupts(NULL, 3, 1);
    printf("# interrupt %" PRId32 "\n", syncfabric_interrupting_node(NULL));
    for (uint32_t node = 0; node < SYNCFABRIC_HOST_NODES_VALUE; node++)
        printf("# arrive %d\n", syncfabric_arrive(NULL, node, 1));
    printf("# poll %d\n", syncfabric_poll(NULL, 3, 0, &result));
    printf("# short %d\n", syncfabric_wait(NULL, 3, 0, 2, &result));
    printf("# wait %d", syncfabric_wait(NULL, 3, 0, 1000, &result));
    printf(" %" PRIx32 "\n", result);
    printf("# interrupt %" PRId32 "\n", syncfabric_interrupting_node(NULL));
    seen = syncfabric_read_meter(NULL, 1);
    printf("# meter %" PRIu32 " %d\n", seen.episodes, seen.last == seen.least);
    syncfabric_arrive_all(NULL, 1);
    printf("# on bus %" PRIx32 "\n", syncfabric_wait_on_bus(NULL, 3, 0));
    seen = syncfabric_read_meter(NULL, 1);
    printf("# meter %" PRIu32 " %" PRIu32 "\n", seen.episodes, seen.histogram[0]);
    printf("# last %d\n", syncfabric_arrive_last(NULL, 2, 1));
    printf("# broken %d\n", syncfabric_wait(NULL, 2, 0, 1000, &result));
    syncfabric_set_wait_limit(NULL, 20);
    printf("# late %" PRIx32 "\n", syncfabric_wait_on_bus(NULL, 2, 1));
    printf("# cycles %d\n", syncfabric_cycles(NULL) > 100);
    return 0;
}
