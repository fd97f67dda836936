/* What the core at a manager's node works out: the barrier tree of a group over switches.
 *
 * Source: paper BTIN, section 3.1 (Setup_Register); ties as SPEC: the parent of a switch is the
 * lowest-numbered of the level above; trees are compared without nonmember leaves, by height, edges,
 * leaves, and last the root's number; of parallel links that with the parent's lowest port. */
#ifndef SF_SETUP_SWITCHES_H
#define SF_SETUP_SWITCHES_H

#include "syncfabric_network.h"

#define SF_UNSEEN 0xff
enum { SF_IS_MEMBER = 1, SF_IN_TREE = 2, SF_HAS_BELOW = 4, SF_WAS_ROOT = 8 };

typedef struct {
    uint8_t to, port, far_port;
} sf_link;

/* By switch, those of switch s at sf_link_rows[s] to [s + 1], by the other end, then the port. */
static const uint16_t sf_link_rows[] = SYNCFABRIC_LINK_ROWS;
static const sf_link sf_links[] = SYNCFABRIC_LINKS;
static const struct {
    uint8_t at, port;
} sf_places[] = SYNCFABRIC_NODE_PLACES;

/* A tree of switches: the root comes last among them. */
typedef struct {
    unsigned count, root;
    unsigned root_node;                    /* the member at the root switch's lowest port */
    uint8_t switches[SYNCFABRIC_SWITCHES];
    uint8_t parent[SYNCFABRIC_SWITCHES];   /* port to the parent, by switch */
    uint16_t children[SYNCFABRIC_SWITCHES]; /* ports to children, a bit each, by switch */
} sf_switch_tree;

static uint8_t sf_level[SYNCFABRIC_SWITCHES], sf_order[SYNCFABRIC_SWITCHES];
static uint8_t sf_marks[SYNCFABRIC_SWITCHES], sf_at_least[SYNCFABRIC_SWITCHES];

/* Go from a switch over all links, level by level, until so many members' switches are seen. How
 * many switches there are then, and in *height the level of the last one of members. */
__attribute__((noinline)) static unsigned sf_spread(unsigned root, unsigned members, unsigned *height)
{
    unsigned count = 1;
    for (unsigned s = 0; s < SYNCFABRIC_SWITCHES; s++)
        sf_level[s] = SF_UNSEEN;
    sf_level[root] = 0;
    sf_order[0] = (uint8_t)root;
    members--;
    for (unsigned i = 0; members && i < count; i++) {
        unsigned here = sf_order[i];
        const sf_link *link = sf_links + sf_link_rows[here];
        const sf_link *end = sf_links + sf_link_rows[here + 1];
        for (; members && link < end; link++)
            if (sf_level[link->to] == SF_UNSEEN) {
                sf_level[link->to] = (uint8_t)(sf_level[here] + 1);
                sf_order[count++] = link->to;
                members -= sf_marks[link->to] & SF_IS_MEMBER;
            }
    }
    *height = sf_level[sf_order[count - 1]];
    return count;
}

/* The switch above one that is not the root. */
static unsigned sf_above(unsigned here)
{
    const sf_link *link = sf_links + sf_link_rows[here];
    while (sf_level[link->to] != sf_level[here] - 1)
        link++;
    return link->to;
}

/* Mark what leads to members among the switches seen; edges above leaves, in one number. */
__attribute__((noinline)) static uint32_t sf_prune(unsigned count)
{
    uint32_t edges = 0, leaves = 0;
    for (unsigned s = 0; s < SYNCFABRIC_SWITCHES; s++)
        sf_marks[s] &= SF_IS_MEMBER | SF_WAS_ROOT;
    for (unsigned i = count; i--;) {
        unsigned here = sf_order[i], marks = sf_marks[here];
        if (!(marks & (SF_IS_MEMBER | SF_IN_TREE)))
            continue;
        sf_marks[here] |= SF_IN_TREE;
        leaves += !(marks & SF_HAS_BELOW);
        if (i) {
            sf_marks[sf_above(here)] |= SF_IN_TREE | SF_HAS_BELOW;
            edges++;
        }
    }
    return edges << 16 | leaves;
}

/* The root whose tree is best. A member's switch is left out where it is known to be too far from
 * some other one, from which the levels have been looked at before. */
static unsigned sf_root_switch(unsigned members)
{
    unsigned least = SF_UNSEEN, best = 0;
    uint32_t shape = ~0u;
    for (;;) {
        unsigned root = SYNCFABRIC_SWITCHES, height, count;
        for (unsigned s = 0; s < SYNCFABRIC_SWITCHES; s++)
            if ((sf_marks[s] & (SF_IS_MEMBER | SF_WAS_ROOT)) == SF_IS_MEMBER
                && sf_at_least[s] <= least
                && (root == SYNCFABRIC_SWITCHES || sf_at_least[s] < sf_at_least[root]))
                root = s;
        if (root == SYNCFABRIC_SWITCHES)
            return best;
        count = sf_spread(root, members, &height);
        sf_marks[root] |= SF_WAS_ROOT;
        for (unsigned i = 0; i < count; i++)
            if (sf_level[sf_order[i]] > sf_at_least[sf_order[i]])
                sf_at_least[sf_order[i]] = sf_level[sf_order[i]];
        if (height <= least) {
            uint32_t found = sf_prune(count);
            if (height < least || found < shape || (found == shape && root < best)) {
                least = height;
                shape = found;
                best = root;
            }
        }
    }
}

/* Plan the tree of n members, which are nodes by their numbers. */
static void sf_plan_switches(const unsigned *members, unsigned n, sf_switch_tree *tree)
{
    unsigned count, height, member_switches = 0;
    for (unsigned s = 0; s < SYNCFABRIC_SWITCHES; s++) {
        sf_marks[s] = sf_at_least[s] = 0;
        tree->children[s] = 0;
    }
    for (unsigned i = 0; i < n; i++) {
        unsigned at = sf_places[members[i]].at;
        member_switches += !sf_marks[at];
        sf_marks[at] = SF_IS_MEMBER;
        tree->children[at] |= (uint16_t)(1u << sf_places[members[i]].port);
    }
    tree->root = sf_root_switch(member_switches);
    tree->root_node = members[0];
    for (unsigned i = 0, lowest = SYNCFABRIC_PORTS; i < n; i++)
        if (sf_places[members[i]].at == tree->root && sf_places[members[i]].port < lowest) {
            tree->root_node = members[i];
            lowest = sf_places[members[i]].port;
        }
    count = sf_spread(tree->root, member_switches, &height);
    sf_prune(count);
    for (unsigned i = 1; i < count; i++) {
        unsigned here = sf_order[i], above;
        const sf_link *link;
        if (!(sf_marks[here] & SF_IN_TREE))
            continue;
        above = sf_above(here);
        link = sf_links + sf_link_rows[above];
        while (link->to != here)
            link++;
        tree->children[above] |= (uint16_t)(1u << link->port);
        tree->parent[here] = link->far_port;
    }
    tree->parent[tree->root] = 0;
#ifdef SF_TURN_AT_NODE
    tree->parent[tree->root] = sf_places[tree->root_node].port;
    tree->children[tree->root] &= (uint16_t)~(1u << sf_places[tree->root_node].port);
#endif
    tree->count = 0;
    for (unsigned s = 0; s < SYNCFABRIC_SWITCHES; s++)
        if (sf_marks[s] & SF_IN_TREE && s != tree->root)
            tree->switches[tree->count++] = (uint8_t)s;
    tree->switches[tree->count++] = (uint8_t)tree->root;
}

static inline uint32_t sf_tree_word(unsigned parent, uint32_t children)
{
    return parent << SYNCFABRIC_TREE_WORD_PARENT_SHIFT
        | children << SYNCFABRIC_TREE_WORD_CHILDREN_SHIFT;
}

/* The header of a packet to a switch itself. */
static inline uint32_t sf_switch_header(unsigned here)
{
    return (uint32_t)SYNCFABRIC_PORTS << SYNCFABRIC_PACKET_HEADER_PORT_SHIFT
        | (uint32_t)here << SYNCFABRIC_PACKET_HEADER_SWITCH_SHIFT;
}

/* The words of a manager's entry for a switch: header, request, tree. */
static inline void sf_switch_entry(const sf_switch_tree *tree, unsigned place, unsigned gid,
                                   unsigned op, unsigned epoch, uint32_t words[3])
{
    unsigned here = tree->switches[place], is_root = here == tree->root;
#ifdef SF_TURN_AT_NODE
    is_root = 0;
#endif
    words[0] = sf_switch_header(here);
    words[1] = gid << SYNCFABRIC_REQUEST_WORD_GID_SHIFT
        | epoch << SYNCFABRIC_REQUEST_WORD_EPOCH_SHIFT | op << SYNCFABRIC_REQUEST_WORD_OP_SHIFT
        | is_root << SYNCFABRIC_REQUEST_WORD_ROOT_SHIFT;
    words[2] = sf_tree_word(tree->parent[here], tree->children[here]);
}

/* Words 1 and 0 of a member's own register, tree and control. */
static inline void sf_node_image(unsigned n, int turns, unsigned gid, unsigned op, unsigned epoch,
                                 uint32_t words[2])
{
    const uint32_t process = 1u << SYNCFABRIC_PROCESS_PORT, uplink = 1u << SYNCFABRIC_UPLINK_PORT;
    uint32_t is_root = n == 1;
#ifdef SF_TURN_AT_NODE
    is_root |= turns != 0;
#endif
    (void)turns;
    words[0] = sf_tree_word(is_root ? 0 : SYNCFABRIC_UPLINK_PORT,
                            process | (is_root && n > 1 ? uplink : 0));
    words[1] = 1u << SYNCFABRIC_CONTROL_WORD_VALID_SHIFT
        | is_root << SYNCFABRIC_CONTROL_WORD_ROOT_SHIFT
        | op << SYNCFABRIC_CONTROL_WORD_OP_SHIFT | epoch << SYNCFABRIC_CONTROL_WORD_EPOCH_SHIFT
        | gid << SYNCFABRIC_CONTROL_WORD_GID_SHIFT;
}

#endif /* SF_SETUP_SWITCHES_H */
