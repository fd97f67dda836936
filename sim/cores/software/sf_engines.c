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

static const uint16_t managers[] = SYNCFABRIC_MANAGER_NODES;
static sf_tree planned;  /* of the last group that was ordered */
static sf_group *unnoted; /* that group, until it is noted */
static uint32_t command; /* the manager's last */
static uint32_t share;   /* entries of the own manager's that a node's port has registers for */

/* Of the groups that it leads, by their entry: root, ticket, and how many other members are to say
 * that they are through with it, once it is broken. */
static uint8_t roots[SYNCFABRIC_ENTRY_REGISTERS];
static uint16_t tickets[SYNCFABRIC_ENTRY_REGISTERS];
static uint8_t owing[SYNCFABRIC_ENTRY_REGISTERS];
static uint32_t broken; /* entries that are taken until nobody owes any more */

unsigned sf_leader(const unsigned *members, unsigned n)
{
    for (unsigned manager = 0; manager < SYNCFABRIC_MANAGERS; manager++)
        for (unsigned rank = 0; rank < n; rank++)
            if (members[rank] == managers[manager])
                return rank;
    return n;
}

void sf_begin_manager(const uint16_t *words)
{
    for (unsigned manager = 0; manager < SYNCFABRIC_MANAGERS; manager++)
        if (managers[manager] == sf_core())
            for (unsigned at = 0; at < SYNCFABRIC_SHARE_ENTRIES; at++)
                share |= 1u << (manager * SYNCFABRIC_SHARE_ENTRIES + at)
                    & ((1u << SYNCFABRIC_ENTRY_REGISTERS) - 1);
    for (unsigned r = 0; share && r < SYNCFABRIC_ROUTERS; r++)
        sf_taken[r].of_file = words[r];
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
        sf_taken[r].made &= (uint16_t)~(1u << entry);
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
    for (unsigned i = 0; i < planned.count; i++) {
        unsigned r = planned.routers[i];
        uint32_t epochs = sf_epochs[r];
        sf_taken[r].made |= (uint16_t)(1u << entry);
        sf_epochs[r] = (epochs & ~(3u << shift)) | ((epochs + (1u << shift)) & 3u << shift);
        roots[entry] = (uint8_t)r;
    }
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

unsigned sf_have_made(const unsigned *members, unsigned n, sf_op op)
{
    unsigned entry = 0;
    uint32_t free;
    note();
    if (broken)
        sf_probe(SF_ANY, SF_TAG_ENDED); /* take in what has come */
    sf_plan_tree(members, n, &planned);
    free = share & ~planned.taken;
    if (!free)
        return SF_NO_REGISTER;
    while (!(free >> entry & 1))
        entry++;
    MANAGER(POINTER) = 0;
    sf_give_requests(&planned, entry, op);
    order(SYNCFABRIC_OPERATION_SETUP, planned.count);
    return entry | sf_epoch(planned.routers[planned.count - 1], entry) << 8;
}

static inline uint32_t status_of(const sf_group *group)
{
    return group->port[SYNCFABRIC_CORE_DONE_BASE - SYNCFABRIC_CORE_ARRIVE_BASE];
}

/* Members may arrive from GO on, which the root sends when all else is done. */
void sf_await_go(sf_group *group)
{
    if (group->leads) {
        unnoted = group;
        await_done();
    }
    while (!FIELD(status_of(group), BARRIER_STATUS_WORD, READY))
        ;
}

int sf_group_kill(sf_group *group)
{
    unsigned entry, count = 0;
    if (!group->leads || !group->port)
        return 0;
    note();
    entry = entry_of(group);
    for (unsigned r = 0; r < SYNCFABRIC_ROUTERS; r++)
        if (sf_taken[r].made >> entry & 1) {
            MANAGER(POINTER) = count++ * (2 + SYNCFABRIC_IMAGE_WORDS);
            SF_GIVE(sf_sink_headers[r]);
            SF_GIVE(entry << SYNCFABRIC_REQUEST_ENTRY_SHIFT
                    | sf_epoch(r, entry) << SYNCFABRIC_REQUEST_EPOCH_SHIFT);
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
            | entry << SYNCFABRIC_ENDED_GROUP_ENTRY_SHIFT
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
