"""Ways for a rank to have its part of a collective: by a schedule, or by the MPI library's call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from syncfabric.models.collectives.collective import Collective, Kind
from syncfabric.sim.ranks.parts import Part, message_name, wanted_by
from syncfabric.sim.ranks.payloads import WORD, Bytes, Name

__all__ = ["CALLS", "Carrier", "Library"]


class Carrier:
    """One rank's part, ready to be played any number of times.

    The requests are made once, so that playing takes two calls of MPI a step: all messages of a
    step are on their way at once, and the next step begins when this rank's have come and gone.

    Parameters
    ----------
    world : mpi4py.MPI.Comm
        Its rank is the node.
    part : Part
    size : int
        Bytes of a message.
    """

    name = "schedule"

    def __init__(self, world: Any, part: Part, size: int) -> None:
        from mpi4py import MPI

        self._part = part
        self._blocks = np.zeros((part.slots, size), np.uint8)
        self._start, self._wait = MPI.Prequest.Startall, MPI.Request.Waitall
        self._steps = [
            (
                [world.Recv_init(self._blocks[slot], peer) for peer, slot in step.receives]
                + [world.Send_init(self._blocks[slot], peer) for peer, slot in step.sends],
                [(self._words(to), self._words(spare)) for to, spare in step.adds],
            )
            for step in part.steps
        ]

    def fill(self, payload: Callable[[Name], Bytes]) -> None:
        """Put what this rank has at the beginning into its slots, and wipe the others."""
        self._blocks[:] = 0
        for slot, name in self._part.own:
            self._blocks[slot] = payload(name)

    def run(self) -> None:
        """Play all steps."""
        for requests, adds in self._steps:
            self._start(requests)
            self._wait(requests)
            for total, message in adds:
                total += message

    def got(self) -> dict[Name, Bytes]:
        """Return what this rank was to have in the end."""
        return {name: self._blocks[slot] for slot, name in self._part.wanted}

    def free(self) -> None:
        """Give the requests back."""
        for requests, _ in self._steps:
            for request in requests:
                request.Free()

    def _words(self, slot: int) -> Any:
        """Return a block as numbers to be added up."""
        assert self._blocks.shape[1] % WORD == 0
        return self._blocks[slot].view(np.uint64)


CALLS: dict[Kind, str] = {
    "OAB": "Bcast",
    "OAS": "Scatter",
    "AOG": "Gather",
    "AOR": "Reduce",
    "multicast": "Bcast",
    "AAB": "Allgather",
    "AAS": "Alltoall",
    "AAR": "Reduce_scatter_block",
    "permutation": "Neighbor_alltoall",
    "MNB": "Neighbor_allgather",
    "MNS": "Neighbor_alltoall",
}
"""A multicast is a Bcast on a communicator of those who are in it."""


class Library:
    """The MPI library's call for a collective, ready to be made any number of times.

    Calls for all ranks hand each rank its own message, too, as MPI has it.

    Parameters
    ----------
    world : mpi4py.MPI.Comm
        Its rank is the node.
    collective : Collective
    size : int
        Bytes of a message; for a reduction a multiple of 8.
    """

    def __init__(self, world: Any, collective: Collective, size: int) -> None:
        self.name = CALLS[collective.kind]
        me = world.Get_rank()
        self._sends = _sends(collective, me, world.Get_size())
        self._gets = _gets(collective, me, world.Get_size())
        self._out = np.zeros((len(self._sends), size), np.uint8)
        self._into = np.zeros((len(self._gets), size), np.uint8)
        self._call = self._made(world, collective, me)

    def fill(self, payload: Callable[[Name], Bytes]) -> None:
        """Put what this rank sends into its buffer, and wipe what it has received."""
        self._into[:] = 0
        for block, name in zip(self._out, self._sends, strict=True):
            block[:] = payload(name)

    def run(self) -> None:
        """Make the call."""
        self._call()

    def got(self) -> dict[Name, Bytes]:
        """Return what this rank was to have in the end."""
        return dict(zip(self._gets, self._into, strict=True))

    def _made(self, world: Any, collective: Collective, me: int) -> Callable[[], object]:
        """Return the call."""
        out, into = self._out, self._into
        sender, receiver = collective.senders[0], collective.receivers[0]
        match collective.kind:
            case "OAB":
                block = out if me == sender else into
                return lambda: world.Bcast(block, sender)
            case "multicast":
                return _bcast_within(world, {sender, *collective.receivers}, sender, out, into)
            case "OAS":
                return lambda: world.Scatter(out if me == sender else None, into, sender)
            case "AOG":
                return lambda: world.Gather(out, into if me == receiver else None, receiver)
            case "AOR":
                numbers = into.view(np.uint64) if me == receiver else None
                return lambda: world.Reduce(out.view(np.uint64), numbers, root=receiver)
            case "AAB":
                return lambda: world.Allgather(out, into)
            case "AAS":
                return lambda: world.Alltoall(out, into)
            case "AAR":
                terms, total = out.view(np.uint64), into.view(np.uint64)
                return lambda: world.Reduce_scatter_block(terms, total)
        return _with_neighbours(world, collective, me, out, into)


def _sends(collective: Collective, me: int, ranks: int) -> list[Name]:
    """Return what a rank hands to the call."""
    match collective.kind:
        case "AAB":
            return [(me, me)]
        case "AAS" | "AAR":
            return [(me, node) for node in range(ranks)]
        case "OAS":
            return [(me, node) for node in range(ranks) if me in collective.senders]
        case "AOG" | "AOR":
            return [(me, collective.receivers[0])]
    names = (message_name(collective, pair) for pair in collective.pairs if pair[0] == me)
    return list(dict.fromkeys(names))


def _gets(collective: Collective, me: int, ranks: int) -> list[Name]:
    """Return what a rank gets from the call."""
    match collective.kind:
        case "AAB":
            return [(node, node) for node in range(ranks)]
        case "AAS":
            return [(node, me) for node in range(ranks)]
        case "OAS":
            return [(collective.senders[0], me)]
        case "AOG":
            return [(node, me) for node in range(ranks) if me in collective.receivers]
    return wanted_by(collective).get(me, [])


def _bcast_within(
    world: Any, members: set[int], sender: int, out: Bytes, into: Bytes
) -> Callable[[], object]:
    """Return the call on a communicator of some ranks; of others it is no call."""
    from mpi4py import MPI

    me = world.Get_rank()
    among = world.Split(0 if me in members else MPI.UNDEFINED, -1 if me == sender else me)
    if among == MPI.COMM_NULL:
        return lambda: None
    block = out if me == sender else into
    return lambda: among.Bcast(block, 0)


def _with_neighbours(
    world: Any, collective: Collective, me: int, out: Bytes, into: Bytes
) -> Callable[[], object]:
    """Return the call on the graph of who sends to whom."""
    pairs = list(collective.pairs)
    graph = world.Create_dist_graph_adjacent(
        [a for a, b in pairs if b == me], [b for a, b in pairs if a == me]
    )
    if collective.broadcast:
        return lambda: graph.Neighbor_allgather(out, into)
    return lambda: graph.Neighbor_alltoall(out, into)
