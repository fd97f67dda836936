"""Schedules in chunks of small topologies with links alike, exactly: a problem for CP-SAT.

Where all links have one alpha and one beta a send takes as long on each, so that time is slots, and
a lane carries an item in each. A solver says which: the least number of slots is the least time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
from syncfabric.models.collectives.topology import Link, Topology

__all__ = ["in_slots"]

MOST_VALUES = 30_000
"""Truth values: sends of items that may be of use."""
EFFORT = 10.0
"""The solver's own seconds for a number of slots."""
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
        None: there are switches, or links that are not alike; it is too large; or nothing was found
        in few slots, with little effort.
    """
    alike = len({(link.alpha, link.beta) for link in topology.links}) == 1
    if topology.switches or not alike or exchange.items > MOST_VALUES:
        return None
    unit = tuple(Link(Fraction(0), Fraction(1), link.lanes) for link in topology.links)
    bare = Topology(topology.name, topology.nodes, 0, topology.channels, unit)
    if exchange.personal:
        cut = best_cut(exchange, bare)
        time = bound_of(exchange, bare, cut) / exchange.piece
    else:
        time = time_of_a_byte(bare, exchange.owners)[0] * exchange.parts
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
