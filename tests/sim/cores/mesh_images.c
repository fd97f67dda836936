/* Prints the register that each member of each group works out: n, members, gid, op a line. */

#include <stdint.h>
#include <stdio.h>

#include "syncfabric_network.h"
#include "syncfabric_registers.h"

#include "sf_setup_mesh.h"

int main(void)
{
    unsigned n, gid, op;
    while (scanf("%u", &n) == 1) {
        uint8_t members[SYNCFABRIC_MOST_CORES], spare[SYNCFABRIC_MOST_CORES];
        for (unsigned i = 0; i < n; i++) {
            unsigned member;
            if (scanf("%u", &member) != 1)
                return 1;
            members[i] = (uint8_t)member;
        }
        if (scanf("%u %u", &gid, &op) != 2)
            return 1;
        for (unsigned i = 0; i < n; i++) {
            sf_mesh_register made = sf_setup_mesh(members, n, members[i], gid, op, spare);
            for (int word = 0; word < 6; word++)
                printf("%u%c", made.words[word], word < 5 ? ' ' : '\n');
        }
    }
    return 0;
}
