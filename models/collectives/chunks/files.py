"""Files of schedules in chunks: ours, whose errors say where one is malformed, and others'.

A C header over MPI has who sends what to whom, and a function that does it. Traces of Chakra are
one a rank, as ASTRA-sim reads them: lists of nodes that send or receive; a node begins when those
that it depends on have ended. Combining takes no time and has no node. Source: MLCommons Chakra,
``schema/protobuf/et_def.proto`` and the fields that its feeder looks at
(github.com/mlcommons/chakra).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import ConfigDict, Field, TypeAdapter
from pydantic.dataclasses import dataclass

from syncfabric.models.collectives.chunks.checker import bound_of
from syncfabric.models.collectives.chunks.schedule import (
    FORMAT,
    MOST_BYTES,
    Chunked,
    Cut,
    Exchange,
    Schedule,
    Send,
    needed,
)
from syncfabric.models.collectives.files import read as read_steps
from syncfabric.models.collectives.files import topology_from_json
from syncfabric.models.collectives.schedule import Schedule as InSteps
from syncfabric.models.collectives.topology import Topology
from syncfabric.models.errors import SpecError
from syncfabric.models.files import read_text, reading
from syncfabric.models.parsed import Rational, parse_json, validated

_Whole = Annotated[int, Field(strict=True, ge=0)]


@dataclass(frozen=True, config=ConfigDict(extra="forbid"), kw_only=True)
class _Cut:
    """Why a schedule takes so long."""

    cut: list[list[_Whole]] | None = None
    times: list[tuple[_Whole, Rational]] | None = None
    lengths: list[tuple[_Whole, _Whole, _Whole]] | None = None

    def made(self) -> Cut | None:
        """Return the cut, if there is one."""
        if self.lengths is not None:
            if self.cut is not None or not self.lengths:
                raise SpecError("schedule: lengths: they take a cut's place; give one of them")
            return Cut((), lengths=tuple(self.lengths))
        if self.cut is not None:
            return Cut(tuple(map(frozenset, self.cut)), tuple(self.times or ()))
        if self.times:
            raise SpecError("schedule: times: they are of a cut's vertices; there is no cut")
        return None


@dataclass(frozen=True, config=ConfigDict(extra="forbid"), kw_only=True)
class _File(_Cut):
    """A file; field by field as the documentation has them."""

    format: Literal["syncfabric-schedule/2"]
    topology: dict[str, Any]
    collective: Chunked
    bytes: Annotated[int, Field(strict=True, ge=1, le=MOST_BYTES)]
    chunks: Annotated[int, Field(strict=True, ge=1)]
    sends: list[list[Any]]
    root: _Whole = 0
    in_chunks: _Cut | None = None


_FILE = TypeAdapter(_File)


def load_any(path: Path) -> Schedule | InSteps:
    """Read a file of a schedule, in chunks or in steps.

    Raises
    ------
    SpecError
        It cannot be read, or is no schedule; the message names the file and the place.
    """
    with reading(path):
        return replace(read_any(parse_json(read_text(path))), source=str(path))


def read_any(values: Any) -> Schedule | InSteps:
    """Return a schedule from the values of a file, in chunks or in steps.

    Raises
    ------
    SpecError
        As ``read``.
    """
    if isinstance(values, dict) and values.get("format") == FORMAT:
        return read(values)
    return read_steps(values)


def read(values: Any) -> Schedule:
    """Return a schedule from the values of a file.

    Raises
    ------
    SpecError
        The values have not its shape, or name what the topology lacks; the message names the
        place.
    """
    file = validated(_FILE, values, "schedule")
    topology = topology_from_json(file.topology, "schedule: topology")
    if not topology.links:
        raise SpecError(
            "schedule: topology.links is missing: alpha, beta and lanes of each channel"
        )
    exchange = Exchange(file.collective, topology.nodes, file.bytes, file.chunks, file.root)
    if file.root and not exchange.rooted:
        raise SpecError(f"schedule: root: {file.collective} has none; remove it, or set it to 0")
    sends = tuple(
        _send(topology, exchange, send, f"schedule: sends[{number}]")
        for number, send in enumerate(file.sends)
    )
    cut, of_parts = (None if part is None else part.made() for part in (file, file.in_chunks))
    for each in (cut, of_parts):
        if each is not None:
            bound_of(exchange, topology, each)
    return Schedule(topology, exchange, sends, cut, of_parts)


def _send(topology: Topology, exchange: Exchange, send: Any, place: str) -> Send:
    if len(send) < 5 or not all(type(word) is int for word in (*send[:2], *send[3:])):
        raise SpecError(f'{place}: it must be share, part, "copy" or "combine", and a path')
    share, part, operation, *path = send
    if operation not in ("copy", "combine"):
        raise SpecError(f'{place}: it must be "copy" or "combine", not "{operation}"')
    if not (0 <= share < exchange.count and 0 <= part < exchange.parts):
        raise SpecError(
            f"{place}: there is no share {share}, part {part}: there are"
            f" {exchange.count} of {exchange.parts}"
        )
    for pair in pairwise(path):
        if pair not in topology.number:
            raise SpecError(f"{place}: topology {topology.name} has no channel {list(pair)}")
    for at, vertex in enumerate(path):
        if (vertex < topology.nodes) != (at in (0, len(path) - 1)):
            raise SpecError(f"{place}: a path leads from a rank to a rank, past switches alone")
    return Send(share * exchange.parts + part, tuple(path), operation == "combine")


LINE = 8
"""Moves in a line of the header."""
SEND, RECEIVE = 5, 6
"""``COMM_SEND_NODE`` and ``COMM_RECV_NODE``."""
VERSION = "0.0.4"
"""Of the schema."""


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


class Node(NamedTuple):
    """A rank sends a chunk, or receives one."""

    number: int
    name: str
    kind: int
    needs: tuple[int, ...]
    """Nodes of the rank that are to end before."""
    source: int
    target: int
    size: int
    """Bytes."""
    tag: int
    """The number of the send in the schedule: the same at both ends."""


def traces_of(schedule: Schedule) -> list[list[Node]]:
    """Return the nodes of each rank, in the schedule's order.

    A send needs what wrote its chunk last; a reception what wrote it, and all that has read it
    since.
    """
    exchange = schedule.exchange
    size = -(-exchange.piece.numerator // exchange.piece.denominator)
    nodes: list[list[Node]] = [[] for _ in range(exchange.ranks)]
    ends = list[tuple[int, int]]()
    for tag, (send, needs) in enumerate(zip(schedule.sends, needed(schedule.sends), strict=True)):
        source, target = send.path[0], send.path[-1]
        share, part = divmod(send.item, exchange.parts)
        what = f"share {share}, part {part}"
        more = source, target, size, tag
        ends.append((len(nodes[source]), len(nodes[target])))
        after = tuple(ends[n][1] for n in needs.brought)
        nodes[source].append(Node(ends[tag][0], f"send {what} to {target}", SEND, after, *more))
        after = tuple(ends[n][1] for n in needs.replaced) + tuple(ends[n][0] for n in needs.read)
        name = f"{'combine' if send.combine else 'receive'} {what} from {source}"
        nodes[target].append(Node(ends[tag][1], name, RECEIVE, after, *more))
    return nodes


def trace_json(nodes: Sequence[Node]) -> dict[str, Any]:
    """Return a rank's trace as the feeder's JSON has it."""
    return {
        "workload_graph": [
            {
                "Id": node.number,
                "Name": node.name,
                "NodeType": node.kind,
                "is_cpu_op": False,
                "runtime": 0,
                "data_deps": list(node.needs),
                "comm_size": node.size,
                "comm_src": node.source,
                "comm_dst": node.target,
                "comm_tag": node.tag,
            }
            for node in nodes
        ]
    }


def trace_bytes(nodes: Sequence[Node]) -> bytes:
    """Return a rank's trace as a file ``.et``: metadata and nodes, each behind its length."""
    messages = [_text(1, VERSION), *(b"".join(_node(node)) for node in nodes)]
    return b"".join(_varint(len(message)) + message for message in messages)


def _node(node: Node) -> Iterator[bytes]:
    """Yield the fields of a message ``Node``."""
    if node.number:  # what is 0 is left out
        yield _number(1, node.number)
    yield _text(2, node.name)
    yield _number(3, node.kind)
    if node.needs:
        yield _block(5, b"".join(map(_varint, node.needs)))
    # Attributes by the fields of their types: bool 27, int64 9, int32 7.
    for name, field, value in (
        ("is_cpu_op", 27, 0),
        ("comm_size", 9, node.size),
        ("comm_src", 7, node.source),
        ("comm_dst", 7, node.target),
        ("comm_tag", 7, node.tag),
    ):
        yield _block(10, _text(1, name) + _number(field, value))


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _block(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _text(field: int, text: str) -> bytes:
    return _block(field, text.encode())
