/* How a word is reached; a program may define both itself, before it includes this header. */
#ifndef SYNCFABRIC_READ
#define SYNCFABRIC_READ(base, word) ((base)[word])
#define SYNCFABRIC_WRITE(base, word, value) ((base)[word] = (value))
#endif

/* What became of an arrival, or of a wait. */
typedef enum {
    SYNCFABRIC_OK = 0,
    SYNCFABRIC_PENDING = 1,   /* not released yet */
    SYNCFABRIC_BROKEN = -1,   /* released, but by no barrier's end */
    SYNCFABRIC_NOT_READY = -2 /* the register is not set up, or the network not started */
} syncfabric_outcome;

/* What a meter has counted; latencies in cycles, histogram by skew of arrival. */
typedef struct {
    uint32_t episodes;
    uint32_t last;
    uint32_t least;
    uint32_t greatest;
    uint32_t histogram[SYNCFABRIC_HOST_BINS];
} syncfabric_meter;

/* Return whether the host is the one that this header is for. */
static inline int syncfabric_identify(volatile uint32_t *base)
{
    return SYNCFABRIC_READ(base, SYNCFABRIC_HOST_ID) == SYNCFABRIC_HOST_ID_VALUE
        && SYNCFABRIC_READ(base, SYNCFABRIC_HOST_VERSION) == SYNCFABRIC_HOST_VERSION_VALUE
        && SYNCFABRIC_READ(base, SYNCFABRIC_HOST_NODES) == SYNCFABRIC_HOST_NODES_VALUE
        && SYNCFABRIC_READ(base, SYNCFABRIC_HOST_SHAPE) == SYNCFABRIC_HOST_SHAPE_VALUE;
}

/* Write a word of a target's config port. What the target refuses is an error of the bus. */
static inline void syncfabric_config_write(volatile uint32_t *base, uint32_t target,
                                           uint32_t address, uint32_t value)
{
    SYNCFABRIC_WRITE(base, SYNCFABRIC_HOST_CONFIG_NODE, target);
    SYNCFABRIC_WRITE(base, SYNCFABRIC_HOST_CONFIG_PORT(address), value);
}

/* Read a word of a target's config port. */
static inline uint32_t syncfabric_config_read(volatile uint32_t *base, uint32_t target,
                                              uint32_t address)
{
    SYNCFABRIC_WRITE(base, SYNCFABRIC_HOST_CONFIG_NODE, target);
    return SYNCFABRIC_READ(base, SYNCFABRIC_HOST_CONFIG_PORT(address));
}

/* Return the word that the last access to a config port was answered with, whatever it was: COMMIT
 * of an engine answers a write with the status of the entry. */
static inline uint32_t syncfabric_config_answer(volatile uint32_t *base)
{
    return SYNCFABRIC_READ(base, SYNCFABRIC_HOST_CONFIG_ANSWER);
}

#if SYNCFABRIC_HOST_DATA_BITS > 0
/* Give the data that a register arrives with; they stay. */
static inline void syncfabric_set_data(volatile uint32_t *base, uint32_t node, uint32_t r,
                                       uint32_t data)
{
    SYNCFABRIC_WRITE(base, SYNCFABRIC_HOST_DATA(node, r), data);
}
#endif

/* Let registers of a node arrive, a bit each, all in the same cycle: all of them, or none. */
static inline syncfabric_outcome syncfabric_arrive(volatile uint32_t *base, uint32_t node,
                                                   uint32_t registers)
{
    if (registers & ~SYNCFABRIC_READ(base, SYNCFABRIC_HOST_NODE(node, SYNCFABRIC_HOST_NODE_READY)))
        return SYNCFABRIC_NOT_READY;
    SYNCFABRIC_WRITE(base, SYNCFABRIC_HOST_NODE(node, SYNCFABRIC_HOST_NODE_ARRIVE), registers);
    return SYNCFABRIC_OK;
}

#if SYNCFABRIC_HOST_LAST
/* The same; the barrier is the group's last. */
static inline syncfabric_outcome syncfabric_arrive_last(volatile uint32_t *base, uint32_t node,
                                                        uint32_t registers)
{
    if (registers & ~SYNCFABRIC_READ(base, SYNCFABRIC_HOST_NODE(node, SYNCFABRIC_HOST_NODE_READY)))
        return SYNCFABRIC_NOT_READY;
    SYNCFABRIC_WRITE(base, SYNCFABRIC_HOST_NODE(node, SYNCFABRIC_HOST_NODE_ARRIVE_LAST), registers);
    return SYNCFABRIC_OK;
}
#endif

/* Look whether a register that has arrived is released; its result goes to *result, which may be
 * null. */
static inline syncfabric_outcome syncfabric_poll(volatile uint32_t *base, uint32_t node, uint32_t r,
                                                 uint32_t *result)
{
    if (!(SYNCFABRIC_READ(base, SYNCFABRIC_HOST_NODE(node, SYNCFABRIC_HOST_NODE_DONE)) >> r & 1u))
        return SYNCFABRIC_PENDING;
    if (SYNCFABRIC_READ(base, SYNCFABRIC_HOST_NODE(node, SYNCFABRIC_HOST_NODE_BROKEN)) >> r & 1u)
        return SYNCFABRIC_BROKEN;
    if (result)
        *result = SYNCFABRIC_READ(base, SYNCFABRIC_HOST_RESULT(node, r));
    return SYNCFABRIC_OK;
}

/* Poll so many times at most; SYNCFABRIC_PENDING then. No access of this is ever refused. */
static inline syncfabric_outcome syncfabric_wait(volatile uint32_t *base, uint32_t node, uint32_t r,
                                                 uint32_t polls, uint32_t *result)
{
    syncfabric_outcome outcome = SYNCFABRIC_PENDING;
    while (outcome == SYNCFABRIC_PENDING && polls--)
        outcome = syncfabric_poll(base, node, r, result);
    return outcome;
}

/* Wait by one read, which the host answers when the register is released. It is refused if the group
 * is broken, or after the cycles of syncfabric_set_wait_limit. That is an error of the bus (SLVERR),
 * and a fault on most processors: take syncfabric_wait where it must not be. */
static inline uint32_t syncfabric_wait_on_bus(volatile uint32_t *base, uint32_t node, uint32_t r)
{
    return SYNCFABRIC_READ(base, SYNCFABRIC_HOST_WAIT(node, r));
}

/* Set the cycles that such a read takes at most. */
static inline void syncfabric_set_wait_limit(volatile uint32_t *base, uint32_t cycles)
{
    SYNCFABRIC_WRITE(base, SYNCFABRIC_HOST_WAIT_LIMIT, cycles);
}

/* Let these registers of a node interrupt while they are done. */
static inline void syncfabric_enable_interrupts(volatile uint32_t *base, uint32_t node,
                                                uint32_t registers)
{
    SYNCFABRIC_WRITE(base, SYNCFABRIC_HOST_NODE(node, SYNCFABRIC_HOST_NODE_IRQ_ENABLE), registers);
}

/* Return the lowest node that interrupts, or -1. */
static inline int32_t syncfabric_interrupting_node(volatile uint32_t *base)
{
    uint32_t word = SYNCFABRIC_READ(base, SYNCFABRIC_HOST_IRQ_STATUS);
    if (!(word >> SYNCFABRIC_INTERRUPT_WORD_PENDING_SHIFT & SYNCFABRIC_INTERRUPT_WORD_PENDING_MASK))
        return -1;
    word >>= SYNCFABRIC_INTERRUPT_WORD_NODE_SHIFT;
    return (int32_t)(word & SYNCFABRIC_INTERRUPT_WORD_NODE_MASK);
}

/* Return the cycles since reset. */
static inline uint64_t syncfabric_cycles(volatile uint32_t *base)
{
    uint64_t low = SYNCFABRIC_READ(base, SYNCFABRIC_HOST_CYCLE_LOW);
    return (uint64_t)SYNCFABRIC_READ(base, SYNCFABRIC_HOST_CYCLE_HIGH) << 32 | low;
}

#if SYNCFABRIC_HOST_METERS > 0
/* Say whom a meter measures: bit node * SYNCFABRIC_HOST_REGISTERS + r, 32 bits a word. */
static inline void syncfabric_measure(volatile uint32_t *base, uint32_t meter,
                                      const uint32_t mask[SYNCFABRIC_HOST_MASK_WORDS])
{
    for (uint32_t k = 0; k < SYNCFABRIC_HOST_MASK_WORDS; k++)
        SYNCFABRIC_WRITE(base, SYNCFABRIC_HOST_MASK(meter, k), mask[k]);
    SYNCFABRIC_WRITE(base, SYNCFABRIC_HOST_METER(meter, SYNCFABRIC_HOST_METER_CLEAR), 1u);
}

/* Let all that a meter measures arrive in the same cycle. */
static inline void syncfabric_arrive_all(volatile uint32_t *base, uint32_t meter)
{
    SYNCFABRIC_WRITE(base, SYNCFABRIC_HOST_ARRIVE_ALL, meter);
}

/* Read a meter; its counts belong together if no barrier of its group ends meanwhile. */
static inline syncfabric_meter syncfabric_read_meter(volatile uint32_t *base, uint32_t meter)
{
    const uint32_t first = SYNCFABRIC_HOST_METER(meter, 0u);
    syncfabric_meter seen;
    seen.episodes = SYNCFABRIC_READ(base, first + SYNCFABRIC_HOST_METER_EPISODES);
    seen.last = SYNCFABRIC_READ(base, first + SYNCFABRIC_HOST_METER_LAST);
    seen.least = SYNCFABRIC_READ(base, first + SYNCFABRIC_HOST_METER_LEAST);
    seen.greatest = SYNCFABRIC_READ(base, first + SYNCFABRIC_HOST_METER_GREATEST);
    for (uint32_t bin = 0; bin < SYNCFABRIC_HOST_BINS; bin++)
        seen.histogram[bin] = SYNCFABRIC_READ(base, SYNCFABRIC_HOST_HISTOGRAM(meter, bin));
    return seen;
}
#endif
