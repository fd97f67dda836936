/* The same work under three names: POSIX threads, Unified Parallel C, MPI.
 *
 * Under each, ROUNDS times every core sends its neighbour a sum, and waits for all. A core puts for
 * each the sum, and the cycles a round. Then the even and the odd cores make communicators. */

#include "sf_mpi.h"
#include "sf_pthread.h"
#include "sf_upc.h"

#ifndef ROUNDS
#define ROUNDS 10
#endif

static uint32_t exchanged(uint32_t sum, unsigned round)
{
    unsigned next = sf_core() + 1 < sf_cores() ? sf_core() + 1 : 0;
    unsigned last = sf_core() ? sf_core() - 1 : sf_cores() - 1;
    sf_send1(next, round & 1, sum);
    return sf_recv1(last, round & 1);
}

static void put_sum(uint32_t sum, uint32_t start)
{
    uint32_t cycles = sf_cycle() - start;
    sf_put(sum);
    sf_put(cycles / ROUNDS);
}

static uint32_t begin(void)
{
    sf_barrier(sf_world());
    return sf_cycle();
}

int main(void)
{
    uint32_t sum = sf_core(), start;
    pthread_barrier_t barrier;
    MPI_Group world, half;
    MPI_Comm comm;
    MPI_Request request;
    int ranks[SYNCFABRIC_MOST_CORES], n = 0, rank = -1, size = 0;

    pthread_barrier_init(&barrier, NULL, sf_cores());
    start = begin();
    for (unsigned round = 0; round < ROUNDS; round++) {
        sum = exchanged(sum, round) + round;
        pthread_barrier_wait(&barrier);
    }
    put_sum(sum, start);
    pthread_barrier_destroy(&barrier);

    sum = (uint32_t)MYTHREAD;
    start = begin();
    for (unsigned round = 0; round < ROUNDS; round++) {
        sum = exchanged(sum, round) + round;
        upc_notify;
        upc_wait;
    }
    put_sum(sum, start);

    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sum = sf_core();
    start = begin();
    for (unsigned round = 0; round < ROUNDS; round++) {
        sum = exchanged(sum, round) + round;
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    put_sum(sum, start);

    /* Even and odd cores: each group is apart, and later one of all others. */
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int core = rank & 1; core < size; core += 2)
        ranks[n++] = core;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, n, ranks, &half);
    for (unsigned again = 0; again < 2; again++) {
        int place;
        if (MPI_Comm_create(MPI_COMM_WORLD, half, &comm) != MPI_SUCCESS)
            return 1;
        for (int round = 0; round < ROUNDS * (1 + (rank & 1)); round++)
            MPI_Barrier(comm);
        MPI_Comm_rank(comm, &place);
        sf_put((uint32_t)place);
        MPI_Comm_free(&comm);
    }
    MPI_Finalize();
    return 0;
}
