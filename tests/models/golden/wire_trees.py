"""Trees of units for groups of barrier wires: drawn at random, or from a root by breadth."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from tests.models.golden.wire_race import Place


@dataclass(frozen=True)
class WireTree:
    """Of each unit: the link to its parent (None at the root), and its children's ports."""

    root: int
    members: tuple[int, ...]
    parent: Mapping[int, int | None]
    children: Mapping[int, tuple[int, ...]]
    depth: Mapping[int, int]

    def words(self, unit: int, op: int, gid: int) -> tuple[int, int]:
        """Return TREE and CONTROL of a unit."""
        parent = self.parent[unit]
        tree = (parent or 0) | sum(1 << port for port in self.children[unit]) << 4
        return tree, 1 | (parent is None) << 1 | op << 3 | gid << 8


def draw_tree(
    rng: random.Random,
    place: Place,
    members: Collection[int],
    units: Collection[int] | None = None,
    *,
    straight: bool = False,
) -> WireTree | None:
    """Draw a tree over some of these units, all if None; None if they do not join the members.

    ``straight`` makes every way to the root shortest, else it may wander.
    """
    allowed = set(range(len(place.units)) if units is None else units)
    root = rng.choice(sorted(allowed))
    above: dict[int, tuple[int, int] | None] = {root: None}
    front = [root]
    while front:
        here = front.pop(0 if straight else rng.randrange(len(front)))
        links = [link for link in range(place.units[here][0]) if (here, link) in place.ends]
        for link in rng.sample(links, len(links)):
            there, back = place.ends[here, link]
            if there in allowed and there not in above:
                above[there] = here, back
                front.append(there)
    if not set(members) <= above.keys():
        return None
    kept = {root}
    for member in members:
        unit: int | None = member
        while unit is not None and unit not in kept:
            kept.add(unit)
            way = above[unit]
            unit = way[0] if way else None
    children: dict[int, list[int]] = {unit: [] for unit in kept}
    depth = {root: 0}
    for unit in above:
        way = above[unit]
        if unit in kept and way is not None:
            depth[unit] = depth[way[0]] + 1
            children[way[0]].append(place.ends[unit, way[1]][1])
    for member in members:
        children[member].append(place.units[member][0])
    parent = {unit: way[1] if (way := above[unit]) else None for unit in kept}
    return WireTree(
        root,
        tuple(sorted(members)),
        parent,
        {unit: tuple(sorted(ports)) for unit, ports in children.items()},
        depth,
    )
