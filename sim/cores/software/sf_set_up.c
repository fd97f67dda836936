/* Registers of groups: each member's own, and over switches those that a manager is asked for. */

#include "sf_messages.h"
#include "sf_set_up.h"

uint32_t sf_registers_used;

#if SF_SETS_UP

#ifdef SF_MESH
#include "sf_setup_mesh.h"
#else
#include "sf_setup_switches.h"
#endif

static void configure(unsigned address, uint32_t value)
{
    SF_WORD(SYNCFABRIC_CORE_CONFIG_BASE + address) = value;
    if (SF_WORD(SYNCFABRIC_CORE_CONFIG_STATUS))
        sf_exit(SF_EXIT_GROUP);
}

unsigned sf_free_register(sf_op op)
{
    unsigned number = 0;
    if (SF_COMBINES && op >= SF_OPERATIONS)
        return SF_NO_REGISTER;
    while (number < SYNCFABRIC_REGISTERS && sf_registers_used >> number & 1)
        number++;
    return number < SYNCFABRIC_REGISTERS ? number : SF_NO_REGISTER;
}

static void take(sf_group *group, unsigned number)
{
    group->port = sf_port_of(number);
    sf_registers_used |= 1u << number;
}

/* Clear the own register. */
static void drop(sf_group *group)
{
    unsigned number = (unsigned)(group->port - sf_port_of(0));
    configure(SYNCFABRIC_REGISTER(number, SYNCFABRIC_WORD_CONTROL), 0);
    sf_registers_used &= ~(1u << number);
    group->port = 0;
}

static inline void meet(const sf_group *group)
{
    sf_dissemination_arrive(group);
    sf_dissemination_wait(group);
}

#if defined(SF_SWITCHES) || defined(SF_MANAGED)
/* Wait for GO: members may arrive only then. It needs no messages of programs on its way. */
static void await_go(const sf_group *group)
{
    while (!(group->port[SYNCFABRIC_CORE_DONE_BASE - SYNCFABRIC_CORE_ARRIVE_BASE]
             & 1u << SYNCFABRIC_BARRIER_STATUS_WORD_READY_SHIFT))
        ;
}
#endif

#ifdef SF_MESH

unsigned sf_leader(const unsigned *members, unsigned n)
{
    (void)members, (void)n;
    return 0;
}

uint32_t sf_numbers(unsigned leader, unsigned word)
{
    (void)leader, (void)word;
    return ~0u;
}

sf_planned sf_plan(const unsigned *members, unsigned n, unsigned gid)
{
    (void)members, (void)n, (void)gid;
    return (sf_planned){0, 0};
}

/* Write the own register, its valid bit last. With managers a register awaits GO, whoever wrote it:
 * the root sends it down the tree. */
void sf_set_up(sf_group *group, unsigned number, int leads, sf_planned plan)
{
    uint8_t spare[SYNCFABRIC_MOST_CORES];
    sf_mesh_register made =
        sf_setup_mesh(group->members, group->size, sf_core(), group->gid, group->op, spare);
    (void)leads, (void)plan;
    for (unsigned word = SYNCFABRIC_WORD_PARENT; word <= SYNCFABRIC_WORD_SOUTH; word++)
        configure(SYNCFABRIC_REGISTER(number, word), made.words[word]);
    configure(SYNCFABRIC_REGISTER(number, SYNCFABRIC_WORD_CONTROL),
              made.words[SYNCFABRIC_WORD_CONTROL]);
    take(group, number);
    meet(group); /* nobody arrives before all registers are written */
#ifdef SF_MANAGED
    if (made.words[SYNCFABRIC_WORD_CONTROL] >> SYNCFABRIC_CONTROL_WORD_ROOT_SHIFT & 1)
        configure(SYNCFABRIC_REGISTER(number, SYNCFABRIC_WORD_STATUS), SYNCFABRIC_COMMAND_GO);
    await_go(group);
#endif
}

void sf_give_up(sf_group *group, int leads)
{
    (void)leads;
    meet(group);
    drop(group);
}

#else

#define SWITCH_WORDS ((SYNCFABRIC_SWITCHES + 31) / 32)

static const uint16_t managers[] = SYNCFABRIC_MANAGER_NODES;
static sf_switch_tree planned;                     /* the leader's, from sf_plan to sf_set_up */
static uint32_t trees[SF_GROUPS][SWITCH_WORDS];    /* switches of the groups it leads, by slot */
static uint32_t epochs[256 / 16];                  /* of its groups' last lives, by number */

unsigned sf_leader(const unsigned *members, unsigned n)
{
    for (unsigned manager = 0; manager < SYNCFABRIC_MANAGERS; manager++)
        for (unsigned rank = 0; rank < n; rank++)
            if (members[rank] == managers[manager])
                return rank;
    return n;
}

uint32_t sf_numbers(unsigned leader, unsigned word)
{
    return managers[word % SYNCFABRIC_MANAGERS] == leader ? ~0u : 0;
}

sf_planned sf_plan(const unsigned *members, unsigned n, unsigned gid)
{
    unsigned shift = gid % 16 * 2, epoch = ((epochs[gid / 16] >> shift) + 1) & 3;
    epochs[gid / 16] = (epochs[gid / 16] & ~(3u << shift)) | epoch << shift;
    sf_plan_switches(members, n, &planned);
    return (sf_planned){(uint8_t)epoch, (uint8_t)planned.root_node};
}

/* Give the manager a command; whether all its switches did it. */
static int order(unsigned request, unsigned count)
{
    uint32_t state;
    configure(SYNCFABRIC_MANAGER_COMMAND,
              request << SYNCFABRIC_MANAGER_COMMAND_WORD_OPERATION_SHIFT
                  | count << SYNCFABRIC_MANAGER_COMMAND_WORD_COUNT_SHIFT);
    do
        state = SF_WORD(SYNCFABRIC_CORE_CONFIG_BASE + SYNCFABRIC_MANAGER_STATUS)
            >> SYNCFABRIC_MANAGER_STATUS_WORD_STATE_SHIFT & SYNCFABRIC_MANAGER_STATUS_WORD_STATE_MASK;
    while (state == SYNCFABRIC_STATE_RUNNING);
    return state == SYNCFABRIC_STATE_DONE;
}

static void give_entry(const uint32_t words[3])
{
    for (unsigned i = 0; i < 3; i++)
        configure(SYNCFABRIC_MANAGER_DATA, words[i]);
}

static int ask_switches(const sf_group *group, unsigned epoch)
{
    uint32_t *tree = trees[group->slot], words[3];
    for (unsigned i = 0; i < SWITCH_WORDS; i++)
        tree[i] = 0;
    configure(SYNCFABRIC_MANAGER_POINTER, 0);
    for (unsigned i = 0; i < planned.count; i++) {
        sf_switch_entry(&planned, i, group->gid, group->op, epoch, words);
        give_entry(words);
        tree[planned.switches[i] / 32] |= 1u << planned.switches[i] % 32;
    }
    return order(SYNCFABRIC_REQUEST_SETUP, planned.count);
}

/* Have switches clear what they have of a group; no word of an entry counts but these two. */
static int clear_switches(const sf_group *group)
{
    const uint32_t *tree = trees[group->slot];
    uint32_t words[3] = {0, (uint32_t)group->gid << SYNCFABRIC_REQUEST_WORD_GID_SHIFT, 0};
    unsigned count = 0;
    configure(SYNCFABRIC_MANAGER_POINTER, 0);
    for (unsigned s = 0; s < SYNCFABRIC_SWITCHES; s++)
        if (tree[s / 32] >> s % 32 & 1) {
            words[0] = sf_switch_header(s);
            give_entry(words);
            count++;
        }
    return order(SYNCFABRIC_REQUEST_CLEAR, count);
}

/* Members' own registers first, then the switches', the root's last: GO comes down from it. */
void sf_set_up(sf_group *group, unsigned number, int leads, sf_planned plan)
{
    uint32_t words[2], refused = 0;
    uint8_t op = group->op;
    sf_node_image(group->size, plan.root == sf_core(), group->gid, op, plan.epoch, words);
    configure(SYNCFABRIC_REGISTER(number, SYNCFABRIC_WORD_TREE), words[0]);
    configure(SYNCFABRIC_REGISTER(number, SYNCFABRIC_WORD_CONTROL), words[1]);
    take(group, number);
    meet(group);
    if (leads && group->size > 1)
        refused = !ask_switches(group, plan.epoch);
    group->op = SF_OR;
    refused = sf_tree_reduce(group, refused);
    group->op = op;
    if (refused)
        drop(group);
    else
        await_go(group);
}

void sf_give_up(sf_group *group, int leads)
{
    meet(group);
    drop(group);
    if (leads && group->size > 1 && !clear_switches(group))
        sf_exit(SF_EXIT_GROUP);
    meet(group); /* for a group that is made next, the switches have room again */
}

#endif

#endif /* SF_SETS_UP */
