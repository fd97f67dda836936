/* Cores that run a program, to the contract of their bus, with no hardware underneath.
 *
 * Every instruction, packet, acknowledgement and release takes a random time, so that a run meets
 * orders of events that a network would seldom show. Written from docs/microarchitecture-cores.md;
 * names of words and fields are those of the generated header. What happens is printed, a line
 * each; see emulator.py for what is read. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "syncfabric_network.h"
#include "syncfabric_registers.h"
#ifdef SYNCFABRIC_CORE_BUFFER
#include "emulator_flits.h"
#endif

#define CORES 64
#define REGISTERS 32
#define GROUPS 32
#define QUEUE 4096
#define FIELD(word, layout, name) \
    ((word) >> SYNCFABRIC_##layout##_##name##_SHIFT & SYNCFABRIC_##layout##_##name##_MASK)

typedef struct {
    uint64_t due;
    uint32_t head, words[16];
} packet;

typedef struct {
    uint32_t x[32], pc;
    uint8_t *memory;
    int stopped;
    uint64_t busy; /* until this cycle */
    uint32_t high;
    packet out;
    unsigned out_left, in_left;
    packet in, queue[QUEUE]; /* sorted by what is due */
    unsigned queued;
    uint64_t acks[QUEUE]; /* when they come back */
    unsigned unacknowledged;
    uint64_t last_due[CORES];
    int group[REGISTERS]; /* of the host, or -1 */
    int arrived[REGISTERS];
    int armed[REGISTERS]; /* arrived since the last wait */
    uint32_t value[REGISTERS], result[REGISTERS];
    uint64_t release[REGISTERS];
    uint32_t refused;
} core_state;

static core_state cores[CORES];
static struct {
    unsigned gid, op, n, member[CORES], number[CORES];
} groups[GROUPS];
static unsigned count, group_count, memory_bytes, slowest;
static uint64_t cycle, rng;

static unsigned random_below(unsigned below)
{
    rng ^= rng << 13, rng ^= rng >> 7, rng ^= rng << 17;
    return (unsigned)(rng >> 20) % below;
}

static void fault(unsigned core, const char *reason)
{
    printf("fault %u %" PRIu64 " %" PRIx32 " %s\n", core, cycle, cores[core].pc, reason);
    cores[core].stopped = 1;
}

static uint32_t combine(unsigned op, uint32_t a, uint32_t b)
{
    switch (op) {
    case SYNCFABRIC_OP_AND: return a & b;
    case SYNCFABRIC_OP_XOR: return a ^ b;
    case SYNCFABRIC_OP_MAX: return a > b ? a : b;
    case SYNCFABRIC_OP_MIN: return a < b ? a : b;
    case SYNCFABRIC_OP_SUM: return a + b;
    default: return a | b;
    }
}

static void arrive(unsigned core, unsigned number, uint32_t value)
{
    core_state *c = &cores[core];
    unsigned *member, *numbers, n, op;
    int group = c->group[number];
    uint32_t result = 0, mask = SYNCFABRIC_DATA_BITS < 32 ? (1ull << SYNCFABRIC_DATA_BITS) - 1 : ~0u;
    if (group < 0) {
        fault(core, "NOT_READY");
        return;
    }
    if (c->arrived[number]) {
        fault(core, "WAITING");
        return;
    }
    c->arrived[number] = c->armed[number] = 1;
    c->release[number] = ~0ull;
    c->value[number] = value & mask;
    member = groups[group].member, numbers = groups[group].number;
    n = groups[group].n, op = groups[group].op;
    for (unsigned i = 0; i < n; i++)
        if (!cores[member[i]].arrived[numbers[i]])
            return;
    for (unsigned i = 0; i < n; i++) {
        uint32_t one = cores[member[i]].value[numbers[i]];
        result = i ? combine(op, result, one) & mask : one;
    }
    for (unsigned i = 0; i < n; i++) {
        core_state *m = &cores[member[i]];
        m->arrived[numbers[i]] = 0;
        m->result[numbers[i]] = result;
        m->release[numbers[i]] = cycle + 4 + random_below(20);
    }
}

static void deliver(unsigned from)
{
    core_state *c = &cores[from];
    unsigned to = FIELD(c->out.head, PACKET_HEAD, CORE), at;
    core_state *t = &cores[to];
    uint64_t due = cycle + 4 + random_below(slowest);
    if (due < c->last_due[to])
        due = c->last_due[to];
    c->last_due[to] = c->out.due = due;
    c->out.head = (c->out.head & ~SYNCFABRIC_PACKET_HEAD_CORE_MASK) | from;
    if (t->queued == QUEUE || c->unacknowledged == QUEUE)
        exit(3);
    for (at = t->queued++; at > 0 && t->queue[at - 1].due > due; at--)
        t->queue[at] = t->queue[at - 1];
    t->queue[at] = c->out;
    c->acks[c->unacknowledged++] = due + 4 + random_below(slowest);
}

static void drop_acks(core_state *c)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < c->unacknowledged; i++)
        if (c->acks[i] > cycle)
            c->acks[kept++] = c->acks[i];
    c->unacknowledged = kept;
}

/* Read or write a word of the bus; 0 if it stalls. */
static int bus(unsigned core, uint32_t w, int write, uint32_t value, uint32_t *read)
{
    core_state *c = &cores[core];
    drop_acks(c);
#ifdef SYNCFABRIC_CORE_BUFFER
    int flit = flit_word(core, w, write, read);
    if (flit >= 0)
        return flit;
#endif
    if (w >= SYNCFABRIC_CORE_CONFIG_BASE) {
        c->refused = 1; /* no manager is emulated */
        return 1;
    }
    if (w >= SYNCFABRIC_CORE_ARRIVE_BASE && w < SYNCFABRIC_CORE_WAIT_BASE && write) {
        if (c->unacknowledged)
            return 0;
        arrive(core, w - SYNCFABRIC_CORE_ARRIVE_BASE, value);
        return 1;
    }
    if (w >= SYNCFABRIC_CORE_WAIT_BASE && w < SYNCFABRIC_CORE_DONE_BASE && !write) {
        unsigned number = w - SYNCFABRIC_CORE_WAIT_BASE;
        if (!c->armed[number])
            fault(core, "NO_ARRIVE");
        else if (c->arrived[number] || c->release[number] > cycle)
            return 0;
        c->armed[number] = 0;
        *read = c->result[number];
        return 1;
    }
    if (w >= SYNCFABRIC_CORE_DONE_BASE && w < SYNCFABRIC_CORE_LAST_BASE && !write) {
        unsigned number = w - SYNCFABRIC_CORE_DONE_BASE;
        unsigned waiting = c->arrived[number] || c->release[number] > cycle;
        *read = (uint32_t)(c->armed[number] && !waiting) << SYNCFABRIC_BARRIER_STATUS_WORD_DONE_SHIFT
            | (uint32_t)(c->group[number] >= 0) << SYNCFABRIC_BARRIER_STATUS_WORD_READY_SHIFT;
        return 1;
    }
    if (write) {
        switch (w) {
        case SYNCFABRIC_CORE_PUT:
            printf("put %u %" PRIu64 " %" PRIu32 "\n", core, cycle, value);
            return 1;
        case SYNCFABRIC_CORE_PUTC:
            printf("putc %u %" PRIu64 " %" PRIu32 "\n", core, cycle, value & 255);
            return 1;
        case SYNCFABRIC_CORE_EXIT:
            printf("exit %u %" PRIu64 " %" PRIu32 "\n", core, cycle, value);
            c->stopped = 1;
            return 1;
        case SYNCFABRIC_CORE_SEND:
            if (c->out_left || FIELD(value, PACKET_HEAD, CORE) >= count
                || FIELD(value, PACKET_HEAD, CORE) == core || FIELD(value, PACKET_HEAD, WORDS) > 16)
                fault(core, "PACKET");
            c->out.head = value;
            c->out_left = FIELD(value, PACKET_HEAD, WORDS);
            if (!c->out_left)
                deliver(core);
            return 1;
        case SYNCFABRIC_CORE_SEND_DATA:
            if (!c->out_left)
                fault(core, "PACKET");
            c->out.words[FIELD(c->out.head, PACKET_HEAD, WORDS) - c->out_left--] = value;
            if (!c->out_left)
                deliver(core);
            return 1;
        }
        fault(core, "ACCESS");
        return 1;
    }
    switch (w) {
    case SYNCFABRIC_CORE_CORE: *read = core; return 1;
    case SYNCFABRIC_CORE_CORES: *read = count; return 1;
    case SYNCFABRIC_CORE_CYCLE: c->high = (uint32_t)(cycle >> 32), *read = (uint32_t)cycle; return 1;
    case SYNCFABRIC_CORE_CYCLE_HIGH: *read = c->high; return 1;
    case SYNCFABRIC_CORE_CONFIG_STATUS: *read = c->refused; return 1;
    case SYNCFABRIC_CORE_RECV:
        if (c->in_left)
            fault(core, "PACKET");
        if (!c->queued || c->queue[0].due > cycle)
            return 0;
        c->in = c->queue[0];
        memmove(c->queue, c->queue + 1, --c->queued * sizeof(packet));
        c->in_left = FIELD(c->in.head, RECEIVED_HEAD, WORDS);
        *read = c->in.head;
        return 1;
    case SYNCFABRIC_CORE_RECV_DATA:
        if (!c->in_left)
            fault(core, "PACKET");
        *read = c->in.words[FIELD(c->in.head, RECEIVED_HEAD, WORDS) - c->in_left--];
        return 1;
    case SYNCFABRIC_CORE_NET_STATUS:
        *read = (uint32_t)(c->queued && c->queue[0].due <= cycle)
                << SYNCFABRIC_NETWORK_STATUS_WORD_WAITS_SHIFT
            | c->in_left << SYNCFABRIC_NETWORK_STATUS_WORD_LEFT_SHIFT
            | (uint32_t)(random_below(4) > 0) << SYNCFABRIC_NETWORK_STATUS_WORD_ROOM_SHIFT
            | c->unacknowledged << SYNCFABRIC_NETWORK_STATUS_WORD_UNACKNOWLEDGED_SHIFT;
        return 1;
    case SYNCFABRIC_CORE_FENCE_WAIT: *read = 0; return !c->unacknowledged;
    }
    fault(core, "ACCESS");
    return 1;
}

static uint32_t multiply(unsigned kind, uint32_t a, uint32_t b)
{
    int64_t sa = (int32_t)a, sb = (int32_t)b;
    switch (kind) {
    case 0: return a * b;
    case 1: return (uint32_t)(sa * sb >> 32);
    case 2: return (uint32_t)(sa * (int64_t)(uint64_t)b >> 32);
    case 3: return (uint32_t)((uint64_t)a * b >> 32);
    case 4: return !b ? ~0u : a == 0x80000000u && b == ~0u ? a : (uint32_t)(sa / sb);
    case 5: return b ? a / b : ~0u;
    case 6: return !b ? a : a == 0x80000000u && b == ~0u ? 0 : (uint32_t)(sa % sb);
    default: return b ? a % b : a;
    }
}

static uint32_t calculate(unsigned kind, int other, uint32_t a, uint32_t b)
{
    switch (kind) {
    case 0: return other ? a - b : a + b;
    case 1: return a << (b & 31);
    case 2: return (int32_t)a < (int32_t)b;
    case 3: return a < b;
    case 4: return a ^ b;
    case 5: return other ? (uint32_t)((int32_t)a >> (b & 31)) : a >> (b & 31);
    case 6: return a | b;
    default: return a & b;
    }
}

static int taken(unsigned kind, uint32_t a, uint32_t b)
{
    int now = kind < 2 ? a == b : kind < 6 ? (int32_t)a < (int32_t)b : a < b;
    return now != (int)(kind & 1);
}

/* Load or store; 0 if it stalls. */
static int reach(unsigned core, uint32_t address, unsigned kind, int write, uint32_t value,
                 uint32_t *read)
{
    unsigned bytes = 1u << (kind & 3);
    uint8_t *memory = cores[core].memory;
    if (address % bytes) {
        fault(core, "ADDRESS");
    } else if (address >= SYNCFABRIC_CORE_REGISTERS
               && address < SYNCFABRIC_CORE_REGISTERS + 4 * 8192 && bytes == 4) {
        return bus(core, (address - SYNCFABRIC_CORE_REGISTERS) / 4, write, value, read);
    } else if (address > memory_bytes - bytes) {
        fault(core, "ADDRESS");
    } else if (write) {
        memcpy(memory + address, &value, bytes);
    } else {
        *read = 0;
        memcpy(read, memory + address, bytes);
        if (!(kind & 4) && bytes < 4)
            *read = (uint32_t)((int32_t)(*read << (32 - 8 * bytes)) >> (32 - 8 * bytes));
    }
    return 1;
}

static void step(unsigned core)
{
    core_state *c = &cores[core];
    uint32_t word, next = c->pc + 4, result = 0, a, b;
    unsigned to, kind;
    int writes = 1;
    if (c->pc & 3 || c->pc > memory_bytes - 4) {
        fault(core, "ADDRESS");
        return;
    }
    memcpy(&word, c->memory + c->pc, 4);
    to = word >> 7 & 31, kind = word >> 12 & 7;
    a = c->x[word >> 15 & 31], b = c->x[word >> 20 & 31];
    switch (word & 127) {
    case 0x37: result = word & 0xfffff000; break;
    case 0x17: result = c->pc + (word & 0xfffff000); break;
    case 0x6f:
        result = next;
        next = c->pc + ((uint32_t)((int32_t)word >> 31) << 20 | (word & 0xff000)
                        | (word >> 9 & 0x800) | (word >> 20 & 0x7fe));
        break;
    case 0x67: result = next, next = (a + (uint32_t)((int32_t)word >> 20)) & ~1u; break;
    case 0x63:
        if (taken(kind, a, b))
            next = c->pc + ((uint32_t)((int32_t)word >> 31) << 12 | (word << 4 & 0x800)
                            | (word >> 20 & 0x7e0) | (word >> 7 & 0x1e));
        writes = 0;
        break;
    case 0x03:
        if (!reach(core, a + (uint32_t)((int32_t)word >> 20), kind, 0, 0, &result))
            return;
        break;
    case 0x23:
        if (!reach(core, a + ((uint32_t)((int32_t)word >> 25) << 5 | to), kind, 1, b, &result))
            return;
        writes = 0;
        break;
    case 0x13: result = calculate(kind, kind == 5 && word >> 30 & 1, a,
                                  kind == 1 || kind == 5 ? word >> 20 & 31
                                                         : (uint32_t)((int32_t)word >> 20)); break;
    case 0x33:
        result = word >> 25 == 1 ? multiply(kind, a, b) : calculate(kind, word >> 30 & 1, a, b);
        break;
    case 0x0f: writes = 0; break;
    default: fault(core, "INSTRUCTION"); return;
    }
    if (c->stopped)
        return;
    if (writes && to)
        c->x[to] = result;
    c->pc = next;
    c->busy = cycle + 1 + random_below(4);
}

static void read_input(FILE *file)
{
    unsigned entry, boot, bytes, value;
    if (fscanf(file, "%u %u %u %u %u %u\n", &count, &memory_bytes, &entry, &boot, &slowest, &bytes)
        != 6)
        exit(4);
    for (unsigned i = 0; i < count; i++) {
        cores[i].memory = calloc(memory_bytes, 1);
        cores[i].pc = entry;
        for (unsigned r = 0; r < REGISTERS; r++)
            cores[i].group[r] = -1;
    }
    if (fread(cores[0].memory, 1, memory_bytes, file) != memory_bytes)
        exit(4);
    for (unsigned i = 1; i < count; i++)
        memcpy(cores[i].memory, cores[0].memory, memory_bytes);
    for (unsigned i = 0; i < count; i++)
        if (fread(cores[i].memory + boot, 1, bytes, file) != bytes)
            exit(4);
    if (fscanf(file, " %u", &group_count) != 1)
        exit(4);
    for (unsigned g = 0; g < group_count; g++) {
        if (fscanf(file, "%u %u %u", &groups[g].gid, &groups[g].op, &groups[g].n) != 3)
            exit(4);
        for (unsigned i = 0; i < groups[g].n; i++) {
            if (fscanf(file, "%u %u", &groups[g].member[i], &value) != 2)
                exit(4);
            groups[g].number[i] = value;
            if (value < REGISTERS)
                cores[groups[g].member[i]].group[value] = (int)g;
        }
    }
#ifdef SYNCFABRIC_CORE_BUFFER
    read_buffers(file, count);
#endif
}

int main(int argc, char **argv)
{
    uint64_t limit;
    unsigned running = 1;
    if (argc != 3)
        return 4;
    rng = strtoull(argv[1], NULL, 10) * 0x9E3779B97F4A7C15ull + 1;
    limit = strtoull(argv[2], NULL, 10);
    read_input(stdin);
    for (cycle = 0; running && cycle < limit; cycle++) {
        running = 0;
#ifdef SYNCFABRIC_CORE_BUFFER
        pass_flits();
#endif
        for (unsigned core = 0; core < count; core++) {
            running += !cores[core].stopped;
            if (!cores[core].stopped && cores[core].busy <= cycle)
                step(core);
        }
    }
    for (unsigned core = 0; core < count; core++)
        if (!cores[core].stopped)
            printf("stands %u %" PRIu64 " %" PRIx32 "\n", core, cycle, cores[core].pc);
    return 0;
}
