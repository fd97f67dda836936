"""Schedules in chunks of small topologies with links alike, exactly: a problem for CP-SAT.

Where all links have one alpha and one beta a send takes as long on each, so that time is slots, and
a lane carries an item in each. A solver says which: the least number of slots is the least time.
Past switches, what is for one rank each takes a path for a slot, nearly: latencies differ.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from math import ceil
from typing import Any

from ortools.sat.python import cp_model

from syncfabric.models.collectives.chunks.bounds import best_cut, time_of_a_byte
from syncfabric.models.collectives.chunks.checker import bound_of
from syncfabric.models.collectives.chunks.schedule import Ends, Exchange, Send
from syncfabric.models.collectives.clock import seconds_left, tick
from syncfabric.models.collectives.exact.model import solved
from syncfabric.models.collectives.paths import Path, paths
from syncfabric.models.collectives.topology import Link, Topology

MOST_VALUES = 30_000
"""Truth values: sends of items that may be of use."""
EFFORT = 10.0
"""The solver's own seconds for a number of slots."""
MOST_PAST, MOST_PATHS = 60_000, 64
"""Truth values past switches, and paths of a pair of ranks."""
EFFORT_PAST, EFFORT_MORE = 20.0, 3.0
"""The solver's own seconds past switches for the first number of slots, and for a better one."""
SLACK = 1.04
"""Of the least slots, the first number past switches."""
TRIED = 2
"""Numbers of slots that are tried, from the least on that a cut and a distance allow."""


def in_slots(
    topology: Topology,
    exchange: Exchange,
    combine: bool,
    most: int | None,
    seed: int,
) -> list[Send] | None:
    """Return the sends of each share's parts from its owner in the fewest slots.

    Parameters
    ----------
    topology : Topology
        With links; reversed to combine.
    exchange : Exchange
    combine : bool
        Whether all is in reversed time.
    most : int or None
        Slots that it may take.
    seed : int
        Of the solver.

    Returns
    -------
    list of Send, or None
        None: there are links that are not alike, or switches, and shares are not for one rank; it
        is too large; or nothing was found in few slots, with little effort.
    """
    alike = len({(link.alpha, link.beta) for link in topology.links}) == 1
    past = bool(topology.switches)
    if not alike or exchange.items > MOST_VALUES or (past and not exchange.personal):
        return None
    unit = tuple(Link(Fraction(0), Fraction(1), link.lanes) for link in topology.links)
    bare = replace(topology, links=unit)
    if exchange.personal:
        cut = best_cut(exchange, bare)
        time = bound_of(exchange, bare, cut) / exchange.piece
    else:
        time = time_of_a_byte(bare, exchange.owners)[0] * exchange.parts
    if past:
        return _past_switches(topology, exchange, ceil(time), most, seed)
    far, shares = topology.distances.tolist(), exchange.ends(combine=combine)
    least = max(ceil(time), *(far[owner][t] for owner, targets in shares for t in targets))
    for slots in range(least, min(most or least + TRIED, least + TRIED - 1) + 1):
        most_sends = MOST_VALUES // exchange.parts
        sends = list(islice(_possible(topology, shares, slots), most_sends + 1))
        if len(sends) > most_sends:
            return None
        if found := _solved(topology, shares, exchange.parts, sends, slots, seed):
            return found
    return None


def _past_switches(
    topology: Topology, exchange: Exchange, least: int, most: int | None, seed: int
) -> list[Send] | None:
    """Return sends along shortest paths past switches, each of which holds them for a slot.

    The first number of slots is a little above the least; each further one is one less.
    """
    ranks, parts = topology.nodes, exchange.parts
    options: list[list[Path]] = []
    for (source,), (target,) in exchange.shares:
        tick()
        found = paths(topology, source, target) if source != target else iter(())
        straight = (path for path in found if min(path[1:-1], default=ranks) >= ranks)
        options.append(list(islice(straight, MOST_PATHS)))
        if source != target and not options[-1]:
            return None
    best: list[Send] | None = None
    first = max(least, round(least * SLACK))
    for slots in range(min(first, most or first), least - 1, -1):
        if sum(map(len, options)) * slots > MOST_PAST:
            return None
        effort = EFFORT_PAST if best is None else EFFORT_MORE
        sends = _packed(topology, options, parts, slots, seed, effort)
        if sends is None and best is not None:
            break
        best = sends or best
    return best


def _packed(
    topology: Topology,
    options: Sequence[Sequence[Path]],
    parts: int,
    slots: int,
    seed: int,
    effort: float,
) -> list[Send] | None:
    sat: Any = cp_model.CpModel()
    taken: dict[tuple[int, int], list[Any]] = {}
    sent: list[tuple[int, int, Path, Any]] = []
    first = next(path[0] for some in options for path in some)
    turn = 0
    for share, some in enumerate(options):
        tick()
        own = range(slots)
        if some and some[0][0] == first and len(topology.successors[first]) == 1:
            # The parts of one rank go in any order, so that they have an order.
            own, turn = range(turn, min(turn + parts, slots)), turn + parts
        values = [(slot, path, sat.new_bool_var("")) for path in some for slot in own]
        for slot, path, value in values:
            sent.append((slot, share, path, value))
            for channel in topology.along(path):
                taken.setdefault((channel, slot), []).append(value)
        if some:
            sat.add(sum(value for _, _, value in values) == parts)
    for (channel, _), users in taken.items():
        sat.add(sum(users) <= topology.links[channel].lanes)
    holds = solved(sat, seed, seconds_left, effort)
    tick()
    if holds is None:
        return None
    left, sends = [parts] * len(options), list[Send]()
    for _, share, path, value in sorted(sent, key=lambda one: one[:2]):
        if holds(value):
            left[share] -= 1
            sends.append(Send(share * parts + left[share], path, False))
    return sends


def _possible(
    topology: Topology, shares: Sequence[Ends], slots: int
) -> Iterator[tuple[int, int, int]]:
    """Yield share, channel and slot of all sends that may be of use."""
    far = topology.distances.tolist()
    for share, (owner, targets) in enumerate(shares):
        tick()
        for channel, (a, b) in enumerate(topology.channels):
            rest = min(far[b][target] for target in targets)
            for slot in range(far[owner][a], slots - rest if b != owner else 0):
                yield share, channel, slot


def _solved(
    topology: Topology,
    shares: Sequence[Ends],
    parts: int,
    sends: Sequence[tuple[int, int, int]],
    slots: int,
    seed: int,
) -> list[Send] | None:
    sat: Any = cp_model.CpModel()
    sent: dict[tuple[int, int, int], Any] = {}
    users: dict[tuple[int, int], list[Any]] = {}
    of_share: list[list[tuple[int, int]]] = [[] for _ in shares]
    for share, channel, slot in sends:
        of_share[share].append((channel, slot))
    for item in range(len(shares) * parts):
        tick()
        owner, targets = shares[item // parts]
        into: list[list[list[Any]]] = [[[] for _ in range(slots)] for _ in range(topology.nodes)]
        out: list[tuple[int, int, Any]] = []
        for channel, slot in of_share[item // parts]:
            sent[slot, item, channel] = value = sat.new_bool_var("")
            users.setdefault((channel, slot), []).append(value)
            a, b = topology.channels[channel]
            into[b][slot].append(value)
            out.append((a, slot, value))
        for rank in range(topology.nodes):
            some = [value for values in into[rank] for value in values]
            if rank != owner:
                (sat.add_exactly_one if rank in targets else sat.add_at_most_one)(some)
        for rank, slot, value in out:
            if rank != owner:
                had = [before for some in into[rank][:slot] for before in some]
                sat.add_bool_or([value.negated(), *had])
    for (channel, _), values in users.items():
        sat.add(sum(values) <= topology.links[channel].lanes)

    holds = solved(sat, seed, seconds_left, EFFORT)
    tick()
    if holds is None:
        return None
    taken = sorted(key for key, value in sent.items() if holds(value))
    return [Send(item, topology.channels[channel], False) for _, item, channel in taken]
