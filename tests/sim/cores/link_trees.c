/* Prints what a manager's core has groups set up with: n, members, entry, op a line. Of each group
 * come the number of its routers, then a request a line; the groups are set up one after another. */

#include <stdint.h>
#include <stdio.h>

#define SF_GIVE(word) printf("%u\n", (unsigned)(word))

#include "sf_links.h"

int main(void)
{
    static sf_tree tree;
    unsigned n, entry, op, members[64];
    while (scanf("%u", &n) == 1) {
        for (unsigned i = 0; i < n; i++)
            if (scanf("%u", &members[i]) != 1)
                return 1;
        if (scanf("%u %u", &entry, &op) != 2)
            return 1;
        sf_plan_tree(members, n, &tree);
        printf("%u\n", tree.count);
        sf_give_requests(&tree, entry, op);
        for (unsigned i = 0; i < tree.count; i++) {
            uint32_t *epochs = &sf_epochs[tree.routers[i]], field = 3u << 2 * entry;
            *epochs = (*epochs & ~field) | ((*epochs + (1u << 2 * entry)) & field);
        }
    }
    return 0;
}
