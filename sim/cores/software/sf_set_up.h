/* Setting groups up in the hardware's registers: what cores can do of it by themselves.
 *
 * Managers do it, and a core reaches that of its own node alone: so one of the members must be at a
 * manager's node, which leads. */
#ifndef SF_SET_UP_H
#define SF_SET_UP_H

#include "sf_messages.h"

#define SF_NO_REGISTER 0xffffffffu
#if SF_IN_HARDWARE && defined(SF_ENGINES)
#define SF_BY_MANAGERS 1 /* collective engines, whose managers set groups up */
#else
#define SF_BY_MANAGERS 0
#endif

static inline volatile uint32_t *sf_port_of(unsigned number)
{
    return &SF_WORD(SYNCFABRIC_CORE_ARRIVE_BASE + number);
}

/* A group that is not in use, 0 if there is none; what is common to all that a program makes. */
extern sf_group sf_groups[], *const sf_groups_end;
static inline sf_group *sf_free_group(void)
{
    sf_group *group = sf_groups;
    do
        if (!group->used)
            return group;
    while (++group < sf_groups_end);
    return 0;
}

static inline void sf_prepare_group(sf_group *group, int leads, unsigned rank, unsigned n, sf_op op)
{
    group->op = (uint8_t)op, group->rank = (uint16_t)rank, group->size = (uint16_t)n;
    group->leads = leads, group->of_file = 0, group->fence = 0, group->used = 1;
    group->slot = SF_GROUPS, group->role = 0;
}

/* Write the members down, and announce to the others, as the leader, a word that they wait for. It may be
 * several groups ahead of them. There is room for eight packets at a time. */
static inline void sf_announce(sf_group *group, const unsigned *members, unsigned n, uint32_t word)
{
    const unsigned *member = members, *last = members + n - 1;
    uint8_t *to = group->members;
    unsigned self = sf_core(), free = 0;
    do {
        unsigned core = *member;
        *to++ = (uint8_t)core;
        if (core != self) {
            if (!free--) {
                sf_see_room();
                free = 7;
            }
            sf_signal(SF_WORD_HEAD(core, SF_TAG_CHOICE));
            SF_WORD(SYNCFABRIC_CORE_SEND_DATA) = word;
        }
    } while (member++ != last);
    sf_unfenced = 1;
}

/* Agree on a slot, and prepare what goes over messages: all of a group without a port. */
sf_group *sf_over_messages(sf_group *group, const unsigned *members, unsigned lead);

#if SF_BY_MANAGERS

/* The rank of the member at a manager's node, which leads; n if there is none. */
static const uint16_t sf_managers[] = SYNCFABRIC_MANAGER_NODES;
static inline unsigned sf_leader(const unsigned *members, unsigned n)
{
    for (unsigned manager = 0; manager < SYNCFABRIC_MANAGERS; manager++)
        for (unsigned rank = 0; rank < n; rank++)
            if (members[rank] == sf_managers[manager])
                return rank;
    return n;
}

/* Begin at a manager's core: words are the entries that groups of the network file have, a half-word
 * a router, a bit each. */
void sf_begin_manager(const uint16_t *words);

/* Make a group at the leader: plan it, have the manager set it up and announce its ticket to the others, in
 * whose low byte is the entry that the group has at all its routers, or SF_NO_REGISTER. */
sf_group *sf_lead(const unsigned *members, unsigned n, sf_op op, unsigned lead);

/* A group has the register of a ticket. */
static inline void sf_take_port(sf_group *group, unsigned ticket)
{
    group->ticket = (uint16_t)ticket;
    group->port = sf_port_of(ticket & 0xff);
}

/* Wait until a group that has a port is set up; give it up after its last barrier: at all members. */
void sf_await_go(const sf_group *group);
void sf_give_up(sf_group *group);

#endif

#endif /* SF_SET_UP_H */
