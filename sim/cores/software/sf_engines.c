/* Groups on collective engines: the core at a manager's node plans them, allots their entries, and
 * has the manager set them up and end them. Source: docs/setup.md. */

#include "sf_messages.h"
#include "sf_set_up.h"

#if SF_BY_MANAGERS

#define MANAGER(word) \
    SF_WORD(SYNCFABRIC_CORE_CONFIG_BASE + (SYNCFABRIC_TARGET_MANAGER | SYNCFABRIC_MANAGER_##word))
#define FIELD(word, layout, name) \
    ((word) >> SYNCFABRIC_##layout##_##name##_SHIFT & SYNCFABRIC_##layout##_##name##_MASK)
#define SF_GIVE(word) (MANAGER(DATA) = (word))

#include "sf_links.h"

static sf_tree planned;  /* of the last group that was ordered */
static sf_group *unnoted; /* that group, until it is noted */
static uint32_t command; /* the manager's last */
static uint32_t share;   /* of the own manager: see SYNCFABRIC_SHARES */

/* Of the groups that it leads, by their register: root, ticket, and how many other members are to say
 * that they are through with it, once it is broken. */
static uint8_t roots[SYNCFABRIC_PORT_REGISTERS];
static uint16_t tickets[SYNCFABRIC_PORT_REGISTERS];
static uint8_t owing[SYNCFABRIC_PORT_REGISTERS];
static uint32_t broken; /* entries that are taken until no member owes any more */

void sf_begin_manager(const uint16_t *words)
{
    static const uint16_t shares[] = SYNCFABRIC_SHARES;
    for (unsigned manager = 0; manager < SYNCFABRIC_MANAGERS; manager++)
        if (sf_managers[manager] == sf_core())
            share = shares[manager];
    for (unsigned r = 0; share && r < SYNCFABRIC_ROUTERS; r++)
        sf_entries[r].taken = words[r];
}

static void order(unsigned operation, unsigned count)
{
    command = operation << SYNCFABRIC_MANAGER_COMMAND_OPERATION_SHIFT
        | count << SYNCFABRIC_MANAGER_COMMAND_COUNT_SHIFT;
    MANAGER(COMMAND) = command;
}

/* Wait until a command is done. While a former group's last release is still passing somewhere the
 * same command is given again. */
static void await_done(void)
{
    for (;;) {
        uint32_t status = MANAGER(STATUS), state = FIELD(status, MANAGER_STATUS, STATE);
        uint32_t code = FIELD(status, MANAGER_STATUS, CODE);
        if (state == SYNCFABRIC_STATE_DONE)
            return;
        if (state != SYNCFABRIC_STATE_RUNNING) {
            if (code != SYNCFABRIC_ANSWER_BUSY && code != SYNCFABRIC_ANSWER_DENIED)
                sf_exit(SF_EXIT_GROUP);
            MANAGER(COMMAND) = command;
        }
    }
}

static void release(unsigned entry)
{
    for (unsigned r = 0; r < SYNCFABRIC_ROUTERS; r++)
        sf_entries[r].taken &= ~(1u << SF_MADE << entry);
}

static inline unsigned entry_of(const sf_group *group)
{
    return (unsigned)(group->port - sf_port_of(0));
}

/* Note what the last group has: when it is asked for, not while members wait for GO. */
static void note(void)
{
    unsigned entry, shift;
    if (!unnoted)
        return;
    entry = entry_of(unnoted), shift = 2 * entry;
    tickets[entry] = unnoted->ticket;
    owing[entry] = (uint8_t)(unnoted->size - 1);
    for (const struct sf_part *part = planned.parts; part < planned.end; part++) {
        unsigned r = part->router;
        uint32_t epochs = sf_entries[r].epochs;
        sf_entries[r].taken |= 1u << SF_MADE << entry;
        sf_entries[r].epochs = (epochs & ~(3u << shift)) | ((epochs + (1u << shift)) & 3u << shift);
    }
    roots[entry] = (uint8_t)planned.root;
    unnoted = 0;
}

/* A member is through with a group that was broken. */
void sf_end(uint32_t ticket)
{
    unsigned entry = ticket & 0xff;
    note();
    if (ticket == tickets[entry] && !--owing[entry] && broken >> entry & 1) {
        broken &= ~(1u << entry);
        release(entry);
    }
}

static inline int is_ready(const sf_group *group)
{
    uint32_t status = group->port[SYNCFABRIC_CORE_DONE_BASE - SYNCFABRIC_CORE_ARRIVE_BASE];
    return FIELD(status, BARRIER_STATUS_WORD, READY);
}

/* Members may arrive from GO on, which the root sends when all else is done. */
void sf_await_go(const sf_group *group)
{
    while (!is_ready(group))
        ;
}

#define STEP(name, ...) \
    static __attribute__((noinline)) sf_group *name(const unsigned *members, unsigned n, sf_op op, \
                                                    unsigned lead, ##__VA_ARGS__)

/* Wait until a group is set up. */
STEP(await_set_up)
{
    sf_group *group = unnoted;
    (void)n, (void)op;
    await_done();
    sf_await_go(group);
    return SF_COMBINES ? group : sf_over_messages(group, members, lead);
}

/* Send the others the ticket, and note what is known of a group, while it is set up. */
STEP(finish, unsigned ticket)
{
    sf_group *group = sf_free_group();
    if (!group)
        return 0;
    sf_announce(group, members, n, ticket);
    sf_prepare_group(group, 1, lead, n, op);
    group->lead = (uint16_t)lead;
    if (ticket == SF_NO_REGISTER) {
        group->port = 0;
        return sf_over_messages(group, members, lead);
    }
    sf_take_port(group, ticket);
    unnoted = group;
    if (SF_COMBINES && FIELD(MANAGER(STATUS), MANAGER_STATUS, STATE) == SYNCFABRIC_STATE_DONE
        && is_ready(group))
        return group;
    return await_set_up(members, n, op, lead);
}

static inline unsigned order_set_up(unsigned entry, unsigned epoch)
{
    order(SYNCFABRIC_OPERATION_SETUP, (unsigned)(planned.end - planned.parts));
    return entry | epoch << 8;
}

STEP(lead_any)
{
    unsigned entry, ticket = SF_NO_REGISTER;
    if (broken)
        sf_probe(SF_ANY, SF_TAG_ENDED); /* take in what has come */
    sf_plan_tree(members, n, &planned);
    entry = sf_free_entry(&planned, share, op <= SF_XOR);
    if (entry != SF_NO_ENTRY) {
        MANAGER(POINTER) = 0;
        sf_give_requests(&planned, entry, op);
        ticket = order_set_up(entry, sf_epoch(planned.root, entry));
    }
    return finish(members, n, op, lead, ticket);
}

/* The usual method; each step goes on to the next one, so that few registers have to be saved. */
sf_group *sf_lead(const unsigned *members, unsigned n, sf_op op, unsigned lead)
{
    sf_tree star; /* without its parts */
    unsigned entry, epoch;
    note();
    if (SF_ROUTED || broken || !sf_plan_star(members, n, &star, planned.parts))
        return lead_any(members, n, op, lead);
    planned.root = star.root, planned.end = star.end;
    entry = sf_free_entry(&star, share, op <= SF_XOR);
    if (entry == SF_NO_ENTRY)
        return finish(members, n, op, lead, SF_NO_REGISTER);
    if (star.mixed >> 2 * entry & 3)
        return lead_any(members, n, op, lead);
    epoch = star.epochs >> 2 * entry & 3;
    MANAGER(POINTER) = 0;
    sf_give_star(planned.parts, star.end, entry, epoch, op);
    return finish(members, n, op, lead, order_set_up(entry, epoch));
}

int sf_group_kill(sf_group *group)
{
    unsigned entry, count = 0;
    if (!group->leads || !group->port)
        return 0;
    note();
    entry = entry_of(group);
    for (unsigned r = 0; r < SYNCFABRIC_ROUTERS; r++)
        if (sf_entries[r].taken >> SF_MADE >> entry & 1) {
            MANAGER(POINTER) = count++ * (2 + SYNCFABRIC_IMAGE_WORDS);
            SF_GIVE(sf_sink_headers[r]);
            SF_GIVE(sf_request(entry, sf_epoch(r, entry)));
        }
    order(SYNCFABRIC_OPERATION_KILL, count);
    await_done();
    return 1;
}

/* The last barrier ends a group, and its entries are free when the root's router has said so. Of one
 * that is broken a watchdog may not have come to all yet. Its entries are free when all members are
 * through with it, for they would take the next group's GO for their own. */
void sf_give_up(sf_group *group)
{
    unsigned entry = entry_of(group);
    group->port[SYNCFABRIC_CORE_LAST_BASE - SYNCFABRIC_CORE_ARRIVE_BASE] = 0;
    (void)group->port[SYNCFABRIC_CORE_WAIT_BASE - SYNCFABRIC_CORE_ARRIVE_BASE];
    if (group->leads) {
        uint32_t freed;
        note();
        freed = 1u << SYNCFABRIC_ENDED_GROUP_VALID_SHIFT
            | (uint32_t)roots[entry] << SYNCFABRIC_ENDED_GROUP_ROUTER_SHIFT
            | sf_number(entry) << SYNCFABRIC_ENDED_GROUP_ENTRY_SHIFT
            | sf_epoch(roots[entry], entry) << SYNCFABRIC_ENDED_GROUP_EPOCH_SHIFT;
        if (sf_broken(group)) {
            sf_group_kill(group);
            if (owing[entry])
                broken |= 1u << entry;
            else
                release(entry);
        } else {
            while (MANAGER(FREED) != freed)
                ;
            release(entry);
        }
    } else if (!group->of_file && sf_broken(group)) {
        sf_see_room();
        sf_signal(SF_WORD_HEAD(group->members[group->lead], SF_TAG_ENDED));
        SF_WORD(SYNCFABRIC_CORE_SEND_DATA) = group->ticket;
        sf_unfenced = 1;
    }
    group->port = 0;
}

#else

int sf_group_kill(sf_group *group) { return (void)group, 0; }

#endif
