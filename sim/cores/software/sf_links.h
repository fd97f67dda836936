/* What the core at a manager's node works out: the tree of a group over links, and its images.
 *
 * The root is a router from which the farthest member is as near as from any; ties go to the one
 * looked at first. Every way from the root is a shortest one. A group has the same entry at all
 * routers of its tree. Source: docs/microarchitecture-networks.md, N5 and N6. */
#ifndef SF_LINKS_H
#define SF_LINKS_H

#include "syncfabric_network.h"

#define SF_UNSEEN 0xff
#define SF_ALL (SYNCFABRIC_ROUTERS + 1u)

typedef struct {
    uint8_t to, port, far_port;
} sf_link;

/* By router, those of router r at sf_link_rows[r] to [r + 1]. */
static const uint16_t sf_link_rows[] = SYNCFABRIC_LINK_ROWS;
static const sf_link sf_links[] = SYNCFABRIC_LINKS;
static const struct {
    uint16_t at, ports; /* a bit of them */
} sf_places[] = SYNCFABRIC_NODE_PLACES;
static const uint16_t sf_sink_headers[] = SYNCFABRIC_SINK_HEADERS;

/* Epochs of this manager's entries, two bits each, and which groups have: of the file, and of those
 * that programs make, a bit each. By router. */
static uint32_t sf_epochs[SYNCFABRIC_ROUTERS];
static struct {
    uint16_t of_file, made;
} sf_taken[SYNCFABRIC_ROUTERS];

/* A tree. Ports have a bit each. */
typedef struct {
    unsigned count;
    uint32_t taken, mixed;                 /* entries that a router has; epochs' bits that differ */
    uint8_t routers[SYNCFABRIC_ROUTERS];   /* the root last */
    uint16_t children[SYNCFABRIC_ROUTERS]; /* by router, 0: not in the tree */
    uint16_t parent[SYNCFABRIC_ROUTERS];
    uint32_t differs[SYNCFABRIC_ROUTERS];  /* where names have other epochs, two bits a port */
} sf_tree;

static uint8_t sf_level[SYNCFABRIC_ROUTERS], sf_at_least[SYNCFABRIC_ROUTERS];
static uint8_t sf_order[SYNCFABRIC_ROUTERS], sf_above[SYNCFABRIC_ROUTERS];
static const sf_link *sf_way[SYNCFABRIC_ROUTERS]; /* the link from there */

/* Go from a router over all links, level by level, until so many members' routers are seen. How
 * many routers there are then; the last one has a member. */
static unsigned sf_spread(const sf_tree *tree, unsigned root, unsigned left)
{
    unsigned count = 1;
    for (unsigned r = 0; r < SYNCFABRIC_ROUTERS; r++)
        sf_level[r] = SF_UNSEEN;
    sf_level[root] = 0;
    sf_order[0] = (uint8_t)root;
    left -= tree->children[root] != 0;
    for (unsigned i = 0; left && i < count; i++) {
        unsigned here = sf_order[i], next = sf_level[here] + 1u;
        const sf_link *end = sf_links + sf_link_rows[here + 1];
        for (const sf_link *link = sf_links + sf_link_rows[here]; link < end; link++) {
            unsigned to = link->to;
            if (sf_level[to] != SF_UNSEEN)
                continue;
            sf_level[to] = (uint8_t)next;
            sf_above[to] = (uint8_t)here;
            sf_way[to] = link;
            sf_order[count++] = (uint8_t)to;
            if (tree->children[to] && !--left)
                break;
        }
    }
    return count;
}

/* Go from the best root: one whose farthest member is no farther than it must be from anywhere, as
 * the levels from members that were farthest from other roots tell. */
static unsigned sf_from_root(const sf_tree *tree, unsigned root, unsigned members)
{
    unsigned count = sf_spread(tree, root, members);
    if (sf_level[sf_order[count - 1]] <= 1)
        return count;
    for (unsigned r = 0; r < SYNCFABRIC_ROUTERS; r++)
        sf_at_least[r] = 0;
    while (sf_level[sf_order[count - 1]] > sf_at_least[root]) {
        sf_spread(tree, sf_order[count - 1], SF_ALL);
        root = 0;
        for (unsigned r = 0; r < SYNCFABRIC_ROUTERS; r++) {
            if (sf_level[r] > sf_at_least[r])
                sf_at_least[r] = sf_level[r];
            if (sf_at_least[r] < sf_at_least[root])
                root = r;
        }
        count = sf_spread(tree, root, members);
    }
    return count;
}

/* Plan the tree of n members, which are nodes by their numbers. */
static void sf_plan_tree(const unsigned *members, unsigned n, sf_tree *tree)
{
    unsigned at, member_routers = 0, count = 0;
    for (unsigned r = 0; r < SYNCFABRIC_ROUTERS; r++)
        tree->children[r] = 0;
    for (unsigned i = 0; i < n; i++) {
        uint16_t *children = &tree->children[sf_places[members[i]].at];
        member_routers += !*children;
        *children |= sf_places[members[i]].ports;
    }
    at = sf_from_root(tree, sf_places[members[0]].at, member_routers);
    tree->taken = tree->mixed = 0;
    while (at--) {
        unsigned here = sf_order[at];
        if (!tree->children[here])
            continue;
        tree->parent[here] = 0;
        if (at) {
            tree->children[sf_above[here]] |= (uint16_t)(1u << sf_way[here]->port);
            tree->parent[here] = (uint16_t)(1u << sf_way[here]->far_port);
        }
        tree->taken |= sf_taken[here].of_file | sf_taken[here].made;
        tree->mixed |= sf_epochs[here] ^ sf_epochs[sf_order[0]];
        tree->routers[count++] = (uint8_t)here;
    }
    tree->count = count;
}

static inline unsigned sf_epoch(unsigned router, unsigned entry)
{
    return sf_epochs[router] >> 2 * entry & 3;
}

/* Write down where names have another epoch than the root's: those of a member's port is the own
 * router's, those of a link that of the router at the other end. */
static void sf_compare_epochs(sf_tree *tree, unsigned entry)
{
    unsigned root = sf_epoch(tree->routers[tree->count - 1], entry) + 1;
    for (unsigned i = tree->count; i--;) {
        unsigned here = tree->routers[i], own = (root ^ (sf_epoch(here, entry) + 1)) & 3;
        tree->differs[here] = own * 0x55555555u;
        if (tree->parent[here]) {
            unsigned above = sf_above[here], up = 2u * sf_way[here]->far_port;
            unsigned down = 2u * sf_way[here]->port;
            unsigned there = (root ^ (sf_epoch(above, entry) + 1)) & 3;
            tree->differs[here] = (tree->differs[here] & ~(3u << up)) | there << up;
            tree->differs[above] = (tree->differs[above] & ~(3u << down)) | own << down;
        }
    }
}

/* Change a field of at most 32 bits in an image. */
static inline void sf_change(uint32_t *image, unsigned at, uint32_t value)
{
    unsigned low = at % 32;
    image[at / 32] ^= value << low;
    if (low && value >> (32 - low))
        image[at / 32 + 1] ^= value >> (32 - low);
}

/* What the name at a port has besides its entry: where the other end is, and the class of messages
 * to there, if they are routed. */
static inline uint32_t sf_routed_name(unsigned router, unsigned port, int down)
{
#ifdef SYNCFABRIC_NAME_AT_X
    static const int8_t east[] = {1, 0, -1, 0}, north[] = {0, 1, 0, -1};
    uint32_t x = (uint32_t)((int)(router % SYNCFABRIC_WIDTH) + east[port]);
    uint32_t y = (uint32_t)((int)(router / SYNCFABRIC_WIDTH) + north[port]);
    return x << SYNCFABRIC_NAME_AT_X | y << SYNCFABRIC_NAME_AT_Y
        | (uint32_t)((port & 1) == (unsigned)down) << SYNCFABRIC_NAME_AT_ROUTE_CLASS;
#else
    return (void)router, (void)port, (void)down, 0;
#endif
}

#ifdef SYNCFABRIC_NAME_AT_X
#define SF_ROUTED 1
#else
#define SF_ROUTED 0
#endif

/* Where the name at a port is in an image; of routed messages the parent's is the last. */
static inline unsigned sf_name_at(unsigned port, uint32_t parent)
{
    unsigned place = SF_ROUTED && parent == 1u << port ? SYNCFABRIC_LINK_PORTS : port;
    return SYNCFABRIC_AT_NAMES + place * SYNCFABRIC_NAME_BITS;
}

/* Give the requests for a tree, word by word: for each router, the root last, header, REQUEST with
 * the epoch before SETUP, and the image. All ports, used or not, have the same name in it but for
 * what is changed then: SYNCFABRIC_NAMES has a 1 where one begins. */
static inline void sf_give_requests(sf_tree *tree, unsigned entry, unsigned op)
{
    static const uint32_t names[] = SYNCFABRIC_NAMES;
    uint32_t root = sf_epoch(tree->routers[tree->count - 1], entry), over = 0;
    uint32_t name = entry | ((root + 1) & 3) << SYNCFABRIC_NAME_AT_EPOCH;
    uint32_t same[SYNCFABRIC_IMAGE_WORDS], mixed = tree->mixed >> 2 * entry & 3;
    for (unsigned i = 0; i < SYNCFABRIC_IMAGE_WORDS; i++) {
        uint64_t product = (uint64_t)names[i] * name;
        same[i] = (uint32_t)product | over;
        over = (uint32_t)(product >> 32);
    }
    if (SF_OPERATIONS)
        sf_change(same, SYNCFABRIC_AT_OP, op);
    if (mixed)
        sf_compare_epochs(tree, entry);
    for (unsigned i = 0; i < tree->count; i++) {
        unsigned r = tree->routers[i];
        uint32_t changed[SYNCFABRIC_IMAGE_WORDS], *image = same;
        uint32_t children = tree->children[r], parent = tree->parent[r];
        SF_GIVE(sf_sink_headers[r]);
        SF_GIVE(entry << SYNCFABRIC_REQUEST_ENTRY_SHIFT
                | sf_epoch(r, entry) << SYNCFABRIC_REQUEST_EPOCH_SHIFT);
        if (mixed || SF_ROUTED) {
            image = changed;
            for (unsigned k = 0; k < SYNCFABRIC_IMAGE_WORDS; k++)
                image[k] = same[k];
            for (unsigned port = 0; port < SYNCFABRIC_LINK_PORTS; port++)
                if ((children | parent) >> port & 1)
                    sf_change(image, sf_name_at(port, parent),
                              (mixed ? tree->differs[r] >> 2 * port & 3 : 0)
                                      << SYNCFABRIC_NAME_AT_EPOCH
                                  | sf_routed_name(r, port, children >> port & 1));
        }
        SF_GIVE(image[0] | children | parent << SYNCFABRIC_AT_PARENT);
        for (unsigned k = 1; k < SYNCFABRIC_IMAGE_WORDS; k++)
            SF_GIVE(image[k]);
    }
}

#endif /* SF_LINKS_H */
