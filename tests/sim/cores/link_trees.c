/* Prints what a manager's core has groups set up with: n, members, entry, op a line. Of each group
 * come whether it was planned as a star, the number of its routers, then a request a line; the groups
 * are set up one after another. */

#include <stdint.h>
#include <stdio.h>

#define SF_GIVE(word) printf("%u\n", (unsigned)(word))

#include "sf_links.h"

int main(void)
{
    static sf_tree tree;
    int star;
    unsigned n, entry, op, members[64];
    while (scanf("%u", &n) == 1) {
        for (unsigned i = 0; i < n; i++)
            if (scanf("%u", &members[i]) != 1)
                return 1;
        if (scanf("%u %u", &entry, &op) != 2)
            return 1;
        star = sf_plan_star(members, n, &tree, tree.parts) && !SF_ROUTED;
        star = star && !(tree.mixed >> 2 * entry & 3);
        if (!star)
            sf_plan_tree(members, n, &tree);
        printf("%d %d\n", star, (int)(tree.end - tree.parts));
        if (star)
            sf_give_star(tree.parts, tree.end, entry, sf_epoch(tree.root, entry), op);
        else
            sf_give_requests(&tree, entry, op);
        for (const struct sf_part *part = tree.parts; part < tree.end; part++) {
            uint32_t *epochs = &sf_entries[part->router].epochs, field = 3u << 2 * entry;
            *epochs = (*epochs & ~field) | ((*epochs + (1u << 2 * entry)) & field);
        }
    }
    return 0;
}
