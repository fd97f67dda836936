/* The split-phase barrier of Unified Parallel C, over all cores. */
#ifndef SF_UPC_H
#define SF_UPC_H

#include "syncfabric.h"

#define THREADS ((int)sf_cores())
#define MYTHREAD ((int)sf_core())

#define upc_notify sf_barrier_arrive(sf_world())
#define upc_wait sf_barrier_wait(sf_world())
#define upc_barrier sf_barrier(sf_world())

#endif /* SF_UPC_H */
