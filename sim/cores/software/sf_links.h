/* What the core at a manager's node works out: the tree of a group over links, and its images.
 *
 * The root is a router from which the farthest member is as near as from any; ties go to the one
 * looked at first. Every path from the root is a shortest one. A group has the same entry, or slot with
 * a stream, at all routers of its tree; both go by the register that a node's port has for them.
 * Source: docs/microarchitecture-networks.md, N5 and N6. */
#ifndef SF_LINKS_H
#define SF_LINKS_H

#include "syncfabric_network.h"

#define SF_UNSEEN 0xff
#define SF_ALL 0x80000000u /* more than any sum of ports */

typedef struct {
    uint8_t to, port, far_port;
} __attribute__((aligned(4))) sf_link;

/* By router, those of router r at sf_link_rows[r] to [r + 1]. */
static const uint16_t sf_link_rows[] = SYNCFABRIC_LINK_ROWS;
static const sf_link sf_links[] = SYNCFABRIC_LINKS;
static const struct {
    uint16_t at, ports; /* a bit of them */
} sf_places[] = SYNCFABRIC_NODE_PLACES;
static const uint16_t sf_sink_headers[] = SYNCFABRIC_SINK_HEADERS;

/* By router: epochs of this manager's entries, two bits each, and entries that are taken, a bit each:
 * by groups of the file in the low half, by those that programs make in the high half. */
static struct {
    uint32_t epochs, taken;
} sf_entries[SYNCFABRIC_ROUTERS];
#define SF_MADE 16

/* A tree. Ports have a bit each. */
struct sf_part {
    uint16_t router, children, parent, unused;
};
typedef struct {
    unsigned root;
    uint32_t epochs, taken, mixed; /* the root's; entries that a router has; epochs' bits that differ */
    struct sf_part *end, parts[SYNCFABRIC_ROUTERS]; /* the root last */
} sf_tree;

/* By router: ports of children, 0 but while a tree with the router is planned; where names have other
 * epochs than the root's, two bits a port. */
static uint16_t sf_children[SYNCFABRIC_ROUTERS];
static uint32_t sf_differs[SYNCFABRIC_ROUTERS];

static uint8_t sf_level[SYNCFABRIC_ROUTERS], sf_at_least[SYNCFABRIC_ROUTERS];
static uint8_t sf_order[SYNCFABRIC_ROUTERS], sf_above[SYNCFABRIC_ROUTERS];
static const sf_link *sf_via[SYNCFABRIC_ROUTERS]; /* the link from there */

/* Go from a router over all links, level by level, until all members' routers are seen, whose ports'
 * bits make a sum. How many routers there are then; the last one has a member. */
static unsigned sf_spread(unsigned root, unsigned left)
{
    unsigned count = 1;
    for (unsigned r = 0; r < SYNCFABRIC_ROUTERS; r++)
        sf_level[r] = SF_UNSEEN;
    sf_level[root] = 0;
    sf_order[0] = (uint8_t)root;
    left -= sf_children[root];
    for (unsigned i = 0; left && i < count; i++) {
        unsigned here = sf_order[i], next = sf_level[here] + 1u;
        const sf_link *end = sf_links + sf_link_rows[here + 1];
        for (const sf_link *link = sf_links + sf_link_rows[here]; link < end; link++) {
            unsigned to = link->to;
            if (sf_level[to] != SF_UNSEEN)
                continue;
            sf_level[to] = (uint8_t)next;
            sf_above[to] = (uint8_t)here;
            sf_via[to] = link;
            sf_order[count++] = (uint8_t)to;
            left -= sf_children[to];
            if (!left)
                break;
        }
    }
    return count;
}

/* Go from the best root: one whose farthest member is no farther than it must be from anywhere, as
 * the levels from members that were farthest from other roots report. */
static unsigned sf_from_root(unsigned root, unsigned members)
{
    unsigned count = sf_spread(root, members);
    if (sf_level[sf_order[count - 1]] <= 1)
        return count;
    for (unsigned r = 0; r < SYNCFABRIC_ROUTERS; r++)
        sf_at_least[r] = 0;
    while (sf_level[sf_order[count - 1]] > sf_at_least[root]) {
        sf_spread(sf_order[count - 1], SF_ALL);
        root = 0;
        for (unsigned r = 0; r < SYNCFABRIC_ROUTERS; r++) {
            if (sf_level[r] > sf_at_least[r])
                sf_at_least[r] = sf_level[r];
            if (sf_at_least[r] < sf_at_least[root])
                root = r;
        }
        count = sf_spread(root, members);
    }
    return count;
}

/* Begin a tree; add a router to it, which then awaits no children any more, for the next tree. */
static inline void sf_begin_tree(sf_tree *tree, struct sf_part *parts, unsigned root)
{
    tree->root = root, tree->end = parts;
    tree->epochs = sf_entries[root].epochs;
    tree->taken = tree->mixed = 0;
}

static inline void sf_add(sf_tree *tree, unsigned router, unsigned children, unsigned parent)
{
    struct sf_part *part = tree->end++;
    part->router = (uint16_t)router, part->parent = (uint16_t)parent;
    part->children = (uint16_t)children;
    sf_children[router] = 0;
    tree->taken |= sf_entries[router].taken;
    tree->mixed |= sf_entries[router].epochs ^ tree->epochs;
}

/* Return the lowest entry of a share that all routers of a tree have free, or SF_NO_ENTRY. It is a
 * slot if there is one, which combines the values of barriers bit by bit alone. */
#define SF_NO_ENTRY 32u
#define SF_ENTRIES ((1u << SYNCFABRIC_ENTRY_REGISTERS) - 1)
static inline unsigned sf_free_entry(const sf_tree *tree, uint32_t share, int bitwise)
{
    uint32_t free = share & ~(tree->taken | tree->taken >> SF_MADE);
    unsigned entry = 0;
    free &= bitwise && free & ~SF_ENTRIES ? ~SF_ENTRIES : SF_ENTRIES;
    if (!free)
        return SF_NO_ENTRY;
    for (; !(free & 1); free >>= 1)
        entry++;
    return entry;
}

/* Return the sum of the bits of the members' ports, which are added to their routers' children. */
static inline unsigned sf_begin_members(const unsigned *members, unsigned n)
{
    const unsigned *last = members + n - 1;
    unsigned sum = 0;
    do {
        unsigned router = sf_places[*members].at, ports = sf_places[*members].ports;
        sf_children[router] |= (uint16_t)ports;
        sum += ports;
    } while (members++ != last);
    return sum;
}

/* Plan the tree of n members, which are nodes by their numbers. */
static void sf_plan_tree(const unsigned *members, unsigned n, sf_tree *tree)
{
    unsigned at = sf_from_root(sf_places[*members].at, sf_begin_members(members, n));
    sf_begin_tree(tree, tree->parts, sf_order[0]);
    while (at--) {
        unsigned here = sf_order[at], children = sf_children[here], parent = 0;
        if (!children)
            continue;
        if (at) {
            sf_children[sf_above[here]] |= (uint16_t)(1u << sf_via[here]->port);
            parent = 1u << sf_via[here]->far_port;
        }
        sf_add(tree, here, children, parent);
    }
}

/* Do the same, fast, where all are on the first member's router and neighbours of it. Return whether
 * that is so; if it is not, sf_plan_tree has to follow, of the same members. */
static inline int sf_plan_star(const unsigned *members, unsigned n, sf_tree *tree,
                               struct sf_part *parts)
{
    unsigned left = sf_begin_members(members, n), root = sf_places[*members].at;
    unsigned ports = sf_children[root];
    const sf_link *link = sf_links + sf_link_rows[root], *end = sf_links + sf_link_rows[root + 1];
    sf_begin_tree(tree, parts, root);
    for (left -= ports; left && link < end; link++) {
        unsigned children = sf_children[link->to];
        if (children) {
            sf_add(tree, link->to, children, 1u << link->far_port);
            ports |= 1u << link->port;
            left -= children;
        }
    }
    if (!left)
        sf_add(tree, root, ports, 0);
    return !left;
}

static inline unsigned sf_epoch(unsigned router, unsigned entry)
{
    return sf_entries[router].epochs >> 2 * entry & 3;
}

/* The number by which routers know an entry, or a slot. */
static inline unsigned sf_number(unsigned entry)
{
    return entry < SYNCFABRIC_ENTRY_REGISTERS ? entry
        : entry - SYNCFABRIC_ENTRY_REGISTERS + SYNCFABRIC_SLOT;
}

static inline uint32_t sf_request(unsigned entry, unsigned epoch)
{
    return sf_number(entry) << SYNCFABRIC_REQUEST_ENTRY_SHIFT | epoch << SYNCFABRIC_REQUEST_EPOCH_SHIFT;
}

/* Write down where names have another epoch than the root's: those of a member's port is the own
 * router's, those of a link that of the router at the other end. */
static void sf_compare_epochs(const sf_tree *tree, unsigned entry)
{
    unsigned root = sf_epoch(tree->root, entry) + 1;
    for (const struct sf_part *part = tree->end; part-- > tree->parts;) {
        unsigned here = part->router, own = (root ^ (sf_epoch(here, entry) + 1)) & 3;
        sf_differs[here] = own * 0x55555555u;
        if (part->parent) {
            unsigned above = sf_above[here], up = 2u * sf_via[here]->far_port;
            unsigned down = 2u * sf_via[here]->port;
            unsigned there = (root ^ (sf_epoch(above, entry) + 1)) & 3;
            sf_differs[here] = (sf_differs[here] & ~(3u << up)) | there << up;
            sf_differs[above] = (sf_differs[above] & ~(3u << down)) | own << down;
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

/* Give the request to a router: header, REQUEST with the epoch before SETUP, and the image, in which
 * is all but the router's ports. */
static inline void sf_give_request(const struct sf_part *part, uint32_t request,
                                   const uint32_t image[SYNCFABRIC_IMAGE_WORDS])
{
    SF_GIVE(sf_sink_headers[part->router]);
    SF_GIVE(request);
    SF_GIVE(image[0] | part->children | (uint32_t)part->parent << SYNCFABRIC_AT_PARENT);
    for (unsigned k = 1; k < SYNCFABRIC_IMAGE_WORDS; k++)
        SF_GIVE(image[k]);
}

/* Write an image in which all ports, used or not, have the same name: SYNCFABRIC_NAMES has a 1 where
 * one begins. The epoch is that before SETUP. A slot has no names. */
static inline void sf_write_image(uint32_t same[SYNCFABRIC_IMAGE_WORDS], unsigned entry,
                                  unsigned epoch, unsigned op)
{
    static const uint32_t names[] = SYNCFABRIC_NAMES;
    uint32_t name = entry | ((epoch + 1) & 3) << SYNCFABRIC_NAME_AT_EPOCH, over = 0;
    if (entry >= SYNCFABRIC_ENTRY_REGISTERS)
        name = 0;
    for (unsigned i = 0; i < SYNCFABRIC_IMAGE_WORDS; i++) {
        uint64_t product = (uint64_t)names[i] * name;
        same[i] = (uint32_t)product | over;
        over = (uint32_t)(product >> 32);
    }
    if (SF_OPERATIONS)
        sf_change(same, SYNCFABRIC_AT_OP, op);
}

/* Give the requests for a tree, the root's last: routers have different names, or all the same. */
static inline void sf_give_requests(const sf_tree *tree, unsigned entry, unsigned op)
{
    uint32_t same[SYNCFABRIC_IMAGE_WORDS];
    sf_write_image(same, entry, sf_epoch(tree->root, entry), op);
    sf_compare_epochs(tree, entry);
    for (const struct sf_part *part = tree->parts; part < tree->end; part++) {
        unsigned r = part->router, ports = part->children | part->parent;
        uint32_t image[SYNCFABRIC_IMAGE_WORDS];
        for (unsigned k = 0; k < SYNCFABRIC_IMAGE_WORDS; k++)
            image[k] = same[k];
        for (unsigned port = 0; port < SYNCFABRIC_LINK_PORTS; port++)
            if (ports >> port & 1)
                sf_change(image, sf_name_at(port, part->parent),
                          (sf_differs[r] >> 2 * port & 3) << SYNCFABRIC_NAME_AT_EPOCH
                              | sf_routed_name(r, port, part->children >> port & 1));
        sf_give_request(part, sf_request(entry, sf_epoch(r, entry)), image);
    }
}

/* Give the same for a star in whose routers the entry has the same epoch. */
static inline void sf_give_star(const struct sf_part *part, const struct sf_part *end,
                                unsigned entry, unsigned epoch, unsigned op)
{
    uint32_t same[SYNCFABRIC_IMAGE_WORDS], request = sf_request(entry, epoch);
    sf_write_image(same, entry, epoch, op);
    do
        sf_give_request(part, request, same);
    while (++part != end);
}

#endif /* SF_LINKS_H */
