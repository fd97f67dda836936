/* Barriers as POSIX threads name them: a thread is a core, and each has its own pthread_barrier_t.
 *
 * A barrier of n threads is that of cores 0 to n - 1: each of them inits it, waits, destroys it. */
#ifndef SF_PTHREAD_H
#define SF_PTHREAD_H

#include "syncfabric.h"

#define PTHREAD_BARRIER_SERIAL_THREAD (-1)
#define SF_EINVAL 22
#define SF_EAGAIN 11

typedef struct {
    sf_group *group;
} pthread_barrier_t;
typedef void pthread_barrierattr_t;

static inline int pthread_barrier_init(pthread_barrier_t *barrier,
                                       const pthread_barrierattr_t *attributes, unsigned count)
{
    unsigned members[SYNCFABRIC_MOST_CORES];
    (void)attributes;
    if (!count || count > sf_cores() || sf_core() >= count)
        return SF_EINVAL;
    for (unsigned core = 0; core < count; core++)
        members[core] = core;
    barrier->group = count == sf_cores() ? sf_world() : sf_group_create(members, count);
    return barrier->group ? 0 : SF_EAGAIN;
}

/* One of the threads, rank 0, gets PTHREAD_BARRIER_SERIAL_THREAD, the others 0. */
static inline int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    sf_barrier(barrier->group);
    return barrier->group->rank ? 0 : PTHREAD_BARRIER_SERIAL_THREAD;
}

static inline int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
    if (barrier->group != sf_world_made)
        sf_group_free(barrier->group);
    barrier->group = 0;
    return 0;
}

#endif /* SF_PTHREAD_H */
