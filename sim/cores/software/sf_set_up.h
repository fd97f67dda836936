/* Setting groups up in the hardware's registers: what cores can do of it by themselves.
 *
 * On a mesh each member writes the register of its own node. Over switches it does so as well; the
 * switches' registers are written by a manager, and a core reaches that of its own node alone. So
 * one of the members must be at a manager's node: it leads. */
#ifndef SF_SET_UP_H
#define SF_SET_UP_H

#include "syncfabric.h"

#if SF_IN_HARDWARE && (defined(SF_MESH) || defined(SF_SWITCHES))
#define SF_SETS_UP 1
#else
#define SF_SETS_UP 0
#endif
#define SF_NO_REGISTER 0xffffu
#if SF_IN_HARDWARE && defined(SF_ENGINES)
#define SF_BY_MANAGERS 1 /* collective engines, whose managers set groups up */
#else
#define SF_BY_MANAGERS 0
#endif

/* What the leader has found out for all members, and tells them. */
typedef struct {
    uint8_t epoch, root; /* root: the core that turns the barrier around, if one does */
} sf_planned;

extern uint32_t sf_registers_used; /* of this core's node, a bit each */

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

#elif SF_SETS_UP

/* The rank of the member that leads; n if there must be one and is none. */
unsigned sf_leader(const unsigned *members, unsigned n);

/* Numbers of groups that the leader may give, of the 32 from 32 * word on: a bit each. Groups of
 * several managers may share a switch, which tells groups apart by number. */
uint32_t sf_numbers(unsigned leader, unsigned word);

/* A register of this core's node that is free, or SF_NO_REGISTER. */
unsigned sf_free_register(sf_op op);

/* Plan a group: at the leader, before the others go on. */
sf_planned sf_plan(const unsigned *members, unsigned n, unsigned gid);

/* Set a group up, all members together. It has no port after that if switches had no room. */
void sf_set_up(sf_group *group, unsigned number, int leads, sf_planned plan);

/* Give all of it up again, all members together: they have been released from its barriers. */
void sf_give_up(sf_group *group, int leads);

#endif

#endif /* SF_SET_UP_H */
