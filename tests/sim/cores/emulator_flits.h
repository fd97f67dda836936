/* The switches of a static network, for emulated cores: buffers that pass flits on, in random time.
 *
 * Written from docs/microarchitecture-static.md, R1 and R2: a flit leaves a buffer when there is room
 * in all those that its routes lead to. Flits have no content, so they are counted. Of the words and
 * layouts of other networks, which a static one has not, there are just the names. */

#define SYNCFABRIC_DATA_BITS 0
#define SYNCFABRIC_CONTROL_WORD_VALID_SHIFT 0
#define SYNCFABRIC_CONTROL_WORD_VALID_MASK 0
#define SYNCFABRIC_CONTROL_WORD_GID_SHIFT 0
#define SYNCFABRIC_CONTROL_WORD_GID_MASK 0
#define SYNCFABRIC_CONTROL_WORD_OP_SHIFT 0
#define SYNCFABRIC_CONTROL_WORD_OP_MASK 0
enum {
    SYNCFABRIC_OP_OR,
    SYNCFABRIC_OP_AND,
    SYNCFABRIC_OP_XOR,
    SYNCFABRIC_OP_MAX,
    SYNCFABRIC_OP_MIN,
    SYNCFABRIC_OP_SUM
};

#define BUFFERS 1024

typedef struct {
    unsigned places, flits, slow; /* it passes a flit on in one of so many cycles */
    unsigned targets, target[5];
} flit_buffer;

static flit_buffer buffers[BUFFERS];
static unsigned buffer_count, inject[64], eject[64]; /* buffers of each core */

static unsigned random_below(unsigned below);

static void read_buffers(FILE *file, unsigned cores)
{
    if (fscanf(file, "%u", &buffer_count) != 1 || buffer_count > BUFFERS)
        exit(4);
    for (unsigned i = 0; i < buffer_count; i++) {
        flit_buffer *one = &buffers[i];
        if (fscanf(file, "%u %u", &one->places, &one->targets) != 2)
            exit(4);
        for (unsigned k = 0; k < one->targets; k++)
            if (fscanf(file, "%u", &one->target[k]) != 1)
                exit(4);
        one->slow = 1 + random_below(6);
    }
    for (unsigned i = 0; i < cores; i++)
        if (fscanf(file, "%u %u", &inject[i], &eject[i]) != 2)
            exit(4);
}

static void pass_flits(void)
{
    for (unsigned i = 0; i < buffer_count; i++) {
        flit_buffer *one = &buffers[i];
        unsigned free = one->flits && one->targets && !random_below(one->slow);
        for (unsigned k = 0; k < one->targets; k++)
            free &= buffers[one->target[k]].flits < buffers[one->target[k]].places;
        if (!free)
            continue;
        one->flits--;
        for (unsigned k = 0; k < one->targets; k++)
            buffers[one->target[k]].flits++;
    }
}

/* Read or write a word for flits; 0 if it stalls, and -1 if it is none of these. */
static int flit_word(unsigned core, uint32_t w, int write, uint32_t *read)
{
    flit_buffer *out = &buffers[inject[core]], *in = &buffers[eject[core]];
    if (w == SYNCFABRIC_CORE_FLIT && write) {
        if (out->flits == out->places)
            return 0;
        out->flits++;
        return 1;
    }
    if (w == SYNCFABRIC_CORE_FLIT) {
        if (!in->flits)
            return 0;
        in->flits--;
        *read = 0;
        return 1;
    }
    if (w == SYNCFABRIC_CORE_FLIT_STATUS && !write) {
        /* A credit may be on its way. */
        unsigned free = out->flits < out->places && random_below(4);
        *read = (uint32_t)(in->flits > 0) << SYNCFABRIC_FLIT_STATUS_WORD_WAITS_SHIFT
            | free << SYNCFABRIC_FLIT_STATUS_WORD_ROOM_SHIFT;
        return 1;
    }
    return -1;
}
