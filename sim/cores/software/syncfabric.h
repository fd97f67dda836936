/* A core of a many-core system: its number, its console, messages, groups and barriers.
 *
 * A program is one C file with an int main(void), which every core runs; what main returns is the
 * core's exit code. There is no operating system and no allocation. See docs/cores.md. */
#ifndef SYNCFABRIC_H
#define SYNCFABRIC_H

#include <stddef.h>
#include <stdint.h>

#include "syncfabric_network.h"
#include "syncfabric_registers.h"

/* What sf_barrier is made of: a register of the hardware up to SF_REFLEX_TREE, flits that programs
 * send over a static network's routes up to SF_REFLEX_TREE_SOFTWARE, then messages. */
#define SF_ENGINE 0
#define SF_REFLEX 4
#define SF_REFLEX_TREE 5
#define SF_REFLEX_SOFTWARE 6
#define SF_REFLEX_TREE_SOFTWARE 7
#define SF_CENTRAL 16
#define SF_TREE 17
#define SF_DISSEMINATION 18
#define SF_TOURNAMENT 19

#ifndef SF_BARRIER
#define SF_BARRIER SF_ENGINE
#endif
#define SF_IN_HARDWARE (SF_BARRIER < SF_REFLEX_SOFTWARE)
#define SF_BY_FLITS (!SF_IN_HARDWARE && SF_BARRIER < SF_CENTRAL)

#define SF_GROUPS 8      /* that a core can know of at the same time */
#define SF_USER_TAGS 32  /* 0 to 31; the others are the library's */
#define SF_ANY 0xffffu   /* sf_recv: from any core */

/* Words of messages that can have come before they are asked for, a head a message with them: 256,
 * or what a program says by a line SF_INBOX(words); outside its functions. */
#define SF_INBOX(words) \
    uint32_t sf_inbox[words] __attribute__((section(".noinit"))); \
    const uint32_t sf_inbox_words = (words)
extern uint32_t sf_inbox[];
extern const uint32_t sf_inbox_words;

/* Exit codes by which the library stops a core. */
#define SF_EXIT_INBOX 240   /* more messages came before they were asked for than there is room for */
#define SF_EXIT_LENGTH 241  /* a message was longer or shorter than sf_recv asked for */
#define SF_EXIT_GROUP 242   /* a group that this core is no member of, or that cannot be made */
#define SF_EXIT_MESSAGE 243 /* sf_send to no core, of no words, or with a tag of the library's */

/* Bits of a group's value, and of a software reduction's where the network has none. */
#ifndef SF_DATA_BITS
#if defined SYNCFABRIC_DATA_BITS && SYNCFABRIC_DATA_BITS > 0
#define SF_DATA_BITS SYNCFABRIC_DATA_BITS
#else
#define SF_DATA_BITS 32
#endif
#endif

#if SF_BARRIER < SF_REFLEX && defined SYNCFABRIC_DATA_BITS && SYNCFABRIC_DATA_BITS > 0
#define SF_COMBINES 1 /* the network combines the members' values */
#else
#define SF_COMBINES 0
#endif

/* From SF_SIGNED_MAX on of vectors alone; those of floating point in streams alone. */
typedef enum {
    SF_OR, SF_AND, SF_XOR, SF_MAX, SF_MIN, SF_SUM,
    SF_SIGNED_MAX, SF_SIGNED_MIN, SF_FLOAT_SUM, SF_FLOAT_MAX, SF_FLOAT_MIN
} sf_op;

/* A group of cores, as one of them sees it; read it, and leave the writing to the library. */
typedef struct {
    volatile uint32_t *port;       /* its barrier register's ARRIVE, 0 where there is none */
    uint32_t around[6];            /* heads of the signals of a dissemination's rounds */
    uint32_t below[6];             /* heads of the releases to a tree's or tournament's children */
    uint32_t above;                /* head of the arrival that goes up */
    uint32_t value, results[4];    /* heads of a reduction's words: to the parent, to children */
    uint8_t leads, of_file;        /* whether this core chose its number, or the network file */
    uint8_t fence;                 /* whether an arrive waits until all that was sent has come */
    uint8_t used;
    uint8_t gid, slot, op;         /* slot: by which signals tell the groups apart */
    uint8_t rounds, children;      /* of a dissemination; how many are below */
    uint8_t givers;                /* children of a reduction */
    uint16_t lead, ticket;         /* on engines: rank of the leader, and its name of the group */
    uint16_t rank, size;
    uint16_t role, flits;          /* in a ring or tree by flits, 0 where there is none; of a tree */
    uint8_t members[SYNCFABRIC_MOST_CORES]; /* cores by their rank */
} sf_group;

/* The words of a core. */
#define SF_WORD(w) (((volatile uint32_t *)SYNCFABRIC_CORE_REGISTERS)[w])

static inline unsigned sf_core(void) { return SF_WORD(SYNCFABRIC_CORE_CORE); }
static inline unsigned sf_cores(void) { return SF_WORD(SYNCFABRIC_CORE_CORES); }

/* Cycles since the cores were let go, the same for all. */
static inline uint32_t sf_cycle(void) { return SF_WORD(SYNCFABRIC_CORE_CYCLE); }
static inline uint64_t sf_cycle64(void)
{
    uint32_t low = SF_WORD(SYNCFABRIC_CORE_CYCLE);
    return (uint64_t)SF_WORD(SYNCFABRIC_CORE_CYCLE_HIGH) << 32 | low;
}

/* The console: a number, a text. */
static inline void sf_put(uint32_t value) { SF_WORD(SYNCFABRIC_CORE_PUT) = value; }
static inline void sf_puts(const char *text)
{
    while (*text)
        SF_WORD(SYNCFABRIC_CORE_PUTC) = (uint8_t)*text++;
}

__attribute__((noreturn)) void sf_exit(int code);

/* Wait until every message sent from here has been taken in at the other end. */
void sf_fence(void);
/* Call a function that seldom has to be called, and of which nothing is to be seen in registers. */
#define SF_SAVING(function) __asm__ volatile("jal t0, " #function "_saving" : : : "t0", "memory")
extern uint32_t sf_unfenced; /* whether messages were sent since the last fence */

/* The same before an arrive of a group with a fence, which takes messages in while it waits: mostly
 * nothing was sent, or all has been taken in already. */
static inline void sf_fence_quickly(void)
{
    const uint32_t unacknowledged = SYNCFABRIC_NETWORK_STATUS_WORD_UNACKNOWLEDGED_MASK
        << SYNCFABRIC_NETWORK_STATUS_WORD_UNACKNOWLEDGED_SHIFT;
    if (sf_unfenced) {
        if (SF_WORD(SYNCFABRIC_CORE_NET_STATUS) & unacknowledged)
            SF_SAVING(sf_fence);
        sf_unfenced = 0;
    }
}

/* Send n words to a core; n is at least 1, the tag below SF_USER_TAGS. Messages of one core to
 * another with the same tag come in order. */
void sf_send(unsigned to, unsigned tag, const uint32_t *words, size_t n);

/* Take the next message of n words with this tag from a core, or from SF_ANY; says from which. */
unsigned sf_recv(unsigned from, unsigned tag, uint32_t *words, size_t n);

/* Take the next packet with this tag, of at most MOST_WORDS words; n gets how many there are. A
 * message of more words than a packet has comes as several. */
unsigned sf_recv_packet(unsigned from, unsigned tag, uint32_t words[SYNCFABRIC_MOST_WORDS],
                        unsigned *n);

/* Whether a message with this tag from a core, or from SF_ANY, is there. */
int sf_probe(unsigned from, unsigned tag);

/* Take in a message that is there, for a later sf_recv. */
void sf_take_in(void);

static inline void sf_send1(unsigned to, unsigned tag, uint32_t word) { sf_send(to, tag, &word, 1); }
static inline uint32_t sf_recv1(unsigned from, unsigned tag)
{
    uint32_t word;
    sf_recv(from, tag, &word, 1);
    return word;
}

/* The group of all cores; its first use is by all of them. */
extern sf_group *sf_world_made;
sf_group *sf_make_world(void);
static inline sf_group *sf_world(void) { return sf_world_made ? sf_world_made : sf_make_world(); }

/* The group of the network file with this id, or 0 where this core is no member. */
sf_group *sf_group_of(unsigned gid);

/* Make a group. All its members call it with the same list, and no others; members that make
 * several groups make them in the same order. It has a register where every member has one free and
 * can set it up: on meshes, and over switches if there is a manager at a member's node; else its
 * barriers go over messages. 0 if this core is not in the list, or if the members have too many
 * groups. */
sf_group *sf_group_create(const unsigned *members, unsigned n);
sf_group *sf_group_create_op(const unsigned *members, unsigned n, sf_op op);

/* Free it again. All its members call it, after their last barrier. */
void sf_group_free(sf_group *group);

/* End a group at once, on a network of collective engines, at the core that had it set up: that at
 * a manager's node. A core that waits in it goes on, and sf_broken says so; it is freed like others.
 * 0 elsewhere, and for groups of the file: nothing is done. */
int sf_group_kill(sf_group *group);

/* Whether a group in hardware was killed, by a manager or a watchdog: no barrier of it holds any
 * more, and sf_reduce gives 0. */
static inline int sf_broken(const sf_group *group)
{
    return group->port
        && group->port[SYNCFABRIC_CORE_DONE_BASE - SYNCFABRIC_CORE_ARRIVE_BASE]
            >> SYNCFABRIC_BARRIER_STATUS_WORD_BROKEN_SHIFT & 1;
}

/* Software barriers: whole, and their halves. */
#define SF_DECLARE(name) \
    void sf_##name##_arrive(const sf_group *group); \
    void sf_##name##_wait(const sf_group *group); \
    void sf_##name##_both(const sf_group *group)
SF_DECLARE(central);
SF_DECLARE(tree);
SF_DECLARE(dissemination);
SF_DECLARE(tournament);
SF_DECLARE(reflex); /* by flits: of a group that has a role */
void sf_reflex_begin(const sf_group *group); /* what its root does before all barriers */
void sf_reflex_wait_taking(const sf_group *group);
uint32_t sf_tree_reduce(const sf_group *group, uint32_t value);

#if SF_BARRIER == SF_CENTRAL
#define SF_SOFTWARE(part) sf_central_##part
#elif SF_BARRIER == SF_TREE
#define SF_SOFTWARE(part) sf_tree_##part
#elif SF_BARRIER == SF_TOURNAMENT
#define SF_SOFTWARE(part) sf_tournament_##part
#else /* also of groups that have no register, nor a ring or tree */
#define SF_SOFTWARE(part) sf_dissemination_##part
#endif

/* Arrive, and go on; the barrier ends with sf_barrier_wait. */
static inline void sf_barrier_arrive(sf_group *group)
{
    if (SF_IN_HARDWARE && group->port) {
        if (group->fence)
            sf_fence_quickly();
        group->port[0] = 0;
    } else if (SF_BY_FLITS && group->role) {
        sf_reflex_arrive(group);
    } else {
        SF_SOFTWARE(arrive)(group);
    }
}

/* Wait until all members have arrived. */
static inline void sf_barrier_wait(sf_group *group)
{
    if (SF_IN_HARDWARE && group->port)
        (void)group->port[SYNCFABRIC_CORE_WAIT_BASE - SYNCFABRIC_CORE_ARRIVE_BASE];
    else if (SF_BY_FLITS && group->role)
        sf_reflex_wait(group);
    else
        SF_SOFTWARE(wait)(group);
}

/* The same for a core to which more may be sent meanwhile than its network interface holds (128
 * flits): it goes on taking messages in, and sees a little later that the barrier is over. */
static inline void sf_barrier_wait_taking(sf_group *group)
{
    while (SF_IN_HARDWARE && group->port
           && !(group->port[SYNCFABRIC_CORE_DONE_BASE - SYNCFABRIC_CORE_ARRIVE_BASE]
                & 1u << SYNCFABRIC_BARRIER_STATUS_WORD_DONE_SHIFT))
        sf_take_in();
    if (SF_BY_FLITS && group->role)
        sf_reflex_wait_taking(group);
    else
        sf_barrier_wait(group);
}

static inline void sf_barrier(sf_group *group)
{
    if (SF_IN_HARDWARE && group->port) {
        sf_barrier_arrive(group);
        sf_barrier_wait(group);
    } else if (SF_BY_FLITS && group->role) {
        sf_reflex_both(group);
    } else {
        SF_SOFTWARE(both)(group);
    }
}

/* A barrier that combines a value of each member, of SF_DATA_BITS, as the group's operation says. */
static inline uint32_t sf_reduce(sf_group *group, uint32_t value)
{
    if (SF_COMBINES && group->port) {
        if (group->fence)
            sf_fence_quickly();
        group->port[0] = value;
        return group->port[SYNCFABRIC_CORE_WAIT_BASE - SYNCFABRIC_CORE_ARRIVE_BASE];
    }
    return sf_tree_reduce(group, value);
}

/* The same over messages: of groups without a stream, and operations that the network has not. */
int sf_allreduce_by_messages(sf_group *group, void *buffer, size_t words, sf_op op);
int sf_reduce_by_messages(sf_group *group, unsigned root, void *buffer, size_t words, sf_op op);
int sf_broadcast_by_messages(sf_group *group, unsigned root, void *buffer, size_t words);

#ifdef SYNCFABRIC_STREAMS

/* The head of an operation that is built; of a broadcast that of any, for words of one giver pass. */
#define SF_HEAD_OF(function, type) \
    (SYNCFABRIC_BUILT_##type >> SYNCFABRIC_FUNCTION_##function & 1 \
         ? SYNCFABRIC_FUNCTION_##function | SYNCFABRIC_TYPE_##type << 3 : SF_NO_HEAD)
#define SF_NO_HEAD 0x3fu
#define SF_MOVE_HEAD \
    (SYNCFABRIC_BUILT_INT32 ? SF_HEAD_OF(ADD, INT32) : SYNCFABRIC_BUILT_FP32 ? SF_HEAD_OF(ADD, FP32) \
     : SYNCFABRIC_BUILT_BF16 ? SF_HEAD_OF(ADD, BF16) : SF_HEAD_OF(ADD, OFFLOAD))

static inline unsigned sf_head_of(sf_op op)
{
    switch (op) {
    case SF_AND: return SF_HEAD_OF(AND, INT32);
    case SF_XOR: return SF_HEAD_OF(XOR, INT32);
    case SF_MAX: return SF_HEAD_OF(MAX_UNSIGNED, INT32);
    case SF_MIN: return SF_HEAD_OF(MIN_UNSIGNED, INT32);
    case SF_SUM: return SF_HEAD_OF(ADD, INT32);
    case SF_SIGNED_MAX: return SF_HEAD_OF(MAX, INT32);
    case SF_SIGNED_MIN: return SF_HEAD_OF(MIN, INT32);
    case SF_FLOAT_SUM: return SF_HEAD_OF(ADD, FP32);
    case SF_FLOAT_MAX: return SF_HEAD_OF(MAX, FP32);
    case SF_FLOAT_MIN: return SF_HEAD_OF(MIN, FP32);
    default: return SF_HEAD_OF(OR, INT32);
    }
}

static inline int sf_begin_head(sf_group *group, const void *from, void *to, size_t words,
                                unsigned head)
{
    volatile uint32_t *first = &SF_WORD(SYNCFABRIC_CORE_ARRIVE_BASE + SYNCFABRIC_STREAM_REGISTER);
    unsigned channel = (unsigned)(group->port - first);
    if (head == SF_NO_HEAD || channel >= SYNCFABRIC_STREAMS)
        return 0;
    __asm__ volatile("" : : : "memory");
    SF_WORD(SYNCFABRIC_CORE_STREAM_FROM) = (uint32_t)(uintptr_t)from;
    SF_WORD(SYNCFABRIC_CORE_STREAM_TO) = (uint32_t)(uintptr_t)to;
    SF_WORD(SYNCFABRIC_CORE_STREAM_BYTES) = (uint32_t)(4 * words);
    SF_WORD(SYNCFABRIC_CORE_STREAM) = head
        | (uint32_t)(to != 0) << SYNCFABRIC_STREAM_COMMAND_TAKES_SHIFT
        | (uint32_t)(from != 0) << SYNCFABRIC_STREAM_COMMAND_GIVES_SHIFT
        | channel << SYNCFABRIC_STREAM_COMMAND_CHANNEL_SHIFT;
    return 1;
}
#else
#define SF_MOVE_HEAD 0
static inline unsigned sf_head_of(sf_op op) { return op; }
static inline int sf_begin_head(sf_group *group, const void *from, void *to, size_t words,
                                unsigned head)
{
    return (void)group, (void)from, (void)to, (void)words, (void)head, 0;
}
#endif

/* Begin a stream of a group: the core gives words from an address, and takes the result to one; 0 is
 * none, and both may be the same. Until sf_stream_wait it leaves both alone. 0 if the group has no
 * stream, or the network has not the operation: nothing is begun, at no member. A core has one stream
 * at a time, and waits for it before it begins the next. */
static inline int sf_stream_begin(sf_group *group, const void *from, void *to, size_t words,
                                  sf_op op)
{
    return sf_begin_head(group, from, to, words, sf_head_of(op));
}

/* Wait for its end. 0 if the group was killed before. */
static inline int sf_stream_wait(void)
{
    uint32_t status = SF_WORD(SYNCFABRIC_CORE_STREAM_WAIT);
    __asm__ volatile("" : : : "memory");
    return !(status & 1u << SYNCFABRIC_STREAM_STATUS_WORD_BROKEN_SHIFT);
}

/* Combine a vector of each member, word by word; all get the result, or the member with rank root,
 * in the buffer. All members call it, with as many words. Groups with a stream have it done by the
 * network, if it has the operation; others over messages. 1, or 0 if the group was killed, or if
 * floating point would have to go over messages: then the buffer holds nothing of use. */
static inline int sf_allreduce(sf_group *group, void *buffer, size_t words, sf_op op)
{
    if (sf_stream_begin(group, buffer, buffer, words, op))
        return sf_stream_wait();
    return sf_allreduce_by_messages(group, buffer, words, op);
}

static inline int sf_reduce_to(sf_group *group, unsigned root, void *buffer, size_t words, sf_op op)
{
    if (sf_stream_begin(group, buffer, group->rank == root ? buffer : 0, words, op))
        return sf_stream_wait();
    return sf_reduce_by_messages(group, root, buffer, words, op);
}

/* Give all members the root's vector. */
static inline int sf_broadcast(sf_group *group, unsigned root, void *buffer, size_t words)
{
    int gives = group->rank == root;
    if (sf_begin_head(group, gives ? buffer : 0, gives ? 0 : buffer, words, SF_MOVE_HEAD))
        return sf_stream_wait();
    return sf_broadcast_by_messages(group, root, buffer, words);
}

#endif /* SYNCFABRIC_H */
