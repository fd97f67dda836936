"""Performs a schedule in chunks, apart from all that finds one: is it right, how long does it take.

A send begins as soon as the sender has all that it was to combine into the item, and each channel
of its path has a free lane; a channel serves sends in the order of the list. What comes takes
effect when the receiver has sent what it had of the item. A send holds a lane of each channel for
the sum of their alphas and the greatest beta times the item's bytes.
"""

from collections.abc import Sequence
from fractions import Fraction
from heapq import heapify, heapreplace
from math import ceil, lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

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
    return Spans(_performed(schedule, held), unit)


def _held(schedule: Schedule, piece: Fraction | None) -> tuple[dict[tuple[int, ...], int], int]:
    """Return how long a send holds the lanes of each path, and the unit of that."""
    size = schedule.exchange.piece if piece is None else piece
    costs = {p: schedule.topology.held(p, size) for p in {send.path for send in schedule.sends}}
    unit = lcm(*(cost.denominator for cost in costs.values()))
    return {path: int(cost * unit) for path, cost in costs.items()}, unit


def _performed(schedule: Schedule, held: dict[tuple[int, ...], int]) -> list[tuple[int, int]]:
    """Return the begin and the end of each send."""
    topology, ranks = schedule.topology, schedule.exchange.ranks
    # The lanes of a channel as a heap: which is free first.
    free = [[0] * link.lanes for link in topology.links]
    known = {
        path: (time, path[0], path[-1], [free[channel] for channel in topology.along(path)])
        for path, time in held.items()
    }
    there, sent = dict[int, int](), dict[int, int]()
    found = list[tuple[int, int]]()
    for number, (item, path, _) in enumerate(schedule.sends):
        if not number % TICK:
            tick()
        time, tail, head, line = known[path]
        gone, came = item * ranks + tail, item * ranks + head
        start = there.get(gone, 0)
        for lanes in line:
            if lanes[0] > start:
                start = lanes[0]
        end = start + time
        for lanes in line:
            heapreplace(lanes, end)
        sent[gone] = max(end, sent.get(gone, 0))
        there[came] = max(end, there.get(came, 0), sent.get(came, 0))
        found.append((start, end))
    return found


def check(schedule: Schedule) -> Outcome:
    """Perform a schedule and look at what every rank has in the end."""
    exchange = schedule.exchange
    parts = exchange.parts
    wrong, count = list[str](), 0

    def broken(words: str) -> None:
        nonlocal count
        count += 1
        if count <= SHOWN:
            wrong.append(words)

    # Of each item by rank, whose contributions are in it; a bit each.
    has: list[dict[int, int]] = []
    for sources, _ in exchange.shares:
        has += [{rank: 1 << rank for rank in sources} for _ in range(parts)]
    for number, (item, path, combine) in enumerate(schedule.sends):
        if not number % TICK:
            tick()
        here, there = path[0], path[-1]
        given, kept = has[item].get(here, 0), has[item].get(there, 0)
        has[item][there] = given | kept if combine else given
        if given and not given & kept if combine else given and not kept & ~given:
            continue
        what = f"sends[{number}]: share {item // parts}, part {item % parts}"
        if not given:
            broken(f"{what}: rank {here} has nothing of it to send")
        elif combine:
            rank = _lowest(given & kept)
            broken(f"{what}: rank {there} combines what rank {rank} gives twice")
        else:
            rank = _lowest(kept & ~given)
            broken(f"{what}: it takes the place of what rank {rank} gave to rank {there}")
    for share, (sources, targets) in enumerate(exchange.shares):
        whole = sum(1 << rank for rank in sources)
        for part in range(parts):
            found = has[share * parts + part]
            for rank in targets:
                if missing := whole & ~found.get(rank, 0):
                    broken(
                        f"rank {rank} ends without what rank {_lowest(missing)} gives to share"
                        f" {share}, part {part}"
                    )
    return Outcome(perform(schedule), tuple(wrong), count)


def _lowest(bits: int) -> int:
    return (bits & -bits).bit_length() - 1


class _Line(NamedTuple):
    """A channel that lets something through."""

    channel: int
    opened: Fraction = Fraction(1)
    """For which part of the time."""
    weight: int = 1
    """Of what it lets through."""
    begins: bool = False
    """Whether sends need but begin while it is open."""


def bound_of(
    exchange: Exchange, topology: Topology, cut: Cut, *, apart: bool = True, whole: bool = False
) -> Fraction:
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
    that channels carry, each times its length, as much as its ranks are apart, whatever its path
    is (M. Iri, On an extension of the maximum-flow minimum-cut theorem to multicommodity flows,
    Journal of the Operations Research Society of Japan 13, 1971).

    What is for one rank alone goes in sends of its own (``apart``), as in files of schedules, so a
    share holds a lane of each channel on its path for alpha + beta n at least, in one part; of all
    channels between two ranks for all their latencies.

    With ``whole`` it is of schedules with as many parts of a share as the exchange has, each in a
    send of its own. A lane that is open for a time w lets as many of them through as fit into w,
    one after the other. Of a part's path some send leads from a rank that has left when it begins
    to one that has not when it ends. Past switches the first channel on its path counts whose end
    has not left when the send begins: into a rank, or what leaves last, all of the send is in w,
    into another switch its begin.

    Raises
    ------
    SpecError
        The cut is none of this collective on this topology.
    """
    if cut.lengths:
        return _by_lengths(exchange, topology, cut.lengths, apart=apart, whole=whole)
    parts, reduced = cut.parts, exchange.combines and exchange.spreads
    seen = [vertex for part in parts for vertex in part]
    everywhere = set(range(topology.vertices))
    if (
        len(set(seen)) < len(seen)
        or not everywhere.issuperset(seen)
        or not (parts if reduced else len(parts) == 1)
    ):
        raise SpecError("cut: it must be a set of vertices, of allreduce parts without overlap")
    times = dict(cut.times)
    if len(times) < len(cut.times):
        raise SpecError("times: a vertex has one time, not two")
    if len(parts) > 1:
        if times:
            raise SpecError("times: the vertices of one set alone can have them")
        return _of_partition(exchange, topology, parts, whole=whole)
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
        held = zip(topology.channels, topology.links, held_by(exchange, topology), strict=True)
        into = sum(
            (link.lanes / time for (a, b), link, time in held if b in side and a not in side)
        )
        at_once = shares / into if into else at_once
    lines = list[_Line]()
    for channel, ends in enumerate(topology.channels):
        tail, head = ends[::-1] if backwards else ends
        a, b = (leaves.get(v, Fraction(0)) for v in (tail, head))
        if a < b:  # counts for (b - a) T - alpha of a time T
            lines.append(_Line(channel, b - a, begins=head >= exchange.ranks and b < 1))
    return max(at_once, _least_time(exchange, topology, shares, lines, whole=whole))


def held_by(exchange: Exchange, topology: Topology, parts: int = 1) -> list[Fraction]:
    """Return how long a send of a part of a share holds a lane of each channel at least.

    From a rank to a rank past switches, it holds it for all latencies on its path.
    """
    unit = lcm(*(link.alpha.denominator for link in topology.links))
    costs = np.array([int(link.alpha * unit) for link in topology.links], dtype=np.float64)
    shape, ranks = (topology.vertices,) * 2, range(exchange.ranks)
    before, after = (
        dijkstra(csr_array((costs, ends), shape=shape), indices=ranks, min_only=True)
        for ends in (tuple(topology.ends.T), tuple(topology.ends[:, ::-1].T))
    )
    exact = 1 if costs.sum() < 2**53 else 1 - 1e-9
    found, size = [], exchange.share / parts
    for (a, b), link in zip(topology.channels, topology.links, strict=True):
        others = Fraction(int((before[a] + after[b]) * exact), unit)
        found.append(others + link.alpha + link.beta * size)
    return found


def _by_lengths(
    exchange: Exchange,
    topology: Topology,
    lengths: tuple[tuple[int, int, int], ...],
    *,
    apart: bool,
    whole: bool,
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
    needed = int(_far(topology, costs, exchange.ranks)[sources, targets].sum())
    lines = [_Line(channel, weight=cost) for channel, cost in enumerate(costs) if cost]
    time = _least_time(exchange, topology, needed, lines, whole=whole)
    rates = (topology.links[line.channel].rate * line.weight for line in lines)
    open_ = sum(rates, Fraction(0))
    if not (apart and open_):
        return time
    # In lanes' time, not bytes, a channel's length is as many nanoseconds as its bytes take.
    held = [
        cost * time / link.beta
        for cost, time, link in zip(costs, held_by(exchange, topology), topology.links, strict=True)
    ]
    unit = lcm(*(time.denominator for time in held))
    rounded = [int(time * unit) for time in held]
    sums = float(_far(topology, rounded, exchange.ranks)[sources, targets].sum())
    exact = 1 if sum(rounded) * len(sources) < 2**53 else 1 - 1e-9
    return max(time, Fraction(int(sums * exact), unit) / open_)


def _of_partition(
    exchange: Exchange, topology: Topology, parts: tuple[frozenset[int], ...], *, whole: bool
) -> Fraction:
    ranks = [{v for v in part if v < exchange.ranks} for part in parts]
    if set().union(*ranks) < set(range(exchange.ranks)) or not all(ranks):
        raise SpecError("cut: its parts must have all ranks, each one at least")
    needed = 2 * (len(parts) - 1) * len(exchange.owners)
    part_of = {vertex: number for number, part in enumerate(parts) for vertex in part}
    between = [
        (pair, _Line(channel))
        for channel, pair in enumerate(topology.channels)
        if part_of.get(pair[0]) != part_of.get(pair[1])
    ]
    crossings = ([line for pair, line in between if pair[end] in part_of] for end in (1, 0))
    return max(_least_time(exchange, topology, needed, some, whole=whole) for some in crossings)


def _least_time(
    exchange: Exchange, topology: Topology, needed: int, lines: Sequence[_Line], *, whole: bool
) -> Fraction:
    """Return when lines have let so many shares through; with ``whole`` all their parts."""
    if whole:
        return _by_sends(exchange, topology, needed, lines)
    links = [(topology.links[line.channel], line) for line in lines]
    brought = rate = time = Fraction(0)
    size = needed * exchange.share
    for begin, more in sorted(
        (link.alpha / line.opened, link.rate * line.weight * line.opened) for link, line in links
    ):
        if rate and brought + rate * (begin - time) >= size:
            break
        brought += rate * (begin - time)
        rate, time = rate + more, begin
    return time + (size - brought) / rate if rate and size > 0 else Fraction(0)


def _by_sends(
    exchange: Exchange, topology: Topology, needed: int, lines: Sequence[_Line]
) -> Fraction:
    """Return the least time in which so many sends of a part of each share fit into lines."""
    held = held_by(exchange, topology, exchange.parts)
    left, rate = needed * exchange.parts, Fraction(0)
    each = list[tuple[Fraction, int, bool]]()
    for line in lines:
        many = topology.links[line.channel].lanes * line.weight
        each.append((held[line.channel] / line.opened, many, line.begins))
        rate += many / each[-1][0]
    if not rate or left <= 0:
        return Fraction(0)
    # Until then fewer have come, however they lie; from then on they are counted one by one.
    begun = max(Fraction(0), (left - sum(many for _, many, _ in each)) / rate)
    ahead = list[tuple[Fraction, Fraction, int]]()
    for slot, many, begins in each:
        before = max(0, ceil(begun / slot) - (not begins))
        left -= many * before
        ahead.append((slot * (before + (not begins)), slot, many))
    heapify(ahead)
    while True:
        time, slot, many = ahead[0]
        left -= many
        if left <= 0:
            return time
        heapreplace(ahead, (time + slot, slot, many))


def proved_in_parts(schedule: Schedule) -> Fraction:
    """Return the least time that the file proves of as many chunks as it has, in nanoseconds.

    Raises
    ------
    SpecError
        A cut is none of this collective on this topology.
    """
    exchange, topology = schedule.exchange, schedule.topology
    cuts = [cut for cut in (schedule.certificate, schedule.of_parts) if cut is not None]
    found = (bound_of(exchange, topology, cut, whole=True) for cut in cuts)
    return max(proved(schedule)[0], *found, Fraction(0))


def proved(schedule: Schedule) -> tuple[Fraction, str]:
    """Return the least time that is proved, in nanoseconds, and by what: the file's cut, or paths.

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
    """Return the greatest sum of alphas of a shortest path that something must go."""
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
