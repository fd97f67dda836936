/* What one member of a group on a mesh works out alone: its own barrier register.
 *
 * Source: paper BTM, Algorithm 1 (Setup_Register); ties as SPEC: the member nearest the centroid
 * in whole numbers, then by quadrant (+X, +Y, -X, -Y), then the larger x, then the larger y. */
#ifndef SF_SETUP_MESH_H
#define SF_SETUP_MESH_H

#include "syncfabric_network.h"

/* Words 1 to 5 and 0 of a register, at these places: control, parent, +X, +Y, -X, -Y. */
typedef struct {
    uint32_t words[6];
} sf_mesh_register;

/* Ports in this order; the member itself is at the last. */
enum { SF_EAST, SF_NORTH, SF_WEST, SF_SOUTH, SF_LOCAL };

static inline int sf_quadrant(int dx, int dy)
{
    if (dx > 0 && dy >= 0)
        return SF_EAST;
    if (dy > 0 && dx <= 0)
        return SF_NORTH;
    if (dx < 0 && dy <= 0)
        return SF_WEST;
    return dy < 0 ? SF_SOUTH : SF_LOCAL;
}

static inline int sf_x(unsigned node) { return (int)(node % SYNCFABRIC_WIDTH); }
static inline int sf_y(unsigned node) { return (int)(node / SYNCFABRIC_WIDTH); }

/* The member of a region that is its root. */
static unsigned sf_local_root(const uint8_t *region, unsigned n)
{
    int sum_x = 0, sum_y = 0, least = 0, least_side = 0;
    unsigned root = region[0];
    for (unsigned i = 0; i < n; i++) {
        sum_x += sf_x(region[i]);
        sum_y += sf_y(region[i]);
    }
    for (unsigned i = 0; i < n; i++) {
        int x = sf_x(region[i]), y = sf_y(region[i]);
        int dx = (int)n * x - sum_x, dy = (int)n * y - sum_y;
        int far = dx * dx + dy * dy, side = sf_quadrant(dx, dy);
        int order = i ? far - least : -1;
        if (!order)
            order = side - least_side;
        if (!order)
            order = x != sf_x(root) ? sf_x(root) - x : sf_y(root) - y;
        if (order < 0) {
            root = region[i];
            least = far;
            least_side = side;
        }
    }
    return root;
}

/* Leave of a region what lies on one side of its root; how many there are. */
static unsigned sf_part(const uint8_t *region, unsigned n, unsigned root, int side, uint8_t *part)
{
    unsigned count = 0;
    for (unsigned i = 0; i < n; i++)
        if (sf_quadrant(sf_x(region[i]) - sf_x(root), sf_y(region[i]) - sf_y(root)) == side)
            part[count++] = region[i];
    return count;
}

static inline uint32_t sf_node_word(unsigned node)
{
    return (uint32_t)sf_x(node) << SYNCFABRIC_NODE_WORD_X_SHIFT
        | (uint32_t)sf_y(node) << SYNCFABRIC_NODE_WORD_Y_SHIFT
        | 1u << SYNCFABRIC_NODE_WORD_PRESENT_SHIFT;
}

/* Work out the register of a member.
 *
 * members: n nodes by their numbers, in any order; spare: room for as many, overwritten. */
static inline sf_mesh_register sf_setup_mesh(const uint8_t *members, unsigned n, unsigned self,
                                             unsigned gid, unsigned op, uint8_t *spare)
{
    sf_mesh_register made = {{0}};
    const uint8_t *region = members;
    unsigned root, parent = 0, is_root = 1, turn = 0;
    while ((root = sf_local_root(region, n)) != self) {
        int side = sf_quadrant(sf_x(self) - sf_x(root), sf_y(self) - sf_y(root));
        n = sf_part(region, n, root, side, spare);
        region = spare;
        parent = root;
        is_root = 0;
        turn = side == SF_EAST || side == SF_WEST;
    }
    for (int side = SF_EAST; side <= SF_SOUTH; side++) {
        uint8_t part[SYNCFABRIC_MOST_CORES];
        unsigned count = sf_part(region, n, self, side, part);
        if (count)
            made.words[SYNCFABRIC_WORD_EAST + side] = sf_node_word(sf_local_root(part, count));
    }
    if (!is_root)
        made.words[SYNCFABRIC_WORD_PARENT] = sf_node_word(parent);
    made.words[SYNCFABRIC_WORD_CONTROL] = 1u << SYNCFABRIC_CONTROL_WORD_VALID_SHIFT
        | is_root << SYNCFABRIC_CONTROL_WORD_ROOT_SHIFT
        | turn << SYNCFABRIC_CONTROL_WORD_TURN_SHIFT
        | op << SYNCFABRIC_CONTROL_WORD_OP_SHIFT
        | gid << SYNCFABRIC_CONTROL_WORD_GID_SHIFT;
    return made;
}

#endif /* SF_SETUP_MESH_H */
