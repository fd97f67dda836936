/* Groups: those of the network file, which the boot block describes, and those made at run time. */

#include "sf_messages.h"
#include "sf_set_up.h"

#ifndef SF_BOOT_BYTES
#define SF_BOOT_BYTES 1024
#endif
#define NONE SYNCFABRIC_BOOT_NONE
#define OFFERED (1u << 31) /* no offer of slots is 0 */

/* Written before a core is let go: see sim/cores/run.py. */
__attribute__((section(".boot"), used)) uint32_t sf_boot[SF_BOOT_BYTES / 4] = {0};

#if SF_BY_MANAGERS
#define MOST_GROUPS (SF_GROUPS + SYNCFABRIC_PORT_REGISTERS) /* slots, and registers */
#else
#define MOST_GROUPS SF_GROUPS
#endif

sf_group sf_groups[MOST_GROUPS], *const sf_groups_end = sf_groups + MOST_GROUPS;
static uint32_t slots_used;
sf_group *sf_world_made;

__attribute__((noreturn)) void sf_exit(int code)
{
    SF_WORD(SYNCFABRIC_CORE_EXIT) = (uint32_t)code;
    for (;;)
        ;
}

/* Work out which members a member notifies, from its rank. */
static void prepare(sf_group *group)
{
    unsigned rank = group->rank, size = group->size, slot = group->slot;
    group->rounds = group->children = group->givers = 0;
    for (unsigned far = 1; far < size; far <<= 1) {
        unsigned to = rank + far < size ? rank + far : rank + far - size;
        group->around[group->rounds] = SF_HEAD(group->members[to], SF_CODE(slot, group->rounds));
        group->rounds++;
    }
#if SF_BARRIER == SF_TOURNAMENT
    for (unsigned round = 0; 1u << round < size; round++) {
        unsigned bit = 1u << round;
        if (rank & bit) {
            group->above = SF_HEAD(group->members[rank - bit], SF_CODE(slot, round));
            break;
        }
        if (rank + bit < size)
            group->below[group->children++] =
                SF_HEAD(group->members[rank + bit], SF_CODE(slot, SF_DOWN));
    }
#else
    unsigned parent = SF_BARRIER == SF_TREE && rank ? (rank - 1) / 4 : 0;
    group->above = SF_HEAD(group->members[parent], SF_CODE(slot, SF_UP));
    for (unsigned child = 4 * rank + 1; child <= 4 * rank + 4 && child < size; child++)
        group->below[group->children++] =
            SF_HEAD(group->members[child], SF_CODE(slot, SF_DOWN));
#endif
    /* Slots above have no tags for reductions: a packet to itself stops the core there (K1). */
    unsigned up = slot < SF_GROUPS ? (rank - 1) / 4 : rank;
    if (rank)
        group->value = SF_WORD_HEAD(group->members[up], SF_TAG_VALUE(slot));
    for (unsigned child = 4 * rank + 1; child <= 4 * rank + 4 && child < size; child++)
        group->results[group->givers++] =
            SF_WORD_HEAD(group->members[child], SF_TAG_RESULT(slot));
}

static uint32_t fences; /* registers whose arrives wait for acknowledgements */

static void add_from_file(unsigned slot, const uint16_t *entry)
{
    sf_group *group = sf_free_group();
    unsigned number = entry[1], size = entry[3];
    if (!group || (slot >= SF_GROUPS && (number == NONE || !SF_IN_HARDWARE)))
        sf_exit(SF_EXIT_GROUP);
    *group = (sf_group){.used = 1, .of_file = 1, .gid = (uint8_t)entry[0], .slot = (uint8_t)slot,
                        .op = (uint8_t)entry[4], .fence = !!(entry[4] & SYNCFABRIC_BOOT_FENCE),
                        .rank = entry[2], .size = entry[3],
                        .role = entry[5], .flits = entry[6]};
    for (unsigned i = 0; i < size; i++)
        group->members[i] = (uint8_t)entry[7 + i];
    if (number != NONE) {
        group->port = sf_port_of(number);
        if (group->fence)
            fences |= 1u << number;
    }
    prepare(group);
    if (SF_BY_FLITS)
        sf_reflex_begin(group);
}

/* Take in the boot block; called before main. A group of which no core's program can be a member has
 * no members there, but its number, and a register maybe. */
void sf_start(void)
{
    const uint16_t *entry = (const uint16_t *)(sf_boot + 2);
    if (sf_boot[0] != SYNCFABRIC_BOOT_MAGIC)
        return;
    for (unsigned slot = 0; slot < sf_boot[1]; slot++) {
        unsigned size = entry[3];
        if (slot < SF_GROUPS && size)
            slots_used |= 1u << slot;
        if (entry[2] != NONE)
            add_from_file(slot, entry);
        entry += 7 + size;
    }
    if (fences)
        SF_WORD(SYNCFABRIC_CORE_FENCE) = fences;
#if SF_BY_MANAGERS
    sf_begin_manager(entry);
#endif
}

sf_group *sf_group_of(unsigned gid)
{
    for (unsigned i = 0; i < MOST_GROUPS; i++)
        if (sf_groups[i].used && sf_groups[i].of_file && sf_groups[i].gid == gid)
            return &sf_groups[i];
    return 0;
}

static unsigned lowest(uint32_t bits)
{
    unsigned place = 0;
    while (!(bits >> place & 1))
        place++;
    return place;
}

/* Begin a group, which has no port and no slot; 0 if this core is no member, or knows too many. */
static sf_group *new_group(const unsigned *members, unsigned n, sf_op op)
{
    sf_group *group = sf_free_group();
    unsigned rank = n, self = sf_core();
    if (!group)
        return 0;
    for (unsigned i = 0; i < n; i++) {
        group->members[i] = (uint8_t)members[i];
        if (members[i] == self)
            rank = i;
    }
    if (rank == n)
        return 0;
    sf_prepare_group(group, 0, rank, n, op);
    group->port = 0;
    return group;
}

/* What the leader announces. */
static uint32_t receive(unsigned from)
{
    uint32_t head, word, wanted = SF_WORD_HEAD(from, SF_TAG_CHOICE);
    if (sf_is_kept(from, SF_TAG_CHOICE)) {
        sf_recv(from, SF_TAG_CHOICE, &word, 1);
        return word;
    }
    while ((head = SF_WORD(SYNCFABRIC_CORE_RECV)) != wanted)
        sf_keep_quickly(head);
    return SF_WORD(SYNCFABRIC_CORE_RECV_DATA);
}

/* Agree on a slot that all have free; SF_GROUPS if there is none. Each offers its own to the leader. */
static unsigned agree(sf_group *group, const unsigned *members, unsigned lead)
{
    uint32_t offer = OFFERED | (~slots_used & 0xff);
    unsigned slot = SF_GROUPS;
    if (group->rank != lead) {
        sf_see_room();
        sf_signal(SF_WORD_HEAD(members[lead], SF_TAG_OFFER));
        SF_WORD(SYNCFABRIC_CORE_SEND_DATA) = offer;
        sf_unfenced = 1;
        return receive(members[lead]);
    }
    for (unsigned i = 0; i < group->size; i++)
        if (i != lead)
            offer &= sf_await_offer(members[i]);
    if (offer & 0xff)
        slot = lowest(offer);
    sf_announce(group, members, group->size, slot);
    return slot;
}

/* Without a slot only a group in hardware is one: its barriers need none. */
sf_group *sf_over_messages(sf_group *group, const unsigned *members, unsigned lead)
{
    group->slot = (uint8_t)agree(group, members, lead);
    if (group->slot < SF_GROUPS)
        slots_used |= 1u << group->slot;
    else if (!group->port)
        return group->used = 0, (sf_group *)0;
    prepare(group);
    if (!group->port) {
        sf_dissemination_arrive(group);
        sf_dissemination_wait(group);
    }
    return group;
}

static __attribute__((noinline)) sf_group *create(const unsigned *members, unsigned n, sf_op op)
{
    sf_group *group = new_group(members, n, op);
    return group ? sf_over_messages(group, members, 0) : 0;
}

#if SF_BY_MANAGERS
static __attribute__((noinline)) sf_group *follow(const unsigned *members, unsigned n, sf_op op,
                                                  unsigned lead)
{
    sf_group *group = new_group(members, n, op);
    unsigned ticket;
    if (!group)
        return 0;
    group->lead = (uint16_t)lead;
    ticket = receive(members[lead]);
    if (ticket != SF_NO_REGISTER) {
        sf_take_port(group, ticket);
        sf_await_go(group);
        if (SF_COMBINES)
            return group;
    }
    return sf_over_messages(group, members, lead);
}
#endif

sf_group *sf_group_create_op(const unsigned *members, unsigned n, sf_op op)
{
    if (n - 1 >= SYNCFABRIC_MOST_CORES)
        return 0;
#if SF_BY_MANAGERS
    unsigned lead = sf_leader(members, n);
    if (lead < n && !(SF_COMBINES && op >= SF_OPERATIONS)) {
        if (members[lead] == sf_core())
            return sf_lead(members, n, op, lead);
        return follow(members, n, op, lead);
    }
#endif
    return create(members, n, op);
}

sf_group *sf_group_create(const unsigned *members, unsigned n)
{
    return sf_group_create_op(members, n, SF_OR);
}

void sf_group_free(sf_group *group)
{
    /* All have been released, so nothing of the group is in flight. */
#if SF_BY_MANAGERS
    if (group->port)
        sf_give_up(group);
    else
#endif
    {
        sf_dissemination_arrive(group);
        sf_dissemination_wait(group);
    }
    slots_used &= ~(1u << group->slot);
    group->used = 0;
}

sf_group *sf_make_world(void)
{
    unsigned cores = sf_cores();
    for (unsigned i = 0; !sf_world_made && i < MOST_GROUPS; i++)
        if (sf_groups[i].used && sf_groups[i].size == cores
            && (SF_IN_HARDWARE ? sf_groups[i].port != 0 : !SF_BY_FLITS || sf_groups[i].role))
            sf_world_made = &sf_groups[i];
    if (!sf_world_made) {
        unsigned all[SYNCFABRIC_MOST_CORES];
        for (unsigned core = 0; core < cores; core++)
            all[core] = core;
        sf_world_made = sf_group_create(all, cores);
        if (!sf_world_made)
            sf_exit(SF_EXIT_GROUP);
    }
    return sf_world_made;
}
