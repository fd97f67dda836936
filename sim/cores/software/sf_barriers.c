/* Software barriers over signals, and a reduction over messages.
 *
 * Sources: Mellor-Crummey and Scott, ACM TOCS 9(1), 1991 (dissemination, tournament, tree). A
 * member notifies the others by a signal each; no signal of a barrier can be taken for one of the
 * next, since they are counted, and of each code a core awaits as many a barrier as are sent.
 * A barrier sends at most 17 signals after sf_begin, except the central one's, which asks again. */

#include "sf_messages.h"

#define SIGNALS_AT_ONCE 16

/* Make of a scheme's two halves what a program calls. */
#define SCHEME(name) \
    SF_OF_BARRIER(sf_##name##_arrive) void sf_##name##_arrive(const sf_group *group) \
    { \
        sf_begin(); \
        name##_arrive(group); \
    } \
    SF_OF_BARRIER(sf_##name##_wait) void sf_##name##_wait(const sf_group *group) \
    { \
        sf_see_room(); \
        name##_wait(group); \
    } \
    SF_OF_BARRIER(sf_##name##_both) void sf_##name##_both(const sf_group *group) \
    { \
        sf_begin(); \
        name##_arrive(group); \
        name##_wait(group); \
    }

/* Central: everyone notifies rank 0, which counts them, and notifies everyone. */

static SF_INLINE void central_arrive(const sf_group *group)
{
    if (group->rank)
        sf_signal(group->above);
}

static SF_INLINE void central_wait(const sf_group *group)
{
    uint32_t down = SF_CODE(group->slot, SF_DOWN);
    const uint8_t *next = group->members + 1, *last = group->members + group->size;
    if (group->rank) {
        sf_await(down);
        return;
    }
    sf_await_many(SF_CODE(group->slot, SF_UP), group->size - 1u);
    down <<= SF_TAG_SHIFT;
    while (next < last) {
        const uint8_t *end = last - next > SIGNALS_AT_ONCE ? next + SIGNALS_AT_ONCE : last;
        sf_see_room();
        while (next < end)
            sf_signal(*next++ | down);
    }
}

SCHEME(central)

/* Tree: of four children a member, by rank. */

static SF_INLINE void tree_arrive(const sf_group *group)
{
    if (!group->children && group->rank)
        sf_signal(group->above);
}

static SF_INLINE void tree_wait(const sf_group *group)
{
    unsigned code = SF_CODE(group->slot, 0);
    const uint32_t *next = group->below, *end = next + group->children;
    if (next < end)
        sf_await_many(code + SF_UP, group->children);
    if (group->rank) {
        if (next < end)
            sf_signal(group->above);
        sf_await(code + SF_DOWN);
    }
    while (next < end)
        sf_signal(*next++);
}

SCHEME(tree)

/* Dissemination: in round k a member notifies the one 2^k ranks on, and awaits the one 2^k back. */

static SF_INLINE void dissemination_arrive(const sf_group *group)
{
    if (group->rounds)
        sf_signal(group->around[0]);
}

static SF_INLINE void dissemination_wait(const sf_group *group)
{
    unsigned code = SF_CODE(group->slot, 0), rounds = group->rounds;
/* Unrolled: a round more than there are is left out. */
#define ROUND(k) \
    if (rounds == (k)) \
        return; \
    if (k) \
        sf_signal(group->around[k]); \
    sf_await(code + (k));
    ROUND(0)
    ROUND(1)
    ROUND(2)
    ROUND(3)
    ROUND(4)
    ROUND(5)
}

SCHEME(dissemination)

/* Tournament: in round k the rank with bit k set notifies the one below and is out; the winner of all
 * wakes those it has beaten, the last one first, and they theirs. */

static SF_INLINE void tournament_arrive(const sf_group *group)
{
    if (group->rank & 1)
        sf_signal(group->above);
}

static SF_INLINE void tournament_wait(const sf_group *group)
{
    unsigned code = SF_CODE(group->slot, 0);
    const uint32_t *first = group->below, *next = first + group->children;
    for (unsigned round = 0; round < group->children; round++)
        sf_await(code + round);
    if (group->rank) {
        if (!(group->rank & 1))
            sf_signal(group->above);
        sf_await(code + SF_DOWN);
    }
    while (next > first)
        sf_signal(*--next);
}

SCHEME(tournament)

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

/* Combine what was kept of a slot's values; how many there were. */
static SF_INLINE unsigned combine_kept(const sf_group *group, uint32_t *result)
{
    unsigned kept = sf_values_kept >> 4 * group->slot & 15;
    sf_values_kept &= ~(15u << 4 * group->slot);
    for (unsigned i = 0; i < kept; i++)
        *result = combine(group->op, *result, sf_values[group->slot][i]);
    return kept;
}

/* Combine what count children send, as they come. A loop for each operation, so that none asks. */
static SF_INLINE uint32_t gather(const sf_group *group, unsigned count, uint32_t result)
{
#define GATHER(combined) \
    do { \
        uint32_t given = sf_await_word(tag); \
        result = (combined); \
    } while (--count); \
    return result
    unsigned tag = SF_TAG_VALUE(group->slot), op = group->op;
    if (sf_values_kept && !(count -= combine_kept(group, &result)))
        return result;
    /* No switch, for it would look the place up in a table. */
    if (op < SF_AND) {
        GATHER(result | given);
    } else if (op < SF_MAX) {
        if (op < SF_XOR) {
            GATHER(result & given);
        }
        GATHER(result ^ given);
    } else if (op < SF_MIN) {
        GATHER(result > given ? result : given);
    } else if (op < SF_SUM) {
        GATHER(result < given ? result : given);
    }
    GATHER(result + given);
}

/* Send a word: there is room. It is the reduction itself that waits for it, so no fence has to. */
static SF_INLINE void send_word(uint32_t head, uint32_t word)
{
    sf_signal(head);
    SF_WORD(SYNCFABRIC_CORE_SEND_DATA) = word;
}

/* Values go up a tree of four children a member, and the result comes down. Children are taken as
 * they come: every operation is commutative, and a member without a result sends no next value. For
 * the same reason a result never comes before it is waited for. A member sends at most ten flits
 * after sf_begin. */
SF_OF_BARRIER(sf_tree_reduce) uint32_t sf_tree_reduce(const sf_group *group, uint32_t value)
{
    const uint32_t mask = SF_DATA_BITS < 32 ? (1u << (SF_DATA_BITS & 31)) - 1 : ~0u;
    unsigned count = group->givers;
    sf_begin();
    value &= mask;
    if (count)
        value = gather(group, count, value) & mask;
    if (group->rank) {
        send_word(group->value, value);
        value = sf_await_word(SF_TAG_RESULT(group->slot));
    }
/* Unrolled: a child more than there are is left out. */
#define GIVE(i) \
    if (count == (i)) \
        return value; \
    send_word(group->results[i], value);
    GIVE(0)
    GIVE(1)
    GIVE(2)
    GIVE(3)
    return value;
}
