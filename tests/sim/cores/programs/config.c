/* Each core writes its own place into its node's registers, all at the same addresses. It puts what
 * it reads again when all have written, and whether accesses were refused. */

#include "syncfabric.h"

#define CONFIG(address) SF_WORD(SYNCFABRIC_CORE_CONFIG_BASE + (address))
#define NOWHERE 4000 /* an address that no node has */

int main(void)
{
    sf_group *all = sf_world();
    unsigned spare = SYNCFABRIC_REGISTERS - 1;
    for (unsigned word = SYNCFABRIC_WORD_EAST; word <= SYNCFABRIC_WORD_SOUTH; word++)
        CONFIG(SYNCFABRIC_REGISTER(spare, word)) = 1u << SYNCFABRIC_NODE_WORD_PRESENT_SHIFT
            | sf_core() % 2 << SYNCFABRIC_NODE_WORD_X_SHIFT
            | sf_core() / 2 << SYNCFABRIC_NODE_WORD_Y_SHIFT;
    sf_put(SF_WORD(SYNCFABRIC_CORE_CONFIG_STATUS));
    sf_barrier(all);
    for (unsigned word = SYNCFABRIC_WORD_EAST; word <= SYNCFABRIC_WORD_SOUTH; word++)
        sf_put(CONFIG(SYNCFABRIC_REGISTER(spare, word)));
    CONFIG(NOWHERE) = 1;
    sf_put(SF_WORD(SYNCFABRIC_CORE_CONFIG_STATUS));
    sf_put(CONFIG(NOWHERE));
    sf_put(SF_WORD(SYNCFABRIC_CORE_CONFIG_STATUS));
    (void)CONFIG(SYNCFABRIC_REGISTER(spare, SYNCFABRIC_WORD_CONTROL));
    sf_put(SF_WORD(SYNCFABRIC_CORE_CONFIG_STATUS));
    return 0;
}
