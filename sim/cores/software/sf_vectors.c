/* Vectors that all members of a group combine over messages, where its stream does not.
 *
 * An all-reduce is a ring: each member sums a part up, and then the parts go round. Reductions to one
 * member and broadcasts are chains, a packet of each member on its way. All have one tag, for packets
 * of one core to another stay in order, and members call them in one order. */

#include "sf_messages.h"

#define SF_TAG_VECTOR 48u
#define SF_REPLACE 15u /* in place of an operation: what comes counts */
#define MOST SYNCFABRIC_MOST_WORDS

/* Take a packet of n words from a core, and combine them with what is there. */
static void take(unsigned from, uint32_t *restrict to, unsigned n, unsigned op)
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

/* Send it: it is the vector's end that waits for it, so no fence has to. */
static void give(unsigned to, const uint32_t *words, unsigned n)
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

int sf_allreduce_by_messages(sf_group *group, void *buffer, size_t words, sf_op op)
{
    unsigned size = group->size, next = member(group, 1), last = member(group, size - 1u);
    uint32_t *all = buffer;
    if (op >= SF_FLOAT_SUM)
        return 0;
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
                give(next, from, out);
            if (in)
                take(last, to, in, step < size - 1 ? op : SF_REPLACE);
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
    for (size_t at = 0; at < words && size > 1; at += MOST) {
        unsigned n = least(words - at, MOST);
        uint32_t *own = all + at;
        if (rank != root && rank != first) { /* its vector stays as it is */
            for (unsigned i = 0; i < n; i++)
                piece[i] = own[i];
            own = piece;
        }
        if (rank != first)
            take(member(group, size - 1u), own, n, op);
        if (rank != root)
            give(member(group, 1), own, n);
    }
    return 1;
}

int sf_broadcast_by_messages(sf_group *group, unsigned root, void *buffer, size_t words)
{
    unsigned size = group->size, rank = group->rank;
    unsigned last = root ? root - 1 : size - 1u;
    uint32_t *all = buffer;
    for (size_t at = 0; at < words && size > 1; at += MOST) {
        unsigned n = least(words - at, MOST);
        if (rank != root)
            take(member(group, size - 1u), all + at, n, SF_REPLACE);
        if (rank != last)
            give(member(group, 1), all + at, n);
    }
    return 1;
}
