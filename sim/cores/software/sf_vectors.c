/* Vectors that all members of a group combine over messages, where its stream does not.
 *
 * An all-reduce is a ring: each member sums a part up, and then the parts go round. Reductions to one
 * member and broadcasts are chains, a packet of each member on its path. Of at most SF_SHORT words, and
 * 8, 16 ... members, all three are halves of halves, which pairs of members exchange (van de Geijn;
 * Rabenseifner). All have one tag, for packets of one core to another stay in order, and members
 * call them in one order. */

#include "sf_messages.h"

#define MOST SYNCFABRIC_MOST_WORDS
#ifndef SF_SHORT
#define SF_SHORT 128u /* with their heads they fit the inbox if they come before they are asked for */
#endif

void sf_take_words(unsigned from, uint32_t *restrict to, unsigned n, unsigned op)
{
    const uint32_t wanted = SF_HEAD(from, SF_TAG_VECTOR) | n << SF_WORDS_SHIFT;
    volatile uint32_t *next = &SF_WORD(SYNCFABRIC_CORE_RECV_DATA);
    unsigned apart = 0;
    uint32_t head, kept[MOST];
    if (sf_is_kept(from, SF_TAG_VECTOR)) {
        sf_recv(from, SF_TAG_VECTOR, kept, n);
        next = kept, apart = 1;
    } else {
        while ((head = SF_WORD(SYNCFABRIC_CORE_RECV)) != wanted)
            sf_keep_quickly(head);
    }
#define CASE(code, combined) \
    case code: \
        _Pragma("GCC unroll 4") for (unsigned i = 0; i < n; i++) \
        { \
            uint32_t w = *next; \
            to[i] = (combined); \
            next += apart; \
        } \
        break;
    switch (op) {
        CASE(SF_REPLACE, w)
        CASE(SF_SUM, to[i] + w)
        CASE(SF_OR, to[i] | w)
        CASE(SF_AND, to[i] & w)
        CASE(SF_XOR, to[i] ^ w)
        CASE(SF_MAX, w > to[i] ? w : to[i])
        CASE(SF_MIN, w < to[i] ? w : to[i])
        CASE(SF_SIGNED_MAX, (int32_t)w > (int32_t)to[i] ? w : to[i])
        CASE(SF_SIGNED_MIN, (int32_t)w < (int32_t)to[i] ? w : to[i])
    }
}

void sf_give_words(unsigned to, const uint32_t *words, unsigned n)
{
    sf_see_room();
    sf_signal(SF_HEAD(to, SF_TAG_VECTOR) | n << SF_WORDS_SHIFT);
    _Pragma("GCC unroll 4") for (unsigned i = 0; i < n; i++)
        SF_WORD(SYNCFABRIC_CORE_SEND_DATA) = words[i];
}

static inline unsigned least(size_t a, size_t b) { return (unsigned)(a < b ? a : b); }

/* The member so many ranks on. */
static inline unsigned member(const sf_group *group, unsigned on)
{
    unsigned rank = group->rank + on;
    return group->members[rank < group->size ? rank : rank - group->size];
}

/* Take n words of a member and give it m, a packet of each in turn: so neither waits for room. */
static void exchange(unsigned with, uint32_t *in, size_t n, const uint32_t *out, size_t m, unsigned op)
{
    while (n || m) {
        unsigned takes = least(n, MOST), gives = least(m, MOST);
        if (gives)
            sf_give_words(with, out, gives);
        if (takes)
            sf_take_words(with, in, takes, op);
        in += takes, n -= takes, out += gives, m -= gives;
    }
}

static int in_halves(const sf_group *group, size_t words)
{
    unsigned size = group->size;
    return words <= SF_SHORT && size >= 8 && !(size & (size - 1)); /* of fewer, chains are as short */
}

/* A step of members whose ranks, counted from the root's, differ in a bit. They have parts of a vector
 * in common: each has its half of these left, or both halves again. If not both take, the one with the bit
 * takes its half from the other, or gives it back. */
static void halve(const sf_group *group, unsigned root, uint32_t *all, size_t words, unsigned bit,
                  int again, int both, unsigned op)
{
    unsigned size = group->size, self = (group->rank - root) & (size - 1), base = self & -(2 * bit);
    size_t low = base * words / size, middle = (base + bit) * words / size;
    size_t high = (base + 2 * bit) * words / size, below = middle - low, above = high - middle;
    unsigned with = group->members[((self ^ bit) + root) & (size - 1)];
    if (!both && self & (bit - 1))
        return;
    if (!(self & bit) == again)
        exchange(with, all + middle, above, all + low, both ? below : 0, op);
    else
        exchange(with, all + low, both ? below : 0, all + middle, above, op);
}

/* Halve, and put together again: in each of both, both members of a pair take or one. */
static void halves(const sf_group *group, unsigned root, uint32_t *all, size_t words, unsigned op,
                   int both, int both_again)
{
    for (unsigned bit = group->size / 2; bit; bit /= 2)
        halve(group, root, all, words, bit, 0, both, op);
    for (unsigned bit = 1; bit < group->size; bit *= 2)
        halve(group, root, all, words, bit, 1, both_again, SF_REPLACE);
}

int sf_allreduce_by_messages(sf_group *group, void *buffer, size_t words, sf_op op)
{
    unsigned size = group->size, next = member(group, 1), last = member(group, size - 1u);
    uint32_t *all = buffer;
    if (op >= SF_FLOAT_SUM)
        return 0;
    if (in_halves(group, words))
        return halves(group, 0, all, words, op, 1, 1), 1;
    /* In each step a part goes on: twice as many steps, less two, as there are members. */
    unsigned part = group->rank;
    uint32_t *from = all + part * words / size, *end = all + (part + 1) * words / size;
    for (unsigned step = 0; step < 2 * (size - 1); step++) {
        uint32_t *full = part ? from : all + words, *to, *begin;
        part = part ? part - 1 : size - 1;
        begin = to = all + part * words / size;
        while (from < end || to < full) {
            unsigned out = least((size_t)(end - from), MOST), in = least((size_t)(full - to), MOST);
            if (out)
                sf_give_words(next, from, out);
            if (in)
                sf_take_words(last, to, in, step < size - 1 ? op : SF_REPLACE);
            from += out, to += in;
        }
        from = begin, end = full;
    }
    return 1;
}

int sf_reduce_by_messages(sf_group *group, unsigned root, void *buffer, size_t words, sf_op op)
{
    unsigned size = group->size, rank = group->rank;
    unsigned first = root + 1 < size ? root + 1 : 0;
    uint32_t *all = buffer, piece[MOST];
    if (op >= SF_FLOAT_SUM)
        return 0;
    if (in_halves(group, words)) {
        uint32_t own[words]; /* its vector stays as it is */
        for (size_t i = 0; i < words && rank != root; i++)
            own[i] = all[i];
        return halves(group, root, rank == root ? all : own, words, op, 1, 0), 1;
    }
    for (size_t at = 0; at < words && size > 1; at += MOST) {
        unsigned n = least(words - at, MOST);
        uint32_t *own = all + at;
        if (rank != root && rank != first) { /* likewise */
            for (unsigned i = 0; i < n; i++)
                piece[i] = own[i];
            own = piece;
        }
        if (rank != first)
            sf_take_words(member(group, size - 1u), own, n, op);
        if (rank != root)
            sf_give_words(member(group, 1), own, n);
    }
    return 1;
}

int sf_broadcast_by_messages(sf_group *group, unsigned root, void *buffer, size_t words)
{
    unsigned size = group->size, rank = group->rank;
    unsigned last = root ? root - 1 : size - 1u;
    uint32_t *all = buffer;
    if (in_halves(group, words))
        return halves(group, root, all, words, SF_REPLACE, 0, 1), 1;
    for (size_t at = 0; at < words && size > 1; at += MOST) {
        unsigned n = least(words - at, MOST);
        if (rank != root)
            sf_take_words(member(group, size - 1u), all + at, n, SF_REPLACE);
        if (rank != last)
            sf_give_words(member(group, 1), all + at, n);
    }
    return 1;
}
