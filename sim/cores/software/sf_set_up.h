/* Setting groups up in the hardware's registers: what cores can do of it by themselves.
 *
 * Managers do it, and a core reaches that of its own node alone: so one of the members must be at a
 * manager's node, which leads. */
#ifndef SF_SET_UP_H
#define SF_SET_UP_H

#include "syncfabric.h"

#define SF_NO_REGISTER 0xffffu
#if SF_IN_HARDWARE && defined(SF_ENGINES)
#define SF_BY_MANAGERS 1 /* collective engines, whose managers set groups up */
#else
#define SF_BY_MANAGERS 0
#endif

static inline volatile uint32_t *sf_port_of(unsigned number)
{
    return &SF_WORD(SYNCFABRIC_CORE_ARRIVE_BASE + number);
}

#if SF_BY_MANAGERS

/* The rank of the member at a manager's node, which leads; n if there is none. */
unsigned sf_leader(const unsigned *members, unsigned n);

/* Begin at a manager's core: words are the entries that groups of the network file have, a half-word
 * a router, a bit each. */
void sf_begin_manager(const uint16_t *words);

/* Plan a group at the leader, and have the manager set it up; returns a ticket, in whose low byte is
 * the entry that the group has at all its routers, or SF_NO_REGISTER. */
unsigned sf_have_made(const unsigned *members, unsigned n, sf_op op);

/* Wait until a group that has a port is set up; give it up after its last barrier: at all members. */
void sf_await_go(sf_group *group);
void sf_give_up(sf_group *group);

#endif

#endif /* SF_SET_UP_H */
