/* Vectors under MPI's names, for every type and operation; then, with KILL, in a stream that the last
 * core ends, at whose router the group's root is. */

#include "sf_mpi.h"

#define WORDS 21

static uint32_t own[WORDS], result[WORDS];

static uint32_t value(unsigned core, unsigned i, unsigned round)
{
    return (core + 1) * 2654435761u ^ (i + round) * 0x9e3779b9u;
}

static uint32_t combined(unsigned type, unsigned op, unsigned i, unsigned round)
{
    uint32_t all = value(0, i, round);
    for (unsigned core = 1; core < sf_cores(); core++) {
        uint32_t word = value(core, i, round), bias = type == MPI_INT ? 1u << 31 : 0;
        int above = (word ^ bias) > (all ^ bias);
        switch (op) {
        case MPI_SUM: all += word; break;
        case MPI_MAX: all = above ? word : all; break;
        case MPI_MIN: all = above ? all : word; break;
        case MPI_BAND: all &= word; break;
        case MPI_BOR: all |= word; break;
        default: all ^= word;
        }
    }
    return all;
}

static int is(const uint32_t *words, unsigned type, unsigned op, unsigned round)
{
    for (unsigned i = 0; i < WORDS; i++)
        if (words[i] != combined(type, op, i, round))
            return 0;
    return 1;
}

static void fill(unsigned round)
{
    for (unsigned i = 0; i < WORDS; i++)
        own[i] = value(sf_core(), i, round), result[i] = ~i;
}

static int each(void)
{
    MPI_Comm all = MPI_COMM_WORLD;
    unsigned self = sf_core(), round = 0;
    for (unsigned type = MPI_INT; type <= MPI_UNSIGNED; type++)
        for (unsigned op = MPI_SUM; op <= MPI_BXOR; op++, round++) {
            unsigned root = round % sf_cores();
            fill(round);
            if (MPI_Allreduce(own, result, WORDS, type, op, all) || !is(result, type, op, round))
                return 2;
            fill(round);
            if (MPI_Reduce(own, result, WORDS, type, op, (int)root, all))
                return 3;
            for (unsigned i = 0; i < WORDS; i++)
                if (own[i] != value(self, i, round) || (self != root && result[i] != ~i))
                    return 4;
            if (self == root && !is(result, type, op, round))
                return 5;
            if (MPI_Allreduce(MPI_IN_PLACE, own, WORDS, type, op, all) || !is(own, type, op, round))
                return 6;
            fill(round);
            if (MPI_Bcast(own, WORDS, type, (int)root, all))
                return 7;
            for (unsigned i = 0; i < WORDS; i++)
                if (own[i] != value(root, i, round))
                    return 8;
        }
    return MPI_Allreduce(own, result, WORDS, MPI_FLOAT, MPI_SUM, all) == MPI_ERR_OP ? 0 : 9;
}

#ifdef KILL
static int killed(void)
{
    sf_group *all = sf_world();
    uint32_t start = sf_cycle(), entry = SYNCFABRIC_STREAM_REGISTER;
    if (sf_core() + 1 == sf_cores()) {
        while (sf_cycle() - start < 300)
            ;
        SF_WORD(SYNCFABRIC_CORE_CONFIG_BASE + SYNCFABRIC_COMMIT) = SYNCFABRIC_CODE_KILL
            | 1u << SYNCFABRIC_COMMIT_WORD_EPOCH_SHIFT
            | entry << SYNCFABRIC_COMMIT_WORD_ENTRY_SHIFT;
        if (SF_WORD(SYNCFABRIC_CORE_CONFIG_STATUS))
            return 10;
    }
    fill(0);
    if (sf_allreduce(all, own, WORDS, SF_SUM) || !sf_broken(all))
        return 11;
    return MPI_Allreduce(own, result, WORDS, MPI_INT, MPI_SUM, all) == MPI_ERR_COMM ? 0 : 12;
}
#endif

int main(void)
{
    int wrong = each();
#ifdef KILL
    wrong = wrong ? wrong : killed();
#endif
    return wrong;
}
