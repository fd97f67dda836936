"""Schedules in chunks of small topologies with links alike, exactly: a problem for CP-SAT.

Where all links have one alpha and one beta a send takes as long on each, so that time is slots, and
a lane carries an item in each. A solver says which: the least number of slots is the least time.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, inf
from typing import Any

from ortools.sat.python import cp_model

from syncfabric.models.collectives.chunks.bounds import time_of_a_byte
from syncfabric.models.collectives.chunks.links import OutOfTimeError, Tick, linked
from syncfabric.models.collectives.chunks.schedule import Send
from syncfabric.models.collectives.exact.model import solved
from syncfabric.models.collectives.topology import Link, Topology

__all__ = ["in_slots"]

MOST_VALUES = 30_000
"""Truth values: items times channels times slots."""
EFFORT = 10.0
"""The solver's own seconds for a number of slots."""
TRIED = 2
"""Numbers of slots that are tried, from the least on that a cut and a distance allow."""


def in_slots(
    topology: Topology,
    owners: Sequence[int],
    parts: int,
    most: int | None,
    seed: int,
    tick: Tick,
) -> list[Send] | None:
    """Return the sends of a broadcast of each owner's parts in the fewest slots.

    Parameters
    ----------
    topology : Topology
        With links.
    owners : sequence of int
    parts : int
        Of each owner.
    most : int or None
        Slots that it may take.
    seed : int
        Of the solver.
    tick : callable

    Returns
    -------
    list of Send, or None
        None: there are switches, or links that are not alike; it is too large; or nothing was found
        in few slots, with little effort.
    """
    if topology.switches or len({(link.alpha, link.beta) for link in topology.links}) > 1:
        return None
    unit = tuple(Link(Fraction(0), Fraction(1), link.lanes) for link in topology.links)
    bare = Topology(topology.name, topology.nodes, 0, topology.channels, unit)
    time, _ = time_of_a_byte(linked(bare, Fraction(0), Fraction(1)), owners, tick)
    far = max(int(topology.distances[owner].max()) for owner in owners)
    least = max(ceil(time * parts), far)
    for slots in range(least, min(most or least + TRIED, least + TRIED - 1) + 1):
        if len(owners) * parts * len(topology.channels) * slots > MOST_VALUES:
            return None
        if found := _solved(topology, owners, parts, slots, seed, tick):
            return found
    return None


def _solved(
    topology: Topology, owners: Sequence[int], parts: int, slots: int, seed: int, tick: Tick
) -> list[Send] | None:
    sat: Any = cp_model.CpModel()
    far = topology.distances.tolist()
    sent: dict[tuple[int, int, int], Any] = {}
    users: dict[tuple[int, int], list[Any]] = {}
    for item in range(len(owners) * parts):
        tick()
        owner = owners[item // parts]
        into: list[list[list[Any]]] = [[[] for _ in range(slots)] for _ in range(topology.nodes)]
        out: list[tuple[int, int, Any]] = []
        for channel, (a, b) in enumerate(topology.channels):
            for slot in range(far[owner][a], slots if b != owner else 0):
                sent[slot, item, channel] = value = sat.new_bool_var("")
                users.setdefault((channel, slot), []).append(value)
                into[b][slot].append(value)
                out.append((a, slot, value))
        for rank in range(topology.nodes):
            if rank != owner:
                sat.add_exactly_one(value for some in into[rank] for value in some)
        for rank, slot, value in out:
            if rank != owner:
                had = [before for some in into[rank][:slot] for before in some]
                sat.add_bool_or([value.negated(), *had])
    for (channel, _), values in users.items():
        sat.add(sum(values) <= topology.links[channel].lanes)

    def left() -> float:
        try:
            tick()
        except OutOfTimeError:
            return 0
        return inf

    holds = solved(sat, seed, left, EFFORT)
    tick()
    if holds is None:
        return None
    taken = sorted(key for key, value in sent.items() if holds(value))
    return [Send(item, topology.channels[channel], False) for _, item, channel in taken]
