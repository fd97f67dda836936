"""Schedules in chunks: who sends which part of which rank's share along which channels.

A rank is a node of the topology. The data of a collective are shares, one of each rank or of the
root alone, and each share is cut into equal parts; a share's part is the unit that is sent.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, NamedTuple

from syncfabric.models.collectives.collective import USUAL_NAMES, kind_of, plain
from syncfabric.models.collectives.topology import Topology
from syncfabric.models.errors import SpecError

__all__ = [
    "CHUNKED",
    "FORMAT",
    "MOST_BYTES",
    "Chunked",
    "Cut",
    "Exchange",
    "Schedule",
    "Send",
    "chunked_kind",
    "is_allreduce",
    "turned",
]

FORMAT = "syncfabric-schedule/2"

Chunked = Literal["broadcast", "reduce", "allgather", "reduce-scatter", "allreduce"]

CHUNKED: dict[Chunked, str] = {
    "broadcast": "the root's buffer to every rank",
    "reduce": "the combination of all ranks' buffers to the root",
    "allgather": "every rank's buffer to every rank",
    "reduce-scatter": "to each rank its share of the combination of all ranks' buffers",
    "allreduce": "the combination of all ranks' buffers to every rank",
}
ROOTED = ("broadcast", "reduce")
SHARED = ("reduce-scatter", "allreduce")
"""Those whose buffers consist of a share of each rank; else a buffer is a share."""
MOST_BYTES = 2**53
MOST_HELD = 2**24
"""Items at all ranks together, which are looked at one by one."""


def is_allreduce(name: str) -> bool:
    """Return whether a name is that of allreduce, in any spelling."""
    return plain(name).removeprefix("mpi").removeprefix("nccl") == "allreduce"


def chunked_kind(name: str) -> Chunked:
    """Return the collective of a name, in any spelling that MPI or NCCL has for it.

    Raises
    ------
    SpecError
        There is none, or it is not scheduled in chunks.
    """
    if is_allreduce(name):
        return "allreduce"
    usual = USUAL_NAMES.get(kind_of(name), name)
    for kind in CHUNKED:
        if usual == kind:
            return kind
    raise SpecError(
        f"collective {usual}: it is scheduled in steps alone; leave out --chunks, or take one of"
        f" {', '.join(CHUNKED)}"
    )


@dataclass(frozen=True)
class Exchange:
    """What a collective begins and ends with.

    Parameters
    ----------
    kind : str
        One of ``CHUNKED``.
    ranks : int
    size : int
        Bytes of a rank's buffer: of what it gives to ``broadcast``, ``reduce`` and ``allgather``,
        of the whole vector of ``reduce-scatter`` and ``allreduce``.
    parts : int
        Of each share.
    root : int
        Of ``broadcast`` and ``reduce``; else 0.

    Raises
    ------
    SpecError
        A number is out of range.
    """

    kind: Chunked
    ranks: int
    size: int
    parts: int = 1
    root: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.size <= MOST_BYTES:
            raise SpecError(f"bytes must be 1 to 2^53, not {self.size:,}")
        if self.parts < 1:
            raise SpecError(f"chunks must be 1 or more, not {self.parts}")
        if self.items * self.ranks > MOST_HELD:
            raise SpecError(
                f"chunks must be at most {MOST_HELD // (self.ranks * len(self.owners)):,} with"
                f" {self.ranks} ranks, not {self.parts:,}"
            )
        if not 0 <= self.root < self.ranks:
            raise SpecError(f"root must be a rank, 0 to {self.ranks - 1}, not {self.root}")

    @property
    def rooted(self) -> bool:
        """Whether there is one share alone, the root's."""
        return self.kind in ROOTED

    @property
    def owners(self) -> tuple[int, ...]:
        """The rank of each share."""
        return (self.root,) if self.rooted else tuple(range(self.ranks))

    @property
    def items(self) -> int:
        """Parts of all shares; part c of share s is item s · parts + c."""
        return len(self.owners) * self.parts

    @property
    def share(self) -> Fraction:
        """Bytes of a share."""
        return Fraction(self.size, self.ranks if self.kind in SHARED else 1)

    @property
    def piece(self) -> Fraction:
        """Bytes of a part."""
        return self.share / self.parts

    @property
    def combines(self) -> bool:
        """Whether what all ranks have is combined; else each share begins at its owner alone."""
        return self.kind not in ("broadcast", "allgather")

    @property
    def spreads(self) -> bool:
        """Whether every rank gets every share; else its owner alone."""
        return self.kind not in ("reduce", "reduce-scatter")


class Send(NamedTuple):
    """A part of a share goes from a rank to another."""

    item: int
    path: tuple[int, ...]
    """Its first and last vertex are ranks, all others switches."""
    combine: bool
    """Whether the receiver combines it with what it has; else it takes its place."""


class Cut(NamedTuple):
    """Why a collective takes a time: what must pass between some vertices and others."""

    parts: tuple[frozenset[int], ...]
    """One set of vertices, into which something must come; of ``allreduce`` several, too, each with
    a rank at least, which have all ranks together. Switches may be in none."""
    times: tuple[tuple[int, Fraction], ...] = ()
    """Of one set, how many nanoseconds after the begin a vertex leaves the receiving side, all
    others of it at the end: the last time. Of ``reduce`` and ``reduce-scatter``, which are their
    opposites in reverse, of the giving side before the end. None: the cut stands still."""


@dataclass(frozen=True)
class Schedule:
    """Sends in order: each begins as soon as its data are there and its channels have a free lane.

    A channel serves sends in the order of the list, so no order of them can deadlock. It need
    not be right: ``syncfabric.models.collectives.chunks.checker`` tells.

    Parameters
    ----------
    topology : Topology
        With links.
    exchange : Exchange
    sends : tuple of Send
    certificate : Cut, optional
        Why it takes so long at least.
    source : str
        Its file, if it has one.
    """

    topology: Topology
    exchange: Exchange
    sends: tuple[Send, ...]
    certificate: Cut | None = None
    source: str = field(default="", compare=False)

    def to_json(self) -> dict[str, Any]:
        """Return the schedule as a file holds it."""
        exchange = self.exchange
        values: dict[str, Any] = {
            "format": FORMAT,
            "topology": self.topology.to_json(),
            "collective": exchange.kind,
            "bytes": exchange.size,
            "chunks": exchange.parts,
            "root": exchange.root,
            "sends": [
                [*divmod(item, exchange.parts), "combine" if combine else "copy", *path]
                for item, path, combine in self.sends
            ],
        }
        if self.certificate is not None:
            values["cut"] = [sorted(part) for part in self.certificate.parts]
            if self.certificate.times:
                values["times"] = [[v, str(time)] for v, time in self.certificate.times]
        return values


def turned(sends: Iterable[Send]) -> list[Send]:
    """Return a broadcast's sends as a reduction's, on the topology whose channels are reversed."""
    return [Send(item, path[::-1], True) for item, path, _ in sends][::-1]
