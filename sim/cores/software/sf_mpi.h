/* Groups and barriers as MPI names them: a process is a core, a communicator a group.
 *
 * Every member of a new communicator works out its own barrier register from the list of members,
 * as paper BTIN has it (section 2.2). Messages are of 32-bit words. */
#ifndef SF_MPI_H
#define SF_MPI_H

#include "syncfabric.h"

typedef sf_group *MPI_Comm;
typedef struct {
    unsigned size, members[SYNCFABRIC_MOST_CORES];
} MPI_Group;
typedef MPI_Comm MPI_Request;
typedef struct {
    int MPI_SOURCE;
} MPI_Status;
typedef enum { MPI_INT, MPI_UNSIGNED, MPI_FLOAT } MPI_Datatype;
typedef enum { MPI_SUM, MPI_MAX, MPI_MIN, MPI_BAND, MPI_BOR, MPI_BXOR } MPI_Op;

#define MPI_SUCCESS 0
#define MPI_ERR_COMM 5
#define MPI_ERR_OP 9
#define MPI_COMM_NULL ((MPI_Comm)0)
#define MPI_COMM_WORLD sf_world()
#define MPI_REQUEST_NULL ((MPI_Request)0)
#define MPI_STATUS_IGNORE ((MPI_Status *)0)
#define MPI_ANY_SOURCE (-1)
#define MPI_IN_PLACE ((void *)-1)

static inline int MPI_Init(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    sf_barrier(sf_world());
    return MPI_SUCCESS;
}

/* All that was sent has been taken in when the last process is here. */
static inline int MPI_Finalize(void)
{
    sf_fence();
    sf_barrier(sf_world());
    return MPI_SUCCESS;
}

static inline int MPI_Comm_rank(MPI_Comm comm, int *rank) { return *rank = comm->rank, MPI_SUCCESS; }
static inline int MPI_Comm_size(MPI_Comm comm, int *size) { return *size = comm->size, MPI_SUCCESS; }

static inline int MPI_Comm_group(MPI_Comm comm, MPI_Group *group)
{
    group->size = comm->size;
    for (unsigned rank = 0; rank < comm->size; rank++)
        group->members[rank] = comm->members[rank];
    return MPI_SUCCESS;
}

static inline int MPI_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group *chosen)
{
    chosen->size = (unsigned)n;
    for (int i = 0; i < n; i++)
        chosen->members[i] = group.members[ranks[i]];
    return MPI_SUCCESS;
}

/* Called by all of the old communicator; those that are not in the group get MPI_COMM_NULL. */
static inline int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *made)
{
    (void)comm;
    *made = MPI_COMM_NULL;
    for (unsigned i = 0; i < group.size; i++)
        if (group.members[i] == sf_core()) {
            *made = sf_group_create(group.members, group.size);
            return *made ? MPI_SUCCESS : MPI_ERR_COMM;
        }
    return MPI_SUCCESS;
}

static inline int MPI_Comm_free(MPI_Comm *comm)
{
    sf_group_free(*comm);
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

static inline int MPI_Barrier(MPI_Comm comm) { return sf_barrier(comm), MPI_SUCCESS; }

static inline int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    sf_barrier_arrive(comm);
    *request = comm;
    return MPI_SUCCESS;
}

static inline int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    (void)status;
    if (*request)
        sf_barrier_wait(*request);
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

static inline int MPI_Send(const void *words, int n, MPI_Datatype type, int to, int tag,
                           MPI_Comm comm)
{
    (void)type;
    sf_send(comm->members[to], (unsigned)tag, (const uint32_t *)words, (size_t)n);
    return MPI_SUCCESS;
}

static inline int MPI_Recv(void *words, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                           MPI_Status *status)
{
    unsigned core = from == MPI_ANY_SOURCE ? SF_ANY : comm->members[from];
    (void)type;
    core = sf_recv(core, (unsigned)tag, (uint32_t *)words, (size_t)n);
    for (int rank = 0; status && rank < comm->size; rank++)
        if (comm->members[rank] == core)
            status->MPI_SOURCE = rank;
    return MPI_SUCCESS;
}

/* Operations by type. */
static const uint8_t sf_mpi_ops[3][6] = {
    {SF_SUM, SF_SIGNED_MAX, SF_SIGNED_MIN, SF_AND, SF_OR, SF_XOR},
    {SF_SUM, SF_MAX, SF_MIN, SF_AND, SF_OR, SF_XOR},
    {SF_FLOAT_SUM, SF_FLOAT_MAX, SF_FLOAT_MIN, SF_AND, SF_OR, SF_XOR},
};

/* In a stream of the communicator's group if it has one; else over messages, without floating point. */
static inline int MPI_Allreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op,
                                MPI_Comm comm)
{
    sf_op how = (sf_op)sf_mpi_ops[type][op];
    from = from == MPI_IN_PLACE ? to : from;
    if (sf_stream_begin(comm, from, to, (size_t)n, how))
        return sf_stream_wait() ? MPI_SUCCESS : MPI_ERR_COMM;
    if (from != to)
        __builtin_memcpy(to, from, 4 * (size_t)n);
    return sf_allreduce(comm, to, (size_t)n, how) ? MPI_SUCCESS : MPI_ERR_OP;
}

static inline int MPI_Reduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op,
                             int root, MPI_Comm comm)
{
    sf_op how = (sf_op)sf_mpi_ops[type][op];
    int mine = comm->rank == root;
    from = from == MPI_IN_PLACE ? to : from;
    if (sf_stream_begin(comm, from, mine ? to : 0, (size_t)n, how))
        return sf_stream_wait() ? MPI_SUCCESS : MPI_ERR_COMM;
    if (mine && from != to)
        __builtin_memcpy(to, from, 4 * (size_t)n);
    /* Of others the buffer stays as it is. */
    return sf_reduce_to(comm, (unsigned)root, mine ? to : (void *)(uintptr_t)from, (size_t)n, how)
        ? MPI_SUCCESS : MPI_ERR_OP;
}

static inline int MPI_Bcast(void *words, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    (void)type;
    return sf_broadcast(comm, (unsigned)root, words, (size_t)n) ? MPI_SUCCESS : MPI_ERR_COMM;
}

#endif /* SF_MPI_H */
