"""Ways for a rank to have its part of a collective: by a schedule, or by the MPI library's call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from syncfabric.models.collectives.collective import Collective, Kind
from syncfabric.sim.ranks.parts import Part, message_name, wanted_by
from syncfabric.sim.ranks.payloads import WORD, Bytes, Name


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
        self._sends, self._gets = _names(collective, world.Get_rank(), range(world.Get_size()))
        self._out = np.zeros((len(self._sends), size), np.uint8)
        self._into = np.zeros((len(self._gets), size), np.uint8)
        self._call = _call(world, collective, self._out, self._into)

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


def _names(collective: Collective, me: int, nodes: range) -> tuple[list[Name], list[Name]]:
    """Return what a rank hands to the call, and what it gets from it."""
    sender, receiver = collective.senders[0], collective.receivers[0]
    own, wanted = [(me, node) for node in nodes], wanted_by(collective).get(me, [])
    all_ = [(node, me) for node in nodes]
    match collective.kind:
        case "AAB":
            return [(me, me)], [(node, node) for node in nodes]
        case "AAS":
            return own, all_
        case "AAR":
            return own, wanted
        case "OAS":
            return (own if me == sender else []), [(sender, me)]
        case "AOG":
            return [(me, receiver)], (all_ if me == receiver else [])
        case "AOR":
            return [(me, receiver)], wanted
    names = (message_name(collective, pair) for pair in collective.pairs if pair[0] == me)
    return list(dict.fromkeys(names)), wanted


def _call(world: Any, collective: Collective, out: Bytes, into: Bytes) -> Callable[[], object]:
    """Return the call of a rank, with its buffers."""
    from mpi4py import MPI

    me, sender, receiver = world.Get_rank(), collective.senders[0], collective.receivers[0]
    block = out if me == sender else into
    match collective.kind:
        case "OAB":
            return lambda: world.Bcast(block, sender)
        case "multicast":
            # On a communicator of some ranks; of others it is no call.
            inside = me in {sender, *collective.receivers}
            key = -1 if me == sender else me
            among = world.Split(0 if inside else MPI.UNDEFINED, key)
            return (lambda: among.Bcast(block, 0)) if inside else lambda: None
        case "OAS":
            return lambda: world.Scatter(out if me == sender else None, into, sender)
        case "AOG":
            return lambda: world.Gather(out, into if me == receiver else None, receiver)
        case "AOR":
            total = into.view(np.uint64) if me == receiver else None
            return lambda: world.Reduce(out.view(np.uint64), total, root=receiver)
        case "AAB":
            return lambda: world.Allgather(out, into)
        case "AAS":
            return lambda: world.Alltoall(out, into)
        case "AAR":
            sums = into.view(np.uint64)
            return lambda: world.Reduce_scatter_block(out.view(np.uint64), sums)
    # On the graph of who sends to whom.
    sources = [a for a, b in collective.pairs if b == me]
    targets = [b for a, b in collective.pairs if a == me]
    graph = world.Create_dist_graph_adjacent(sources, targets)
    if collective.broadcast:
        return lambda: graph.Neighbor_allgather(out, into)
    return lambda: graph.Neighbor_alltoall(out, into)
