"""Schedules in chunks: who sends which part of which rank's share along which channels.

A rank is a node of the topology. The data of a collective are shares, each of one rank or combined
from all, for one rank or for all. Each share is cut into equal parts, the units that are sent.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, NamedTuple

from syncfabric.models.collectives.collective import USUAL_NAMES, kind_of, plain
from syncfabric.models.collectives.topology import Topology
from syncfabric.models.errors import SpecError, check_range

FORMAT = "syncfabric-schedule/2"

Chunked = Literal[
    "broadcast",
    "reduce",
    "scatter",
    "gather",
    "allgather",
    "reduce-scatter",
    "allreduce",
    "alltoall",
]

_Ranks = Literal["root", "each", "all"]
_FORMS: dict[Chunked, tuple[_Ranks, _Ranks]] = {
    "broadcast": ("root", "all"),
    "reduce": ("all", "root"),
    "scatter": ("root", "each"),
    "gather": ("each", "root"),
    "allgather": ("each", "all"),
    "reduce-scatter": ("all", "each"),
    "allreduce": ("all", "all"),
    "alltoall": ("each", "each"),
}
"""Sources and targets of shares: one each alone, or all of them together."""
CHUNKED = tuple(_FORMS)
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


class Share(NamedTuple):
    """What goes from ranks to ranks as a whole."""

    sources: Sequence[int]
    """One, which begins with it; or all, whose contributions are combined."""
    targets: Sequence[int]
    """Those that are to end with it: one or all."""


Ends = tuple[int, Sequence[int]]
"""Where a share begins, and the ranks that are to have it."""


class Inflow(NamedTuple):
    """What comes into each of some ranks: a share of every owner's that is not the rank itself."""

    owners: tuple[int, ...]
    ranks: tuple[int, ...]
    reversed: bool
    """Whether that is so in reversed time, on the reversed topology."""


@dataclass(frozen=True)
class Exchange:
    """What a collective begins and ends with.

    Parameters
    ----------
    kind : str
        One of ``CHUNKED``.
    ranks : int
    size : int
        Bytes of the buffer that a rank begins with; of the root's, if ranks differ in that.
    parts : int
        Of each share.
    root : int
        Of ``broadcast``, ``reduce``, ``scatter`` and ``gather``; else 0.

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
        check_range("chunks", self.parts, 1)
        if self.items * self.ranks > MOST_HELD:
            most = MOST_HELD // (self.ranks * self.count)
            if not most:
                raise SpecError(
                    f"{self.kind} in chunks is not for {self.ranks:,} ranks: there are"
                    f" {self.count:,} shares"
                )
            raise SpecError(
                f"chunks must be at most {most:,} with {self.ranks} ranks, not {self.parts:,}"
            )
        if not 0 <= self.root < self.ranks:
            raise SpecError(f"root must be a rank, 0 to {self.ranks - 1}, not {self.root}")

    @property
    def rooted(self) -> bool:
        """Whether all comes from the root, or goes to it."""
        return "root" in _FORMS[self.kind]

    @property
    def combines(self) -> bool:
        """Whether what all ranks have is combined; else each share begins at one rank."""
        return _FORMS[self.kind][0] == "all"

    @property
    def spreads(self) -> bool:
        """Whether every rank gets every share; else one rank each."""
        return _FORMS[self.kind][1] == "all"

    @property
    def personal(self) -> bool:
        """Whether every share is of one rank for one rank."""
        return not (self.combines or self.spreads)

    @property
    def count(self) -> int:
        """Shares."""
        sources, targets = _FORMS[self.kind]
        each = 1 if sources == targets == "all" else (sources, targets).count("each")
        return int(self.ranks**each)

    @cached_property
    def shares(self) -> tuple[Share, ...]:
        """All shares; of ``alltoall`` by source, and for each by target."""
        everyone = range(self.ranks)
        ends: dict[_Ranks, list[Sequence[int]]] = {
            "root": [(self.root,)],
            "each": [(rank,) for rank in everyone],
            "all": [everyone],
        }
        sources, targets = (ends[each] for each in _FORMS[self.kind])
        found = [Share(some, others) for some in sources for others in targets]
        return (*found,) * (self.count // len(found))

    @cached_property
    def owners(self) -> tuple[int, ...]:
        """The rank of each share: where it begins, or its contributions are combined."""
        if self.combines:
            return (self.root,) if self.rooted else tuple(range(self.ranks))
        return tuple(share.sources[0] for share in self.shares)

    def ends(self, *, combine: bool) -> list[Ends]:
        """Return the owner of each share and who is to have it; to combine, in reversed time."""
        others = (share.sources if combine else share.targets for share in self.shares)
        return list(zip(self.owners, others, strict=True))

    @property
    def inflows(self) -> list[Inflow]:
        """What comes into ranks, forwards and in reversed time; two of ``alltoall``."""
        everyone, root = tuple(range(self.ranks)), (self.root,)
        if self.personal:
            ranks = root if self.rooted else everyone
            reversals = {"scatter": (True,), "gather": (False,)}.get(self.kind, (False, True))
            return [Inflow(everyone, ranks, backwards) for backwards in reversals]
        owners = root if self.rooted else everyone
        return [Inflow(owners, everyone, self.combines and not self.spreads)]

    @property
    def items(self) -> int:
        """Parts of all shares; part c of share s is item s · parts + c."""
        return self.count * self.parts

    @property
    def held(self) -> int:
        """Shares in the buffer that ``size`` is of."""
        sources, targets = _FORMS[self.kind]
        return self.ranks if targets == "each" or sources == targets else 1

    @property
    def share(self) -> Fraction:
        """Bytes of a share."""
        return Fraction(self.size, self.held)

    @property
    def piece(self) -> Fraction:
        """Bytes of a part."""
        return self.share / self.parts


@dataclass(frozen=True)
class ChunkTask:
    """What a schedule in chunks is wanted of.

    Parameters
    ----------
    topology : Topology
        With links.
    exchange : Exchange
    seed : int
    restart : int
        How often the method has been asked before; some draw other lots then.
    below : Fraction, optional
        Nanoseconds of the fastest schedule so far.
    """

    topology: Topology
    exchange: Exchange
    seed: int = 1
    restart: int = 0
    below: Fraction | None = None


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
    lengths: tuple[tuple[int, int, int], ...] = ()
    """Instead of a set, where every share is of one rank for one rank: channels and how long each
    is taken to be, all others 0. All shares go at least as far as that makes their ranks apart."""

    def to_json(self) -> dict[str, Any]:
        """Return the fields that a file has of it."""
        if self.lengths:
            return {"lengths": [list(one) for one in self.lengths]}
        values: dict[str, Any] = {"cut": [sorted(part) for part in self.parts]}
        if self.times:
            values["times"] = [[v, str(time)] for v, time in self.times]
        return values


@dataclass(frozen=True)
class Schedule:
    """Sends in order: each begins as soon as its data are there and its channels have a free lane.

    A channel serves sends in the order of the list, so no order of them can deadlock. It need
    not be right: ``syncfabric.models.collectives.chunks.checker`` checks.

    Parameters
    ----------
    topology : Topology
        With links.
    exchange : Exchange
    sends : tuple of Send
    certificate : Cut, optional
        Why it takes so long at least, in any number of parts.
    of_parts : Cut, optional
        Why it does in so many parts, where that is longer.
    source : str
        Its file, if it has one.
    """

    topology: Topology
    exchange: Exchange
    sends: tuple[Send, ...]
    certificate: Cut | None = None
    of_parts: Cut | None = None
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
            values |= self.certificate.to_json()
        if self.of_parts is not None:
            values["in_chunks"] = self.of_parts.to_json()
        return values


def turned(sends: Iterable[Send]) -> list[Send]:
    """Return a broadcast's sends as a reduction's, on the topology whose channels are reversed."""
    return [Send(item, path[::-1], True) for item, path, _ in sends][::-1]


class Needed(NamedTuple):
    """The earlier sends, by their numbers, that a send of a schedule comes after."""

    brought: tuple[int, ...]
    """That which brought the sender what it sends, if it has not had it from the beginning."""
    replaced: tuple[int, ...]
    """That which brought the receiver what it had of the item before."""
    read: tuple[int, ...]
    """Those by which the receiver has sent that on."""


def needed(sends: Iterable[Send]) -> Iterator[Needed]:
    """Yield what each send needs."""
    wrote: dict[tuple[int, int], int] = {}
    readers: dict[tuple[int, int], list[int]] = {}
    for number, (item, path, _) in enumerate(sends):
        here, there = (path[0], item), (path[-1], item)
        brought = (wrote[here],) if here in wrote else ()
        readers.setdefault(here, []).append(number)
        replaced = (wrote[there],) if there in wrote else ()
        yield Needed(brought, replaced, tuple(readers.pop(there, ())))
        wrote[there] = number
