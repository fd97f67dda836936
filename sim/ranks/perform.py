"""A schedule between ranks of MPI: carried out, checked byte by byte, and timed."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from syncfabric.models.collectives.checker import check
from syncfabric.models.collectives.chunks.schedule import Schedule as InChunks
from syncfabric.models.collectives.collective import Collective, Kind
from syncfabric.models.collectives.collective import collective as collective_of
from syncfabric.models.collectives.schedule import Schedule
from syncfabric.models.errors import SpecError, about
from syncfabric.sim.ranks.launch import on_first
from syncfabric.sim.ranks.parts import (
    Carrier,
    Part,
    chunk_parts,
    message_name,
    parts_of,
    reduces,
    wanted_by,
)
from syncfabric.sim.ranks.payloads import (
    WORD,
    Bytes,
    Name,
    Times,
    first_wrong,
    library_words,
    now,
    payload,
    payload_sum,
    processors,
    slowest,
)

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
"""A multicast is a Bcast on a communicator of its ranks."""


class Library:
    """The MPI library's call for a collective, ready to be made any number of times.

    Calls for all ranks hand each rank its own message, too, as MPI has it.

    Parameters
    ----------
    world : mpi4py.MPI.Comm
        Its rank is the node.
    collective : Collective or None
        None stands for Allreduce, which there is not in steps.
    size : int
        Bytes of a message; for a reduction a multiple of 8.
    """

    def __init__(self, world: Any, collective: Collective | None, size: int) -> None:
        self.name = "Allreduce" if collective is None else CALLS[collective.kind]
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


def _names(collective: Collective | None, me: int, nodes: range) -> tuple[list[Name], list[Name]]:
    """Return what a rank hands to the call, and what it gets from it."""
    if collective is None:
        return [(me, node) for node in nodes], [(node, node) for node in nodes]
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


def _call(
    world: Any, collective: Collective | None, out: Bytes, into: Bytes
) -> Callable[[], object]:
    """Return the call of a rank, with its buffers."""
    from mpi4py import MPI

    if collective is None:
        return lambda: world.Allreduce(out.view(np.uint64), into.view(np.uint64))
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
    # On the graph of senders and receivers.
    sources = [a for a, b in collective.pairs if b == me]
    targets = [b for a, b in collective.pairs if a == me]
    graph = world.Create_dist_graph_adjacent(sources, targets)
    if collective.broadcast:
        return lambda: graph.Neighbor_allgather(out, into)
    return lambda: graph.Neighbor_alltoall(out, into)


WARM = 2
"""Times that each method is done before it is timed."""
MOST = 20
"""Wrong blocks that a rank reports; others are only counted."""


@dataclass(frozen=True)
class Wrong:
    """A block that is not what it should be."""

    rank: int
    way: str
    """``schedule``, or the library's call."""
    message: Name
    """Origin and destination; twice the origin of a broadcast, twice the destination of a sum."""
    byte: int
    """The first that is wrong."""

    def words(self) -> str:
        """Say it in one line."""
        a, b = self.message
        what = f"message {a} to {b}" if a != b else f"the block of {a}"
        return f"{self.way}: {what} is wrong on rank {self.rank} from byte {self.byte:,} on"


@dataclass(frozen=True)
class Performed:
    """What carrying out a schedule found.

    Parameters
    ----------
    schedule : Schedule
        In steps, or in chunks.
    head : dict
        Its JSON form.
    size : int
        Bytes of a message; in chunks of a share.
    carried, library : Times
        Of the schedule, and of the MPI library's own call.
    checked : int
        Bytes compared, on all ranks.
    wrong_count : int
        Blocks that were not what they should be.
    wrong : tuple of Wrong
        The first of them.
    processors : int
        That rank 0 may run on.
    mpi : str
        The MPI library.
    """

    schedule: Schedule | InChunks
    head: dict[str, Any]
    size: int
    carried: Times
    library: Times
    checked: int
    wrong_count: int
    wrong: tuple[Wrong, ...]
    processors: int
    mpi: str

    @property
    def right(self) -> bool:
        """Whether every byte was right on every rank."""
        return self.wrong_count == 0

    def to_json(self) -> dict[str, Any]:
        """Return what ``perform --json`` prints."""
        return {
            "topology": self.schedule.topology.name,
            "ranks": self.schedule.topology.nodes,
            "processors": self.processors,
            "mpi": self.mpi,
            **self.head,
            "bytes": self.size,
            "repeat": len(self.carried.seconds),
            "right": self.right,
            "checked_bytes": self.checked,
            "wrong_count": self.wrong_count,
            "wrong": [asdict(wrong) for wrong in self.wrong],
            "schedule": self.carried.to_json(),
            "library": self.library.to_json(),
        }


def perform(
    world: Any,
    load: Callable[[], Schedule | InChunks],
    *,
    size: int | None = None,
    repeat: int = 20,
    seed: int = 1,
) -> Performed | None:
    """Carry out a schedule; every rank calls this.

    Parameters
    ----------
    world : mpi4py.MPI.Comm
        As many ranks as the schedule has nodes.
    load : function
        Returns the schedule. Rank 0 alone calls it.
    size : int, optional
        Bytes of a message, 1,024 by default. A schedule in chunks has a size of its own.
    repeat : int
        How often each method is timed. Each time has other payloads.
    seed : int
        Of the payloads.

    Returns
    -------
    Performed or None
        On rank 0; None on the others.

    Raises
    ------
    SpecError
        The schedule is wrong, has not as many nodes as there are ranks, adds up numbers of 8
        bytes where ``size`` is no multiple of 8, or is in chunks and ``size`` is given. Raised on
        every rank.
    """
    plan = on_first(world, lambda: prepare(load(), world.Get_size(), size))
    me, nodes, size = world.Get_rank(), range(world.Get_size()), plan.size
    carrier = Carrier(world, plan.parts[me], size)
    library = Library(world, plan.collective, size)
    methods: tuple[Carrier | Library, ...] = (carrier, library)
    times: tuple[list[float], ...] = ([], [])
    wrong: list[Wrong] = []
    checked = 0
    for turn in range(WARM + repeat):
        given = partial(payload, size=size, seed=seed, turn=turn)
        for method, seconds in zip(methods, times, strict=True):
            method.fill(given)
            world.Barrier()
            start = now()
            method.run()
            seconds.append(now() - start)
            for name, found in method.got().items():
                terms = [(node, name[1]) for node in nodes] if plan.adds_up else []
                right = payload_sum(terms, size, seed, turn) if plan.adds_up else given(name)
                checked += size
                byte = first_wrong(found, right)
                if byte is not None:
                    wrong.append(Wrong(me, method.name, name, byte))
    rows = world.gather((times, checked, len(wrong), wrong[:MOST]), root=0)
    carrier.free()
    if rows is None:
        return None
    carried, called = (
        slowest(each.name, [row[0][n][WARM:] for row in rows]) for n, each in enumerate(methods)
    )
    return Performed(
        plan.schedule,
        plan.head,
        size,
        carried,
        called,
        sum(row[1] for row in rows),
        sum(row[2] for row in rows),
        tuple(one for row in rows for one in row[3])[:MOST],
        processors(),
        library_words(),
    )


class Plan(NamedTuple):
    """A schedule as ranks carry it out, be it in steps or in chunks."""

    schedule: Schedule | InChunks
    parts: Sequence[Part]
    """Of each rank."""
    size: int
    """Bytes of a message; in chunks of a share."""
    adds_up: bool
    collective: Collective | None
    """Whose call of MPI does the same; None of allreduce."""
    head: dict[str, Any]
    """Its JSON form."""


def prepare(schedule: Schedule | InChunks, ranks: int, size: int | None) -> Plan:
    """Return how a schedule is carried out.

    Raises
    ------
    SpecError
        It cannot be performed; see ``perform``.
    """
    with about(schedule.source):
        nodes, topology = schedule.topology.nodes, schedule.topology.name
        if nodes != ranks:
            started = "1 rank was" if ranks == 1 else f"{ranks} ranks were"
            raise SpecError(
                f"the schedule is for the {nodes} nodes of {topology}, but {started} started; "
                f"use mpiexec -n {nodes}, or --ranks {nodes}"
            )
        if isinstance(schedule, Schedule):
            return _in_steps(schedule, 1024 if size is None else size)
        if size is not None:
            raise SpecError("--bytes: a schedule in chunks has its own; leave it out")
        return _in_chunks(schedule)


def _in_chunks(schedule: InChunks) -> Plan:
    exchange = schedule.exchange
    head = {"collective": exchange.kind, "chunks": exchange.parts, "messages": len(schedule.sends)}
    rest = (int(exchange.share), exchange.combines, _call_of(schedule), head)
    return Plan(schedule, chunk_parts(schedule), *rest)


def _call_of(schedule: InChunks) -> Collective | None:
    """Return the collective in steps whose call of MPI does the same; None of ``allreduce``."""
    exchange = schedule.exchange
    if exchange.kind == "allreduce":
        return None
    senders = [exchange.root] if exchange.kind in ("broadcast", "scatter") else None
    receivers = [exchange.root] if exchange.kind in ("reduce", "gather") else None
    return collective_of(exchange.kind, schedule.topology, senders, receivers)


def _in_steps(schedule: Schedule, size: int) -> Plan:
    collective, adds_up = schedule.collective, reduces(schedule.collective)
    if adds_up and size % WORD:
        raise SpecError(
            f"--bytes: {collective.name} adds up numbers of {WORD} bytes, so it must be a "
            f"multiple of {WORD}, not {size}"
        )
    report = check(schedule)
    if not report.right:
        more = f" (and {report.count - 1:,} more)" if report.count > 1 else ""
        raise SpecError(f"the schedule is wrong: {report.conflicts[0].words()}{more}")
    head = {"collective": collective.name, "steps": len(schedule.steps)}
    head["messages"] = schedule.messages
    return Plan(schedule, parts_of(schedule), size, adds_up, collective, head)
