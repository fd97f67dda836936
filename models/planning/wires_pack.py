"""Packing trees into slots exactly, by an integer program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

__all__ = ["Packed", "pack"]

NODES = 200
"""Subproblems after which the best that was found is taken."""


class Packed(NamedTuple):
    """Where a group goes: its slot, and the units of the tree that was chosen."""

    slot: int
    units: frozenset[int]


def pack(options: Sequence[Sequence[frozenset[int]]], slots: int) -> list[Packed | None]:
    """Choose a tree and a slot for as many groups as can be, and of all such ways few slots.

    No two trees in a slot share a unit. It is solved exactly, but for a limit on the search.

    Parameters
    ----------
    options : sequence of sequence of frozenset of int
        For each group the units of each of its trees.
    slots : int
        Slots that there are.

    Returns
    -------
    list of Packed or None
        For each group; None if it is left out.
    """
    # These take a while to import, and small networks seldom need them.
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    ways = [(group, units) for group, trees in enumerate(options) for units in trees]
    count = len(ways) * slots
    rows: list[int] = []
    columns: list[int] = []
    values: list[int] = []
    uppers: list[int] = []

    def row(entries: dict[int, int], upper: int) -> None:
        rows.extend([len(uppers)] * len(entries))
        columns.extend(entries)
        values.extend(entries.values())
        uppers.append(upper)

    for group in range(len(options)):
        own = [way for way, (other, _) in enumerate(ways) if other == group]
        row({way * slots + slot: 1 for way in own for slot in range(slots)}, 1)
    for unit in frozenset().union(*(units for _, units in ways)):
        there = [way for way, (_, units) in enumerate(ways) if unit in units]
        for slot in range(slots):
            row({**{way * slots + slot: 1 for way in there}, count + slot: -1}, 0)
    for slot in range(slots - 1):  # slots are alike: the first ones are used
        row({count + slot + 1: 1, count + slot: -1}, 0)
    matrix = csr_array((values, (rows, columns)), shape=(len(uppers), count + slots))
    cost = np.concatenate([np.full(count, -(slots + 1.0)), np.ones(slots)])
    result = milp(
        cost,
        integrality=np.ones(count + slots),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(matrix, ub=uppers),
        options={"node_limit": NODES},
    )
    places: list[Packed | None] = [None] * len(options)
    if result.x is not None:
        for chosen in np.flatnonzero(result.x[:count] > 0.5).tolist():
            group, units = ways[chosen // slots]
            places[group] = Packed(chosen % slots, units)
    return places
