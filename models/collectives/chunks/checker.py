"""Performs a schedule in chunks, apart from all that finds one: is it right, how long does it take.

A send begins as soon as the sender has all that it was to combine into the item, and each channel
of its path has a free lane; a channel serves sends in the order of the list. What comes takes
effect when the receiver has sent what it had of the item. A send holds a lane of each channel for
the sum of their alphas and the greatest beta times the item's bytes.
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from math import lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from syncfabric.models.collectives.chunks.links import bandwidth
from syncfabric.models.collectives.chunks.schedule import Cut, Exchange, Schedule
from syncfabric.models.collectives.clock import tick
from syncfabric.models.collectives.topology import Topology
from syncfabric.models.errors import SpecError

SHOWN = 20
"""Rules broken that are listed."""
MOST_LENGTH = 2**40
"""Of all channels together, so that sums of lengths are exact."""


TICK = 4096
"""Sends between looks at the clock."""


class Outcome(NamedTuple):
    """What comes of a schedule."""

    time: Fraction
    """Nanoseconds until the last send has ended."""
    wrong: tuple[str, ...]
    """The first rules that are broken, with the places."""
    broken: int
    """How many there are."""


class Spans(NamedTuple):
    """When the sends of a schedule hold their lanes.

    Parameters
    ----------
    ends : list of (int, int)
        Begin and end of each send, in its order.
    unit : int
        How many of them a nanosecond has.
    """

    ends: list[tuple[int, int]]
    unit: int


def perform(schedule: Schedule, piece: Fraction | None = None) -> Fraction:
    """Return the nanoseconds that a schedule takes, right or not.

    Parameters
    ----------
    schedule : Schedule
    piece : Fraction, optional
        Bytes of an item; by default the exchange's.
    """
    held, unit = _held(schedule, piece)
    return Fraction(max((end for _, end in _performed(schedule, held)), default=0), unit)


def spans(schedule: Schedule) -> Spans:
    """Return when each send of a schedule holds its lanes."""
    held, unit = _held(schedule, None)
    return Spans(list(_performed(schedule, held)), unit)


def _held(schedule: Schedule, piece: Fraction | None) -> tuple[dict[tuple[int, ...], int], int]:
    """Return how long a send holds the lanes of each path, and the unit of that."""
    topology, sends = schedule.topology, schedule.sends
    size = schedule.exchange.piece if piece is None else piece
    costs: dict[tuple[int, ...], Fraction] = {}
    for path in {send.path for send in sends}:
        links = [topology.links[topology.number[pair]] for pair in pairwise(path)]
        worst = max(link.beta for link in links)
        costs[path] = sum((link.alpha for link in links), worst * size)
    unit = lcm(*(cost.denominator for cost in costs.values()))
    return {path: int(cost * unit) for path, cost in costs.items()}, unit


def _performed(schedule: Schedule, held: dict[tuple[int, ...], int]) -> Iterator[tuple[int, int]]:
    """Yield the begin and the end of each send."""
    topology, sends = schedule.topology, schedule.sends
    free = [[0] * link.lanes for link in topology.links]
    lines = {path: [free[topology.number[pair]] for pair in pairwise(path)] for path in held}
    there: dict[tuple[int, int], int] = {}
    sent: dict[tuple[int, int], int] = {}
    for number, (item, path, _) in enumerate(sends):
        if not number % TICK:
            tick()
        line = lines[path]
        start = there.get((item, path[0]), 0)
        for lanes in line:
            start = max(start, min(lanes))
        end = start + held[path]
        for lanes in line:
            lanes[lanes.index(min(lanes))] = end
        sent[item, path[0]] = max(end, sent.get((item, path[0]), 0))
        came = item, path[-1]
        there[came] = max(end, there.get(came, 0), sent.get(came, 0))
        yield start, end


def check(schedule: Schedule) -> Outcome:
    """Perform a schedule and look at what every rank has in the end."""
    exchange = schedule.exchange
    parts, ranks = exchange.parts, range(exchange.ranks)
    wrong, count = list[str](), 0

    def broken(words: str) -> None:
        nonlocal count
        count += 1
        if count <= SHOWN:
            wrong.append(words)

    # Of each item at each rank, whose contributions are in it; a bit each.
    has: list[list[int]] = []
    for sources, _ in exchange.shares:
        begin = [1 << r if r in sources else 0 for r in ranks]
        has += [list(begin) for _ in range(parts)]
    for number, (item, path, combine) in enumerate(schedule.sends):
        if not number % TICK:
            tick()
        here, there = path[0], path[-1]
        given, kept = has[item][here], has[item][there]
        what = f"sends[{number}]: share {item // parts}, part {item % parts}"
        if not given:
            broken(f"{what}: rank {here} has nothing of it to send")
        elif combine:
            if twice := given & kept:
                rank = (twice & -twice).bit_length() - 1
                broken(f"{what}: rank {there} combines what rank {rank} gives twice")
            has[item][there] = given | kept
        else:
            if lost := kept & ~given:
                rank = (lost & -lost).bit_length() - 1
                broken(f"{what}: it takes the place of what rank {rank} gave to rank {there}")
            has[item][there] = given
    for share, (sources, targets) in enumerate(exchange.shares):
        whole = sum(1 << rank for rank in sources)
        for part in range(parts):
            found = has[share * parts + part]
            for rank in targets:
                if missing := whole & ~found[rank]:
                    lacking = (missing & -missing).bit_length() - 1
                    broken(
                        f"rank {rank} ends without what rank {lacking} gives to share {share},"
                        f" part {part}"
                    )
    return Outcome(perform(schedule), tuple(wrong), count)


def bound_of(exchange: Exchange, topology: Topology, cut: Cut, *, apart: bool = True) -> Fraction:
    """Return the least time that a cut proves, in nanoseconds.

    What must pass goes through channels into the receiving side, and a lane takes alpha + beta n
    for n bytes: by a time T it has brought (T - alpha) / beta at most. If vertices leave that side
    one by one (``Cut.times``), a channel between two of them counts for so long as its begin has
    left, and its end, alpha later, has not. Do all channels together let through what must pass,
    and no more, no schedule ends before the last time: were it faster, all times could be less by
    the same factor, and what they let through, too. So the times count by their ratios alone.
    This is the dual of the quickest flow (L. Ford and D. Fulkerson, Constructing maximal dynamic
    flows from static flows, Operations Research 6, 1958). Of ``allreduce`` what R parts combine,
    and all get, passes 2 (R - 1) times from one to another, as if each were a rank (F. Harary and
    A. Schwenk, The communication problem on graphs and digraphs, Journal of the Franklin Institute
    297, 1974): out of a part, and into one.

    Where channels have lengths (``Cut.lengths``), a byte of a share for one rank adds to the bytes
    that channels carry, each times its length, as much as its ranks are apart, whatever its way
    is (M. Iri, On an extension of the maximum-flow minimum-cut theorem to multicommodity flows,
    Journal of the Operations Research Society of Japan 13, 1971).

    What is for one rank alone goes in sends of its own (``apart``), as in files of schedules, so a
    share holds a lane of each channel on its way for alpha + beta n at least, in one part; of all
    channels between two ranks for all their latencies.

    Raises
    ------
    SpecError
        The cut is none of this collective on this topology.
    """
    if cut.lengths:
        return _by_lengths(exchange, topology, cut.lengths, apart=apart)
    parts, whole = cut.parts, exchange.combines and exchange.spreads
    seen = [vertex for part in parts for vertex in part]
    everywhere = set(range(topology.vertices))
    if (
        len(set(seen)) < len(seen)
        or not everywhere.issuperset(seen)
        or not (parts if whole else len(parts) == 1)
    ):
        raise SpecError("cut: it must be a set of vertices, of allreduce parts without overlap")
    times = dict(cut.times)
    if len(times) < len(cut.times):
        raise SpecError("times: a vertex has one time, not two")
    if len(parts) > 1:
        if times:
            raise SpecError("times: the vertices of one set alone can have them")
        return _of_partition(exchange, topology, parts)
    backwards = exchange.combines and not exchange.spreads
    side = everywhere - parts[0] if backwards else parts[0]
    if not side.issuperset(times) or min(times.values(), default=1) <= 0:
        raise SpecError("times: they must be of vertices of the receiving side, and above 0")
    last = max(times.values(), default=Fraction(1))
    leaves = {vertex: times.get(vertex, last) / last for vertex in side}
    outside = everywhere - side
    last_out = {vertex for vertex, time in leaves.items() if time == 1}
    shares = sum(
        not outside.isdisjoint(share[backwards]) and not last_out.isdisjoint(share[not backwards])
        for share in exchange.shares
    )
    at_once = Fraction(0)
    if apart and exchange.personal:
        held = zip(
            topology.channels, topology.links, held_by_share(exchange, topology), strict=True
        )
        into = sum(
            (link.lanes / time for (a, b), link, time in held if b in side and a not in side)
        )
        at_once = shares / into if into else at_once
    lines = list[tuple[Fraction, Fraction]]()
    for ends, link in zip(topology.channels, topology.links, strict=True):
        a, b = (leaves.get(v, Fraction(0)) for v in (ends[::-1] if backwards else ends))
        if a < b:  # counts for (b - a) T - alpha of a time T
            lines.append((link.alpha / (b - a), bandwidth([link]) * (b - a)))
    return max(at_once, _least_time(shares * exchange.share, lines))


def held_by_share(exchange: Exchange, topology: Topology) -> list[Fraction]:
    """Return how long a send of a whole share holds a lane of each channel at least.

    From a rank to a rank past switches, it holds it for all latencies on its way.
    """
    unit = lcm(*(link.alpha.denominator for link in topology.links))
    costs = np.array([int(link.alpha * unit) for link in topology.links], dtype=np.float64)
    shape, ranks = (topology.vertices,) * 2, range(exchange.ranks)
    before, after = (
        dijkstra(csr_array((costs, ends), shape=shape), indices=ranks, min_only=True)
        for ends in (tuple(topology.ends.T), tuple(topology.ends[:, ::-1].T))
    )
    exact = 1 if costs.sum() < 2**53 else 1 - 1e-9
    found = []
    for (a, b), link in zip(topology.channels, topology.links, strict=True):
        others = Fraction(int((before[a] + after[b]) * exact), unit)
        found.append(others + link.alpha + link.beta * exchange.share)
    return found


def _by_lengths(
    exchange: Exchange,
    topology: Topology,
    lengths: tuple[tuple[int, int, int], ...],
    *,
    apart: bool,
) -> Fraction:
    if not exchange.personal:
        raise SpecError(
            f"lengths: they prove nothing of {exchange.kind}; they are of scatter, gather and"
            " alltoall"
        )
    of = {(a, b): length for a, b, length in lengths}
    if len(of) < len(lengths) or not of.keys() <= topology.number.keys():
        raise SpecError("lengths: each must be of a channel of the topology, listed once")
    if min(of.values()) < 0 or sum(of.values()) >= MOST_LENGTH:
        raise SpecError("lengths: they must be 0 or more, and less than 2^40 together")
    costs = [of.get(pair, 0) for pair in topology.channels]
    sources, targets = np.array([(*a, *b) for a, b in exchange.shares]).T
    needed = int(_far(topology, costs, exchange.ranks)[sources, targets].sum()) * exchange.share
    lines = [
        (link.alpha, bandwidth([link]) * cost)
        for cost, link in zip(costs, topology.links, strict=True)
        if cost
    ]
    open_ = sum((rate for _, rate in lines), Fraction(0))
    if not (apart and open_):
        return _least_time(needed, lines)
    # In lanes' time, not bytes, a channel's length is as many nanoseconds as its bytes take.
    held = [
        cost * time / link.beta
        for cost, time, link in zip(
            costs, held_by_share(exchange, topology), topology.links, strict=True
        )
    ]
    unit = lcm(*(time.denominator for time in held))
    whole = [int(time * unit) for time in held]
    sums = float(_far(topology, whole, exchange.ranks)[sources, targets].sum())
    exact = 1 if sum(whole) * len(sources) < 2**53 else 1 - 1e-9
    return max(_least_time(needed, lines), Fraction(int(sums * exact), unit) / open_)


def _of_partition(
    exchange: Exchange, topology: Topology, parts: tuple[frozenset[int], ...]
) -> Fraction:
    ranks = [{v for v in part if v < exchange.ranks} for part in parts]
    if set().union(*ranks) < set(range(exchange.ranks)) or not all(ranks):
        raise SpecError("cut: its parts must have all ranks, each one at least")
    needed = 2 * (len(parts) - 1) * len(exchange.owners) * exchange.share
    part_of = {vertex: number for number, part in enumerate(parts) for vertex in part}
    between = [
        (a, b, (link.alpha, bandwidth([link])))
        for (a, b), link in zip(topology.channels, topology.links, strict=True)
        if part_of.get(a) != part_of.get(b)
    ]
    into = [line for _, b, line in between if b in part_of]
    out_of = [line for a, _, line in between if a in part_of]
    return max(_least_time(needed, into), _least_time(needed, out_of))


def _least_time(needed: Fraction, lines: Iterable[tuple[Fraction, Fraction]]) -> Fraction:
    """Return when lines, each from a time on with a bandwidth, have brought so many bytes."""
    brought = rate = time = Fraction(0)
    for begin, more in sorted(lines):
        if rate and brought + rate * (begin - time) >= needed:
            break
        brought += rate * (begin - time)
        rate, time = rate + more, begin
    return time + (needed - brought) / rate if rate and needed > 0 else Fraction(0)


def proved(schedule: Schedule) -> tuple[Fraction, str]:
    """Return the least time that is proved, in nanoseconds, and by what: the file's cut, or ways.

    Raises
    ------
    SpecError
        The cut is none of this collective on this topology.
    """
    exchange, topology, cut = schedule.exchange, schedule.topology, schedule.certificate
    bound = least_latency(exchange, topology)
    if cut is None:
        return bound, "latency alone; the file has no cut"
    by_cut = bound_of(exchange, topology, cut)
    if by_cut < bound:
        return bound, "latency alone; the cut in the file proves less"
    return by_cut, "the cut in the file"


def least_latency(exchange: Exchange, topology: Topology) -> Fraction:
    """Return the greatest sum of alphas of a shortest way that something must go."""
    unit = lcm(*(link.alpha.denominator for link in topology.links))
    costs = [int(link.alpha * unit) for link in topology.links]
    sources, targets = (sorted({r for share in exchange.shares for r in share[n]}) for n in (0, 1))
    found = _far(topology, costs, exchange.ranks)[np.ix_(sources, targets)].max()
    # Sums above 2^53 are rounded: less is a bound, too.
    return Fraction(int(found if sum(costs) < 2**53 else found * (1 - 1e-9)), unit)


def _far(topology: Topology, costs: Sequence[int], ranks: int) -> NDArray[np.float64]:
    """Return the least sum of costs from each rank to each, exact below 2^53."""
    ends = topology.ends
    graph = csr_array(
        (np.array(costs, dtype=np.float64), (ends[:, 0], ends[:, 1])),
        shape=(topology.vertices,) * 2,
    )
    far: NDArray[np.float64] = dijkstra(graph, indices=range(ranks))[:, :ranks]
    return far
