"""Performs a schedule in chunks, apart from all that finds one: is it right, how long does it take.

A send begins as soon as the sender has all that it was to combine into the item, and each channel
of its path has a free lane; a channel serves sends in the order of the list. What comes takes
effect when the receiver has sent what it had of the item. A send holds a lane of each channel for
the sum of their alphas and the greatest beta times the item's bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import pairwise
from math import lcm
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from syncfabric.models.collectives.chunks.links import bandwidth
from syncfabric.models.collectives.chunks.schedule import Cut, Exchange, Schedule
from syncfabric.models.collectives.topology import Topology
from syncfabric.models.errors import SpecError

__all__ = ["Outcome", "Spans", "bound_of", "check", "least_latency", "perform", "proved", "spans"]

SHOWN = 20
"""Rules broken that are listed."""


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
    for item, path, _ in sends:
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
    everyone, wrong, count = (1 << exchange.ranks) - 1, list[str](), 0

    def broken(words: str) -> None:
        nonlocal count
        count += 1
        if count <= SHOWN:
            wrong.append(words)

    # Of each item at each rank, whose contributions are in it; a bit each.
    has: list[list[int]] = []
    for owner in exchange.owners:
        begin = [1 << r if exchange.combines or r == owner else 0 for r in ranks]
        has += [list(begin) for _ in range(parts)]
    for number, (item, path, combine) in enumerate(schedule.sends):
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
    for item, found in enumerate(has):
        owner = exchange.owners[item // parts]
        whole = everyone if exchange.combines else 1 << owner
        for rank in ranks if exchange.spreads else (owner,):
            if missing := whole & ~found[rank]:
                lacking = (missing & -missing).bit_length() - 1
                broken(
                    f"rank {rank} ends without what rank {lacking} gives to share {item // parts},"
                    f" part {item % parts}"
                )
    return Outcome(perform(schedule), tuple(wrong), count)


def bound_of(exchange: Exchange, topology: Topology, cut: Cut) -> Fraction:
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

    Raises
    ------
    SpecError
        The cut is none of this collective on this topology.
    """
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
    side = parts[0] if exchange.spreads else everywhere - parts[0]
    if not side.issuperset(times) or min(times.values(), default=1) <= 0:
        raise SpecError("times: they must be of vertices of the receiving side, and above 0")
    last = max(times.values(), default=Fraction(1))
    leaves = {vertex: times.get(vertex, last) / last for vertex in side}
    outside = [rank for rank in range(exchange.ranks) if rank not in side]
    if not outside or all(leaves.get(rank) != 1 for rank in range(exchange.ranks)):
        return Fraction(0)
    shares = len(exchange.owners) if whole else len(set(outside).intersection(exchange.owners))
    lines = list[tuple[Fraction, Fraction]]()
    for ends, link in zip(topology.channels, topology.links, strict=True):
        a, b = (leaves.get(v, Fraction(0)) for v in (ends if exchange.spreads else ends[::-1]))
        if a < b:  # counts for (b - a) T - alpha of a time T
            lines.append((link.alpha / (b - a), bandwidth([link]) * (b - a)))
    return _least_time(shares * exchange.share, lines)


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
    costs = np.array([int(link.alpha * unit) for link in topology.links], dtype=np.float64)
    from_, to = topology.ends.T
    ways = dijkstra(csr_array((costs, (from_, to)), shape=(topology.vertices,) * 2))
    far = ways[: exchange.ranks, : exchange.ranks]
    if not exchange.spreads:
        far = far[:, list(exchange.owners)]
    elif not exchange.combines:
        far = far[list(exchange.owners)]
    found = far.max()
    # Sums above 2^53 are rounded: less is a bound, too.
    return Fraction(int(found if costs.sum() < 2**53 else found * (1 - 1e-9)), unit)
