"""A schedule between ranks of MPI: carried out, checked byte by byte, and timed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from syncfabric.models.collectives.checker import check
from syncfabric.models.collectives.schedule import Schedule
from syncfabric.models.errors import SpecError, about
from syncfabric.sim.ranks.carry import Carrier, Library
from syncfabric.sim.ranks.launch import first_tells
from syncfabric.sim.ranks.parts import Part, parts_of, reduces
from syncfabric.sim.ranks.payloads import (
    WORD,
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

WARM = 2
"""Times that each way is done before it is timed."""
MOST = 20
"""Wrong blocks that a rank tells; others are only counted."""


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
    size : int
        Bytes of a message.
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

    schedule: Schedule
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
            "collective": self.schedule.collective.kind,
            "ranks": self.schedule.topology.nodes,
            "processors": self.processors,
            "mpi": self.mpi,
            "steps": len(self.schedule.steps),
            "messages": self.schedule.messages,
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
    world: Any, load: Callable[[], Schedule], *, size: int = 1024, repeat: int = 20, seed: int = 1
) -> Performed | None:
    """Carry out a schedule; every rank calls this.

    Parameters
    ----------
    world : mpi4py.MPI.Comm
        As many ranks as the schedule has nodes.
    load : function
        Returns the schedule. Rank 0 alone calls it.
    size : int
        Bytes of a message.
    repeat : int
        How often each way is timed. Each time has other payloads.
    seed : int
        Of the payloads.

    Returns
    -------
    Performed or None
        On rank 0; None on the others.

    Raises
    ------
    SpecError
        The schedule is wrong, has not as many nodes as there are ranks, or adds up numbers of 8
        bytes where ``size`` is no multiple of 8. Raised on every rank.
    """
    schedule, parts = first_tells(world, lambda: prepare(load(), world.Get_size(), size))
    me, nodes, adds_up = world.Get_rank(), range(world.Get_size()), reduces(schedule.collective)
    carrier = Carrier(world, parts[me], size)
    ways: tuple[Carrier | Library, ...] = (carrier, Library(world, schedule.collective, size))
    times: tuple[list[float], ...] = ([], [])
    wrong: list[Wrong] = []
    checked = 0
    for turn in range(WARM + repeat):
        given = partial(payload, size=size, seed=seed, turn=turn)
        for way, seconds in zip(ways, times, strict=True):
            way.fill(given)
            world.Barrier()
            start = now()
            way.run()
            seconds.append(now() - start)
            for name, found in way.got().items():
                terms = [(node, name[1]) for node in nodes] if adds_up else []
                right = payload_sum(terms, size, seed, turn) if adds_up else given(name)
                checked += size
                byte = first_wrong(found, right)
                if byte is not None:
                    wrong.append(Wrong(me, way.name, name, byte))
    rows = world.gather((times, checked, len(wrong), wrong[:MOST]), root=0)
    carrier.free()
    if rows is None:
        return None
    carried, library = (
        slowest(way.name, [row[0][place][WARM:] for row in rows]) for place, way in enumerate(ways)
    )
    return Performed(
        schedule,
        size,
        carried,
        library,
        sum(row[1] for row in rows),
        sum(row[2] for row in rows),
        tuple(one for row in rows for one in row[3])[:MOST],
        processors(),
        library_words(),
    )


def prepare(schedule: Schedule, ranks: int, size: int) -> tuple[Schedule, list[Part]]:
    """Return a schedule with everyone's part.

    Raises
    ------
    SpecError
        It cannot be performed; see ``perform``.
    """
    if reduces(schedule.collective) and size % WORD:
        raise SpecError(
            f"--bytes: {schedule.collective.kind} adds up numbers of {WORD} bytes, so it must be a "
            f"multiple of {WORD}, not {size}"
        )
    nodes, topology = schedule.topology.nodes, schedule.topology.name
    with about(schedule.source):
        if nodes != ranks:
            started = "1 rank was" if ranks == 1 else f"{ranks} ranks were"
            raise SpecError(
                f"the schedule is for the {nodes} nodes of {topology}, but {started} started; "
                f"use mpiexec -n {nodes}, or --ranks {nodes}"
            )
        report = check(schedule)
        if not report.right:
            more = f" (and {report.count - 1:,} more)" if report.count > 1 else ""
            raise SpecError(f"the schedule is wrong: {report.conflicts[0].words()}{more}")
        return schedule, parts_of(schedule)
