/* Prints what a manager and the members of each group write: n, members, gid, op, epoch a line.
 *
 * First each member's tree and control word, in the order given; then the number of entries, and of
 * each its header, request and tree word. */

#include <stdint.h>
#include <stdio.h>

#include "syncfabric_network.h"
#include "syncfabric_registers.h"

#include "sf_setup_switches.h"

int main(void)
{
    unsigned n, gid, op, epoch;
    while (scanf("%u", &n) == 1) {
        static sf_switch_tree tree;
        unsigned members[SYNCFABRIC_MOST_CORES];
        for (unsigned i = 0; i < n; i++)
            if (scanf("%u", &members[i]) != 1)
                return 1;
        if (scanf("%u %u %u", &gid, &op, &epoch) != 3)
            return 1;
        sf_plan_switches(members, n, &tree);
        for (unsigned i = 0; i < n; i++) {
            uint32_t words[2];
            sf_node_image(n, tree.root_node == members[i], gid, op, epoch, words);
            printf("%u %u\n", words[0], words[1]);
        }
        printf("%u\n", tree.count);
        for (unsigned i = 0; i < tree.count; i++) {
            uint32_t words[3];
            sf_switch_entry(&tree, i, gid, op, epoch, words);
            printf("%u %u %u\n", words[0], words[1], words[2]);
        }
    }
    return 0;
}
