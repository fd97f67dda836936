/* Software barriers over signals, and a reduction over messages.
 *
 * Sources: Mellor-Crummey and Scott, ACM TOCS 9(1), 1991 (dissemination, tournament, tree). A
 * member tells the others by a signal each; no signal of a barrier can be taken for one of the
 * next, since they are counted, and of each code a core awaits as many a barrier as are sent.
 * A barrier sends at most 17 signals after sf_begin but for the central one's, which asks again. */

#include "sf_messages.h"

#define SIGNALS_AT_ONCE 16u

SF_OF_BARRIER(await_many) static void await_many(unsigned code, unsigned count)
{
    while (count--)
        sf_await(code);
}

/* Central: everyone tells rank 0, which counts them, and tells everyone. */

SF_OF_BARRIER(sf_central_arrive) void sf_central_arrive(const sf_group *group)
{
    sf_begin();
    if (group->rank)
        sf_signal(group->above);
}

SF_OF_BARRIER(sf_central_wait) void sf_central_wait(const sf_group *group)
{
    if (group->rank) {
        sf_await(SF_CODE(group->slot, SF_DOWN));
        return;
    }
    await_many(SF_CODE(group->slot, SF_UP), group->size - 1u);
    for (unsigned rank = 1; rank < group->size; rank++) {
        if (rank % SIGNALS_AT_ONCE == 1)
            sf_make_room();
        sf_signal(SF_HEAD(group->members[rank], SF_CODE(group->slot, SF_DOWN)));
    }
}

/* Tree: of four children a member, by rank. */

SF_OF_BARRIER(sf_tree_arrive) void sf_tree_arrive(const sf_group *group)
{
    sf_begin();
    if (!group->children && group->rank)
        sf_signal(group->above);
}

SF_OF_BARRIER(sf_tree_wait) void sf_tree_wait(const sf_group *group)
{
    unsigned down = SF_CODE(group->slot, SF_DOWN);
    if (group->children) {
        await_many(SF_CODE(group->slot, SF_UP), group->children);
        sf_make_room();
        if (group->rank) {
            sf_signal(group->above);
            sf_await(down);
        }
        for (unsigned child = 0; child < group->children; child++)
            sf_signal(group->below[child]);
    } else if (group->rank) {
        sf_await(down);
    }
}

/* Dissemination: in round k a member tells the one 2^k ranks on, and awaits the one 2^k back. */

SF_OF_BARRIER(sf_dissemination_arrive) void sf_dissemination_arrive(const sf_group *group)
{
    sf_begin();
    if (group->rounds)
        sf_signal(group->around[0]);
}

SF_OF_BARRIER(sf_dissemination_wait) void sf_dissemination_wait(const sf_group *group)
{
    unsigned code = SF_CODE(group->slot, 0), last = code + group->rounds - 1u;
    if (!group->rounds)
        return;
    sf_make_room();
    for (const uint32_t *next = group->around + 1; code < last; code++) {
        sf_await(code);
        sf_signal(*next++);
    }
    sf_await(code);
}

/* Tournament: in round k the rank with bit k set tells the one below and is out; the winner of all
 * wakes those it has beaten, the last one first, and they theirs. */

SF_OF_BARRIER(sf_tournament_arrive) void sf_tournament_arrive(const sf_group *group)
{
    sf_begin();
    if (group->rank & 1)
        sf_signal(group->above);
}

SF_OF_BARRIER(sf_tournament_wait) void sf_tournament_wait(const sf_group *group)
{
    unsigned code = SF_CODE(group->slot, 0), down = SF_CODE(group->slot, SF_DOWN);
    unsigned beaten = group->children;
    if (group->rank & 1) {
        sf_await(down);
        return;
    }
    sf_make_room();
    for (unsigned round = 0; round < beaten; round++)
        sf_await(code + round);
    if (group->rank) {
        sf_signal(group->above);
        sf_await(down);
    }
    while (beaten--)
        sf_signal(group->below[beaten]);
}

static uint32_t combine(sf_op op, uint32_t a, uint32_t b)
{
    switch (op) {
    case SF_AND: return a & b;
    case SF_XOR: return a ^ b;
    case SF_MAX: return a > b ? a : b;
    case SF_MIN: return a < b ? a : b;
    case SF_SUM: return a + b;
    default: return a | b;
    }
}

/* Values go up a tree of four children a member, and the result comes down. */
SF_OF_BARRIER(sf_tree_reduce) uint32_t sf_tree_reduce(const sf_group *group, uint32_t value)
{
    unsigned first = 4u * group->rank + 1, last = first + 4;
    uint32_t mask = SF_DATA_BITS < 32 ? (1u << (SF_DATA_BITS & 31)) - 1 : ~0u;
    uint32_t result = value & mask;
    if (last > group->size)
        last = group->size;
    sf_begin();
    for (unsigned child = first; child < last; child++) {
        uint32_t given;
        sf_recv(group->members[child], SF_TAG_VALUE(group->slot), &given, 1);
        result = combine(group->op, result, given) & mask;
    }
    if (group->rank) {
        unsigned parent = group->members[(group->rank - 1u) / 4];
        sf_send_tagged(parent, SF_TAG_VALUE(group->slot), &result, 1);
        sf_recv(parent, SF_TAG_RESULT(group->slot), &result, 1);
    }
    for (unsigned child = first; child < last; child++)
        sf_send_tagged(group->members[child], SF_TAG_RESULT(group->slot), &result, 1);
    return result;
}
