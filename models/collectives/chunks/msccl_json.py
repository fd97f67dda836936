"""Algorithms and topologies in msccl-tools' JSON: steps of sends, and what they are to bring about.

A chunk has an address, ranks that begin with it and ranks that are to have it in the end. Chunks of
one address are what several ranks give to one sum, and go together. Source: the JSON that
msccl-tools writes (github.com/microsoft/msccl-tools, ``msccl/serialization.py``).
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass as plain_dataclass
from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, TypeAdapter
from pydantic.dataclasses import dataclass

from syncfabric.models.collectives.chunks.checker import SHOWN, Outcome
from syncfabric.models.collectives.chunks.schedule import Chunked, Exchange
from syncfabric.models.collectives.topology import Link, Topology
from syncfabric.models.errors import SpecError
from syncfabric.models.parsed import validated

_Whole = Annotated[int, Field(strict=True, ge=0)]
_RELAXED = ConfigDict(extra="ignore")
ALPHA, BETA = Fraction(1000), Fraction(1)
"""Of links of a topology by itself, as ``--ts`` and ``--t1``."""
MOST_ROUNDS = 2**31
"""Of a step."""


@dataclass(frozen=True, config=_RELAXED)
class _Topology:
    msccl_type: Literal["topology"]
    name: str
    links: list[list[_Whole]]
    switches: list[tuple[list[_Whole], list[_Whole], _Whole, str]] = Field(default_factory=list)


@dataclass(frozen=True, config=_RELAXED)
class _Chunk:
    msccl_type: Literal["chunk"]
    pre: list[_Whole]
    post: list[_Whole]
    addr: _Whole


@dataclass(frozen=True, config=_RELAXED)
class _Collective:
    msccl_type: Literal["collective"]
    name: str
    nodes: Annotated[int, Field(strict=True, ge=1)]
    chunks: list[_Chunk]


@dataclass(frozen=True, config=_RELAXED)
class _Step:
    msccl_type: Literal["step"]
    rounds: Annotated[int, Field(strict=True, ge=1, le=MOST_ROUNDS)]
    sends: list[tuple[_Whole, _Whole, _Whole]]


@dataclass(frozen=True, config=_RELAXED)
class _Algorithm:
    msccl_type: Literal["algorithm"]
    name: str
    collective: _Collective
    topology: _Topology
    steps: list[_Step]


_READERS: dict[str, TypeAdapter[Any]] = {
    "algorithm": TypeAdapter(_Algorithm),
    "topology": TypeAdapter(_Topology),
}


def is_msccl(values: Any) -> bool:
    """Return whether values of JSON say that they are msccl-tools'."""
    return isinstance(values, dict) and "msccl_type" in values


def _read(values: Any, kind: str) -> Any:
    if values.get("msccl_type") != kind:
        raise SpecError(f'msccl_type must be "{kind}" here, not {values.get("msccl_type")!r}')
    return validated(_READERS[kind], values, kind)


@plain_dataclass(frozen=True)
class Algorithm:
    """An algorithm, and the topology that it is for.

    Parameters
    ----------
    name : str
        Of the collective, as the file has it.
    topology : Topology
        A link has as many lanes as chunks pass in a round.
    switches : tuple of (froms, tos, int, str)
        So many chunks a round in all from some ranks to others, and the name.
    begins, ends : tuple of frozenset of int, by chunk
        Ranks that have it at the beginning, and that are to have it.
    addresses : tuple of int, by chunk
    steps : tuple of (int, sends)
        Rounds that each takes, and the (address, from, to) in it, all of them at once.
    exchange : Exchange or None
        What it is in chunks; None if there is no such collective.
    piece : Fraction
        Bytes of an address.
    """

    name: str
    topology: Topology
    switches: tuple[tuple[frozenset[int], frozenset[int], int, str], ...]
    begins: tuple[frozenset[int], ...]
    ends: tuple[frozenset[int], ...]
    addresses: tuple[int, ...]
    steps: tuple[tuple[int, tuple[tuple[int, int, int], ...]], ...]
    exchange: Exchange | None
    piece: Fraction

    @property
    def latency(self) -> Fraction:
        """The sum of alphas on the longest of the paths that chunks must go, in nanoseconds."""
        far = self.topology.distances
        hops = (
            min(int(far[begin, end]) for begin in begins)
            for begins, ends in zip(self.begins, self.ends, strict=True)
            for end in ends
        )
        return max(hops, default=0) * self.topology.links[0].alpha


def read_topology(values: Any, alpha: Fraction = ALPHA, beta: Fraction = BETA) -> Topology:
    """Return a topology; its switches, which limit several links together, are left out.

    Raises
    ------
    SpecError
        The values are none; the message names the place.
    """
    return _topology(_read(values, "topology"), alpha, beta)


def _topology(file: _Topology, alpha: Fraction, beta: Fraction) -> Topology:
    count = len(file.links)
    for to, row in enumerate(file.links):
        if len(row) != count:
            raise SpecError(f"topology: links[{to}] must have {count} numbers, not {len(row)}")
    rates = {
        (begin, end): row[begin]
        for end, row in enumerate(file.links)
        for begin in range(count)
        if row[begin] and begin != end
    }
    for number, (froms, tos, _, name) in enumerate(file.switches):
        if max((*froms, *tos), default=0) >= count:
            raise SpecError(
                f"topology: switches[{number}], {name}: its ranks must be 0 to {count - 1}"
            )
    links = tuple(Link(alpha, beta, rate) for rate in rates.values())
    return Topology(file.name, count, 0, tuple(rates), links)


def read_algorithm(values: Any, size: int, alpha: Fraction, beta: Fraction) -> Algorithm:
    """Return an algorithm.

    Parameters
    ----------
    values : object
        Of its JSON.
    size : int
        Bytes of a rank's buffer: of what the rank that begins with most has.
    alpha, beta : Fraction
        Of every link, in nanoseconds.

    Raises
    ------
    SpecError
        The values have not the shape of an algorithm; the message names the place.
    """
    file: _Algorithm = _read(values, "algorithm")
    ranks, chunks = file.collective.nodes, file.collective.chunks
    topology = _topology(file.topology, alpha, beta)
    if ranks < 2:
        raise SpecError("algorithm: collective.nodes must be 2 or more: a rank alone sends nothing")
    if topology.nodes != ranks:
        raise SpecError(
            f"algorithm: collective.nodes is {ranks}, but the topology has {topology.nodes}"
        )
    for number, chunk in enumerate(chunks):
        for key, some in (("pre", chunk.pre), ("post", chunk.post)):
            if any(rank >= ranks for rank in some) or not some:
                raise SpecError(
                    f"algorithm: collective.chunks[{number}].{key} must be ranks, 0 to {ranks - 1}"
                )
    known = {chunk.addr for chunk in chunks}
    for t, step in enumerate(file.steps):
        for n, (address, *ends) in enumerate(step.sends):
            if address not in known or max(ends) >= ranks:
                raise SpecError(
                    f"algorithm: steps[{t}].sends[{n}]: there is no such address, or rank"
                )
    held: defaultdict[int, set[int]] = defaultdict(set)
    for chunk in chunks:
        for rank in chunk.pre:
            held[rank].add(chunk.addr)
    if not chunks:
        raise SpecError("algorithm: collective.chunks is empty")
    return Algorithm(
        file.collective.name,
        topology,
        tuple(
            (frozenset(a), frozenset(b), rate, name) for a, b, rate, name in file.topology.switches
        ),
        tuple(frozenset(chunk.pre) for chunk in chunks),
        tuple(frozenset(chunk.post) for chunk in chunks),
        tuple(chunk.addr for chunk in chunks),
        tuple((step.rounds, tuple(step.sends)) for step in file.steps),
        _exchange(chunks, ranks, size),
        Fraction(size, max(map(len, held.values()))),
    )


def _exchange(chunks: Sequence[_Chunk], ranks: int, size: int) -> Exchange | None:
    """Return what chunks of such begins and ends are, if it is scheduled in chunks."""
    givers: defaultdict[int, list[int]] = defaultdict(list)
    takers: dict[int, frozenset[int]] = {}
    for chunk in chunks:
        if len(chunk.pre) > 1 or takers.setdefault(chunk.addr, frozenset(chunk.post)) != set(
            chunk.post
        ):
            return None
        givers[chunk.addr] += chunk.pre
    every = list(range(ranks))
    combines = all(sorted(some) == every for some in givers.values())
    single = all(len(some) == 1 for some in givers.values())
    spreads = all(len(some) == ranks for some in takers.values())
    lone = all(len(some) == 1 for some in takers.values())
    if not (combines or single) or not (spreads or lone):
        return None
    if single and lone:
        return _personal(Counter((givers[a][0], min(takers[a])) for a in givers), ranks, size)
    owners = Counter(some[0] if single else min(takers[a]) for a, some in givers.items())
    root, shared = next(iter(owners)), len(set(owners.values())) == 1 and len(owners) == ranks
    kind: Chunked
    if combines and spreads:
        return Exchange("allreduce", ranks, size)
    if len(owners) == 1:
        kind = "reduce" if combines else "broadcast"
        return Exchange(kind, ranks, size, 1, root)
    kind = "reduce-scatter" if combines else "allgather"
    return Exchange(kind, ranks, size) if shared else None


def _personal(pairs: Counter[tuple[int, int]], ranks: int, size: int) -> Exchange | None:
    """Return what so many chunks of each rank for each are."""
    kinds: dict[tuple[int, int], Chunked] = {(1, ranks): "scatter", (ranks, 1): "gather"}
    kinds[ranks, ranks] = "alltoall"
    sources, targets = {a for a, _ in pairs}, {b for _, b in pairs}
    kind = kinds.get((len(sources), len(targets)))
    if kind is None or len({*pairs.values()}) > 1 or len(pairs) < len(sources) * len(targets):
        return None
    root = min(targets if kind == "gather" else sources)
    return Exchange(kind, ranks, size, 1, root)


def check_algorithm(algorithm: Algorithm) -> Outcome:
    """Carry an algorithm out: is it right, and how long do its steps take.

    A step takes alpha and, for each of its rounds, beta times the bytes of an address.
    """
    wrong = list(_wrong(algorithm))
    beta, alpha = algorithm.topology.links[0].beta, algorithm.topology.links[0].alpha
    rounds = sum(rounds for rounds, _ in algorithm.steps)
    time = len(algorithm.steps) * alpha + rounds * beta * algorithm.piece
    return Outcome(time, tuple(wrong[:SHOWN]), len(wrong))


def _wrong(algorithm: Algorithm) -> Iterator[str]:
    """Yield the rules that are broken."""
    topology = algorithm.topology
    of_address: defaultdict[int, list[int]] = defaultdict(list)
    for chunk, address in enumerate(algorithm.addresses):
        of_address[address].append(chunk)
    # By address and rank, the chunks that are there, a bit each of the address's.
    has: dict[tuple[int, int], int] = {}
    for address, chunks in of_address.items():
        for bit, chunk in enumerate(chunks):
            for rank in algorithm.begins[chunk]:
                has[address, rank] = has.get((address, rank), 0) | 1 << bit
    for number, (rounds, sends) in enumerate(algorithm.steps):
        before, load = dict(has), Counter[tuple[int, int]]()
        for address, begin, end in sends:
            what = f"step {number}: address {address} from {begin} to {end}"
            load[begin, end] += 1
            given, kept = before.get((address, begin), 0), has.get((address, end), 0)
            if (begin, end) not in topology.number:
                yield f"{what}: topology {topology.name} has no such link"
            elif not given:
                yield f"{what}: nothing of it is there to send"
            elif given & kept and kept & ~given:
                yield f"{what}: it is combined with what it has a part of"
            has[address, end] = kept | given
        limits = [
            (frozenset({a}), frozenset({b}), link.lanes, f"link {a} to {b}")
            for (a, b), link in zip(topology.channels, topology.links, strict=True)
        ]
        for froms, tos, rate, name in (*limits, *algorithm.switches):
            count = sum(load[a, b] for a in froms for b in tos) if load else 0
            if count > rate * rounds:
                most = f"{rate * rounds} in {rounds} round{'s' * (rounds > 1)}"
                yield f"step {number}: {count} chunks pass {name}, which lets {most} through"
    for address, chunks in of_address.items():
        for bit, chunk in enumerate(chunks):
            for rank in sorted(algorithm.ends[chunk]):
                if not has.get((address, rank), 0) >> bit & 1:
                    yield f"rank {rank} ends without chunk {chunk}"
