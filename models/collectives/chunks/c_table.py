"""A schedule in chunks as a C header: who sends what to whom, and a function over MPI that does."""

import re
from collections.abc import Iterator

from syncfabric.models.collectives.chunks.schedule import Schedule

LINE = 8
"""Moves in a line."""


def c_table(schedule: Schedule, name: str = "") -> str:
    """Return the header: a table of moves, by rank in their order, and what carries it out.

    Parameters
    ----------
    schedule : Schedule
    name : str, optional
        What all names begin with; by default collective and topology.
    """
    exchange = schedule.exchange
    prefix = re.sub(r"\W", "_", name or f"{exchange.kind}_{schedule.topology.name}")
    moves: list[list[tuple[int, int, int]]] = [[] for _ in range(exchange.ranks)]
    for item, path, combine in schedule.sends:
        moves[path[0]].append((item, path[-1], 0))
        moves[path[-1]].append((item, path[0], 2 if combine else 1))
    starts = [0]
    for own in moves:
        starts.append(starts[-1] + len(own))
    words = {
        "KIND": exchange.kind,
        "TOPOLOGY": schedule.topology.name.replace("*/", "* /"),
        "NAME": prefix,
        "GUARD": f"{prefix.upper()}_H",
        "RANKS": str(exchange.ranks),
        "ITEMS": str(exchange.items),
        "PARTS": str(exchange.parts),
        "COUNT": str(max(1, starts[-1])),
        "STARTS": ", ".join(map(str, starts)),
        "MOVES": ",\n".join(_lines([move for own in moves for move in own] or [(0, 0, 0)])),
    }
    return re.sub(r"@(\w+)@", lambda match: words[match[1]], _HEADER)


def _lines(moves: list[tuple[int, int, int]]) -> Iterator[str]:
    for first in range(0, len(moves), LINE):
        row = (f"{{{i}, {p}, {k}}}" for i, p, k in moves[first : first + LINE])
        yield f"    {', '.join(row)}"


_HEADER = """\
/* @KIND@ of @RANKS@ ranks, scheduled on @TOPOLOGY@.
 *
 * A rank has @ITEMS@ items of equal size: item s * @PARTS@ + c is part c of share s. Its moves are
 * @NAME@_moves[@NAME@_starts[rank]] up to @NAME@_starts[rank + 1], in this order. A move sends an
 * item to a peer (kind 0), receives it in the item's place (1), or receives and combines it (2).
 * With <mpi.h> included before, @NAME@_run carries them out.
 */
#ifndef @GUARD@
#define @GUARD@

#include <stddef.h>

enum { @NAME@_ranks = @RANKS@, @NAME@_items = @ITEMS@, @NAME@_parts = @PARTS@ };

struct @NAME@_move { int item, peer, kind; };

static const int @NAME@_starts[] = {@STARTS@};
static const struct @NAME@_move @NAME@_moves[@COUNT@] = {
@MOVES@
};

#ifdef MPI_VERSION
#include <stdlib.h>
#include <string.h>

/* Carry out the schedule: items has @NAME@_items blocks of size bytes, combine adds a block to
 * another. All that comes is received into memory of its own from the beginning on; a send
 * begins when all moves before it are done. Returns MPI_SUCCESS, or what failed; MPI_ERR_NO_MEM
 * if there is no memory, MPI_ERR_COMM if there are not @RANKS@ ranks. */
static int @NAME@_run(void *items, size_t size,
                      void (*combine)(void *into, const void *from, size_t size), MPI_Comm comm) {
    int rank, ranks, n, count, error = MPI_SUCCESS;
    const struct @NAME@_move *moves;
    MPI_Request *requests;
    char *come, *own = items;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    if (ranks != @NAME@_ranks) return MPI_ERR_COMM;
    moves = @NAME@_moves + @NAME@_starts[rank];
    count = @NAME@_starts[rank + 1] - @NAME@_starts[rank];
    requests = malloc((count + 1) * sizeof *requests);
    come = malloc((count + 1) * size);
    if (!requests || !come) error = MPI_ERR_NO_MEM;
    for (n = 0; n < count && !error; n++) {
        requests[n] = MPI_REQUEST_NULL;
        if (moves[n].kind)
            error = MPI_Irecv(come + n * size, (int)size, MPI_BYTE, moves[n].peer, 0, comm,
                              &requests[n]);
    }
    for (n = 0; n < count && !error; n++) {
        char *item = own + moves[n].item * size;
        int before;
        if (!moves[n].kind) {
            error = MPI_Isend(item, (int)size, MPI_BYTE, moves[n].peer, 0, comm, &requests[n]);
            continue;
        }
        error = MPI_Wait(&requests[n], MPI_STATUS_IGNORE);
        for (before = 0; before < n && !error; before++) /* what was there has to be sent first */
            if (!moves[before].kind && moves[before].item == moves[n].item)
                error = MPI_Wait(&requests[before], MPI_STATUS_IGNORE);
        if (!error && moves[n].kind == 2) combine(item, come + n * size, size);
        if (!error && moves[n].kind == 1) memcpy(item, come + n * size, size);
    }
    if (!error) error = MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    free(requests);
    free(come);
    return error;
}
#endif
#endif
"""
