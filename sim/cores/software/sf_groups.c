/* Groups: those of the network file, which the boot block tells of, and those made on the way. */

#include "sf_messages.h"
#ifdef SF_MESH
#include "sf_setup_mesh.h"
#endif

#ifndef SF_BOOT_BYTES
#define SF_BOOT_BYTES 1024
#endif
#define NONE SYNCFABRIC_BOOT_NONE
#define OFFER_WORDS 9 /* numbers that a core has free: 256 gids, then slots and a register */
#define HAS_REGISTER (1u << 31)
#define HAS_GROUP (1u << 30)

/* Written before a core is let go: see sim/cores/boot.py. */
__attribute__((section(".boot"), used)) uint32_t sf_boot[SF_BOOT_BYTES / 4] = {0};

static sf_group groups[SF_GROUPS];
static uint32_t gids_used[8], registers_used;
static uint32_t slots_used;
sf_group *sf_world_made;

__attribute__((noreturn)) void sf_exit(int code)
{
    SF_WORD(SYNCFABRIC_CORE_EXIT) = (uint32_t)code;
    for (;;)
        ;
}

static volatile uint32_t *port_of(unsigned number)
{
    return &SF_WORD(SYNCFABRIC_CORE_ARRIVE_BASE + number);
}

/* Work out whom a member tells what, from its rank. */
static void prepare(sf_group *group)
{
    unsigned rank = group->rank, size = group->size, slot = group->slot;
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
}

static sf_group *free_group(void)
{
    for (unsigned i = 0; i < SF_GROUPS; i++)
        if (!groups[i].used)
            return &groups[i];
    return 0;
}

static void add_from_file(unsigned slot, const uint16_t *entry)
{
    sf_group *group = free_group();
    unsigned number = entry[1], size = entry[3];
    if (!group || (slot >= SF_GROUPS && (number == NONE || !SF_IN_HARDWARE)))
        sf_exit(SF_EXIT_GROUP);
    *group = (sf_group){.used = 1, .gid = (uint8_t)entry[0], .slot = (uint8_t)slot,
                        .op = (uint8_t)entry[4], .rank = entry[2], .size = entry[3],
                        .role = entry[5], .flits = entry[6]};
    for (unsigned i = 0; i < size; i++)
        group->members[i] = (uint8_t)entry[7 + i];
    if (number != NONE) {
        group->port = port_of(number);
        registers_used |= 1u << number;
    }
    prepare(group);
    if (SF_BY_FLITS)
        sf_reflex_begin(group);
}

/* Take in the boot block; called before main. */
void sf_start(void)
{
    const uint16_t *entry = (const uint16_t *)(sf_boot + 2);
    if (sf_boot[0] != SYNCFABRIC_BOOT_MAGIC)
        return;
    for (unsigned slot = 0; slot < sf_boot[1]; slot++) {
        unsigned gid = entry[0], size = entry[3];
        gids_used[gid / 32] |= 1u << gid % 32;
        if (slot < SF_GROUPS)
            slots_used |= 1u << slot;
        if (entry[2] != NONE)
            add_from_file(slot, entry);
        entry += 7 + size;
    }
}

sf_group *sf_group_of(unsigned gid)
{
    for (unsigned i = 0; i < SF_GROUPS; i++)
        if (groups[i].used && groups[i].gid == gid)
            return &groups[i];
    return 0;
}

/* Agree on what all members have free: up a tree of two children a member, and down again. */
static void agree(const unsigned *members, unsigned n, unsigned rank, uint32_t *offer)
{
    for (unsigned child = 2 * rank + 1; child <= 2 * rank + 2 && child < n; child++) {
        uint32_t other[OFFER_WORDS];
        sf_recv(members[child], SF_TAG_OFFER, other, OFFER_WORDS);
        for (unsigned i = 0; i < OFFER_WORDS; i++)
            offer[i] &= other[i];
    }
    if (rank) {
        sf_send_tagged(members[(rank - 1) / 2], SF_TAG_OFFER, offer, OFFER_WORDS);
        sf_recv(members[(rank - 1) / 2], SF_TAG_CHOICE, offer, OFFER_WORDS);
    }
    for (unsigned child = 2 * rank + 1; child <= 2 * rank + 2 && child < n; child++)
        sf_send_tagged(members[child], SF_TAG_CHOICE, offer, OFFER_WORDS);
}

static unsigned lowest(uint32_t bits)
{
    unsigned place = 0;
    while (!(bits >> place & 1))
        place++;
    return place;
}

#if SF_IN_HARDWARE && defined(SF_MESH)
static unsigned free_register(void)
{
    unsigned number = 0;
    while (number < SYNCFABRIC_REGISTERS && registers_used >> number & 1)
        number++;
    return number < SYNCFABRIC_REGISTERS ? number : NONE;
}

static void write_register(unsigned number, unsigned word, uint32_t value)
{
    SF_WORD(SYNCFABRIC_CORE_CONFIG_BASE + SYNCFABRIC_REGISTER(number, word)) = value;
    if (SF_WORD(SYNCFABRIC_CORE_CONFIG_STATUS))
        sf_exit(SF_EXIT_GROUP);
}

/* Write the own register, its valid bit last. */
static void set_up(sf_group *group, unsigned number)
{
    uint8_t spare[SYNCFABRIC_MOST_CORES];
    sf_mesh_register made =
        sf_setup_mesh(group->members, group->size, sf_core(), group->gid, group->op, spare);
    for (unsigned word = SYNCFABRIC_WORD_PARENT; word <= SYNCFABRIC_WORD_SOUTH; word++)
        write_register(number, word, made.words[word]);
    write_register(number, SYNCFABRIC_WORD_CONTROL, made.words[SYNCFABRIC_WORD_CONTROL]);
    group->port = port_of(number);
    registers_used |= 1u << number;
}

static void clear(const sf_group *group)
{
    unsigned number = (unsigned)(group->port - port_of(0));
    write_register(number, SYNCFABRIC_WORD_CONTROL, 0);
    registers_used &= ~(1u << number);
}
#else
/* Only a manager can reach all that such a group needs: it goes over messages. */
static unsigned free_register(void) { return NONE; }
static void set_up(sf_group *group, unsigned number) { (void)group, (void)number; }
static void clear(const sf_group *group) { (void)group; }
#endif

sf_group *sf_group_create_op(const unsigned *members, unsigned n, sf_op op)
{
    uint32_t offer[OFFER_WORDS];
    sf_group *group = free_group();
    unsigned number = free_register(), rank = 0, word = 0;
    while (rank < n && members[rank] != sf_core())
        rank++;
    if (rank == n || n > SYNCFABRIC_MOST_CORES)
        return 0;
    for (unsigned i = 0; i < 8; i++)
        offer[i] = ~gids_used[i];
    offer[8] = (~slots_used & 0xff) | (group ? HAS_GROUP : 0) | (number != NONE ? HAS_REGISTER : 0);
    agree(members, n, rank, offer);
    while (word < 8 && !offer[word])
        word++;
    if (word == 8 || !(offer[8] & HAS_GROUP) || !(offer[8] & 0xff))
        return 0;
    *group = (sf_group){.used = 1, .op = (uint8_t)op, .rank = (uint16_t)rank, .size = (uint16_t)n};
    group->gid = (uint8_t)(32 * word + lowest(offer[word]));
    group->slot = (uint8_t)lowest(offer[8] & 0xff);
    for (unsigned i = 0; i < n; i++)
        group->members[i] = (uint8_t)members[i];
    gids_used[group->gid / 32] |= 1u << group->gid % 32;
    slots_used |= 1u << group->slot;
    prepare(group);
    if (offer[8] & HAS_REGISTER)
        set_up(group, number);
    /* Nobody arrives before all registers are written. */
    sf_dissemination_arrive(group);
    sf_dissemination_wait(group);
    return group;
}

sf_group *sf_group_create(const unsigned *members, unsigned n)
{
    return sf_group_create_op(members, n, SF_OR);
}

void sf_group_free(sf_group *group)
{
    /* All have been released, so nothing of the group is under way. */
    sf_dissemination_arrive(group);
    sf_dissemination_wait(group);
    if (group->port)
        clear(group);
    gids_used[group->gid / 32] &= ~(1u << group->gid % 32);
    slots_used &= ~(1u << group->slot);
    group->used = 0;
}

sf_group *sf_make_world(void)
{
    unsigned cores = sf_cores();
    for (unsigned i = 0; !sf_world_made && i < SF_GROUPS; i++)
        if (groups[i].used && groups[i].size == cores
            && (SF_IN_HARDWARE ? groups[i].port != 0 : !SF_BY_FLITS || groups[i].role))
            sf_world_made = &groups[i];
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
