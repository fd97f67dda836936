/* Reflex barriers in software: cores send and take the flits of a static network by their core port.
 *
 * Source: paper Reflex, Algorithm 1, but that a ring's member reads two flits in Wait, the notify and
 * the release: with one, as printed, it takes the notify for the release. B is the places of a core
 * buffer; as long as a member has B flits there it lets nothing pass.
 *
 * Tree (ours): F flits a barrier, one more than its longest path holds; the root sends B of them
 * ahead. The release is the last one. It finds room when every member has read one flit, and is sent
 * when the root has arrived. What a flit carries is never looked at. See
 * docs/microarchitecture-static.md, R7. */

#include "sf_messages.h"

#if SF_BY_FLITS

#define B SYNCFABRIC_CORE_BUFFER
#define FLIT SF_WORD(SYNCFABRIC_CORE_FLIT)
#define SEES(bit) (SF_WORD(SYNCFABRIC_CORE_FLIT_STATUS) & 1u << SYNCFABRIC_FLIT_STATUS_WORD_##bit##_SHIFT)

/* What a core does that has to wait for a flit, or for room. */
typedef enum { STALLS, TAKES_IN } sf_waiting;

/* Do something n times, at least once, as fast as it can follow itself: a flit takes less than the
 * turn of a loop. */
#define AND_ON(k, act) \
    __attribute__((fallthrough)); \
    case k: act
#define REPEAT(n, act) \
    { \
        unsigned turns = ((n) + 7) / 8; \
        switch ((n) % 8) { \
            do { \
                AND_ON(0, act); AND_ON(7, act); AND_ON(6, act); AND_ON(5, act); \
                AND_ON(4, act); AND_ON(3, act); AND_ON(2, act); AND_ON(1, act); \
            } while (--turns); \
        } \
    }
#define EACH(n, bit, act) \
    if (waiting == STALLS) { \
        REPEAT(n, act) \
    } else { \
        for (unsigned left = (n); left; left--) { \
            while (!SEES(bit)) \
                SF_SAVING(sf_take_in); \
            act; \
        } \
    }

static SF_INLINE void send(unsigned n, sf_waiting waiting) { EACH(n, ROOM, FLIT = 0) }
static SF_INLINE void take(unsigned n, sf_waiting waiting) { EACH(n, WAITS, (void)FLIT) }

/* Notify, Wait, or both. */
static SF_INLINE void play(const sf_group *group, int arrives, int waits, sf_waiting waiting)
{
    unsigned role = group->role;
    if (arrives && group->fence)
        sf_fence_quickly();
    if (role == SYNCFABRIC_ROLE_RING) {
        take((arrives ? B : 0) + (waits ? 2 : 0), waiting); /* fillers; notify, release */
    } else if (role == SYNCFABRIC_ROLE_TREE) {
        take(arrives && waits ? group->flits : waits ? group->flits - 1u : 1, waiting);
    } else if (role == SYNCFABRIC_ROLE_RING_ROOT) {
        if (arrives)
            send(1, waiting);
        if (waits) {
            take(B + 1, waiting); /* fillers, notify */
            send(B + 1, waiting); /* release, fillers of the next barrier */
            take(1, waiting);     /* release */
        }
    } else if (role == SYNCFABRIC_ROLE_TREE_ROOT && waits) {
        send(group->flits, waiting); /* the last B are the next barrier's first */
    }
}

/* Init: before its first barrier a root closes all members' switches. */
void sf_reflex_begin(const sf_group *group)
{
    if (group->role == SYNCFABRIC_ROLE_RING_ROOT || group->role == SYNCFABRIC_ROLE_TREE_ROOT)
        send(B, STALLS);
}

/* To arrive can take until a member that has not ended its last Wait does so. It may send to others
 * before that, so they take messages in meanwhile. */
SF_OF_BARRIER(sf_reflex_arrive) void sf_reflex_arrive(const sf_group *group)
{
    play(group, 1, 0, TAKES_IN);
}
SF_OF_BARRIER(sf_reflex_wait) void sf_reflex_wait(const sf_group *group)
{
    play(group, 0, 1, STALLS);
}
SF_OF_BARRIER(sf_reflex_wait_taking) void sf_reflex_wait_taking(const sf_group *group)
{
    play(group, 0, 1, TAKES_IN);
}
SF_OF_BARRIER(sf_reflex_both) void sf_reflex_both(const sf_group *group)
{
    play(group, 1, 1, STALLS);
}

#endif
