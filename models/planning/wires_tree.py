"""The tree of a group on barrier wires: over links, no higher than the least radius, small."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from syncfabric.models.planning.wires_graph import Centre, Ends, WireGraph

__all__ = ["WireEdge", "WireTree", "free_parts", "lay_tree"]

WireEdge = tuple[int, int, int, int]
"""A link of a tree: child router, its port to the parent, parent router, its port to the child."""

SIEVES = 4
"""Members from which it is looked first which roots are near enough."""
ROOTS = 8
"""Roots that are tried, of all that are equally good."""


@dataclass(frozen=True)
class WireTree:
    """A tree over routers.

    Parameters
    ----------
    root : int
        The router where the barrier is turned around.
    edges : tuple of WireEdge
        From the root outwards.
    """

    root: int
    edges: tuple[WireEdge, ...]

    @cached_property
    def routers(self) -> frozenset[int]:
        """All routers of the tree."""
        return frozenset((self.root, *(edge[0] for edge in self.edges)))

    @cached_property
    def depths(self) -> dict[int, int]:
        """Links from the root to each router, from the root outwards."""
        depths = {self.root: 0}
        for child, _, parent, _ in self.edges:
            depths[child] = depths[parent] + 1
        return depths

    @property
    def depth(self) -> int:
        """Links from the root to the farthest router, which is a member's."""
        return max(self.depths.values())


def lay_tree(
    graph: WireGraph, centre: Centre, members: Sequence[int], blocked: Sequence[int]
) -> WireTree | None:
    """Return a small tree of the least height over routers that are free; None if there is none.

    Of the best roots a few are tried. From each, the shortest ways to all members are cut to few
    routers, level by level.

    Parameters
    ----------
    graph : WireGraph
    centre : Centre
        Of these members; the tree's height is its radius.
    members : sequence of int
        The members' routers, each once.
    blocked : sequence of int
        Not 0 at routers that are taken.
    """
    if any(blocked[member] for member in members):
        return None
    best: dict[int, Link] | None = None
    root = -1
    for start in _roots(graph.ends, centre, members, blocked):
        level = _levels(graph.ends, start, centre.radius, members, blocked)
        if not all(member in level for member in members):
            continue
        parents = _cut(graph.ends, level, members)
        if best is None or len(parents) < len(best):
            best, root = parents, start
        if len(best) + 1 == centre.least:
            break
    return None if best is None else WireTree(root, tuple(_outwards(root, best)))


def free_parts(graph: WireGraph, blocked: Sequence[int]) -> list[int]:
    """Return for each router the part of the free ones that it is in, -1 if it is taken."""
    part = [-1] * len(graph.ends)
    for start in range(len(part)):
        if blocked[start] or part[start] >= 0:
            continue
        part[start] = start
        queue = [start]
        while queue:
            for _, there, _ in graph.ends[queue.pop()]:
                if part[there] < 0 and not blocked[there]:
                    part[there] = start
                    queue.append(there)
    return part


Link = tuple[int, int, int]
"""From a child: its port, the parent, the parent's port."""


def _roots(
    ends: Sequence[Ends], centre: Centre, members: Sequence[int], blocked: Sequence[int]
) -> list[int]:
    """Return roots to try: the best of those that are near enough to the first few members.

    That leaves few where there is no tree, and for small groups none.
    """
    roots = [root for root in centre.roots if not blocked[root]]
    for member in members[:SIEVES]:
        if not roots:
            break
        level = _levels(ends, member, centre.radius, roots, blocked)
        roots = [root for root in roots if root in level]
    return roots[:ROOTS]


def _levels(
    ends: Sequence[Ends], start: int, radius: int, wanted: Iterable[int], blocked: Sequence[int]
) -> dict[int, int]:
    """Return the distance of free routers from one, at most a radius, up to the last wanted one."""
    level, missing = {start: 0}, set(wanted) - {start}
    front = [start]
    for depth in range(1, radius + 1):
        if not missing or not front:
            break
        below = []
        for here in front:
            for _, there, _ in ends[here]:
                if there not in level and not blocked[there]:
                    level[there] = depth
                    below.append(there)
        missing.difference_update(below)
        front = below
    return level


def _cut(ends: Sequence[Ends], level: dict[int, int], members: Sequence[int]) -> dict[int, Link]:
    """Choose parents, from the lowest level up: those that are needed anyway, then the most used.

    A level's parents are a set cover by greed: again and again the router that most children want.
    """
    depth = max(level[member] for member in members)
    needed: list[set[int]] = [set() for _ in range(depth + 1)]
    for member in members:
        needed[level[member]].add(member)
    parents: dict[int, Link] = {}
    for here in range(depth, 0, -1):
        above: dict[int, list[tuple[int, int, int]]] = {}
        for child in sorted(needed[here]):
            for port, other, far in ends[child]:
                if level.get(other) == here - 1:
                    above.setdefault(other, []).append((child, port, far))
        # What is needed anyway comes first.
        order = [other for other in sorted(above) if other in needed[here - 1]]
        waiting = set(needed[here])
        while waiting:
            if order:
                parent = order.pop(0)
            else:
                parent = max(
                    above,
                    key=lambda p: (len({link[0] for link in above[p]} & waiting), -p),
                )
                needed[here - 1].add(parent)
            for child, port, far in above.pop(parent):
                if child in waiting:
                    parents[child] = port, parent, far
                    waiting.discard(child)
    return parents


def _outwards(root: int, parents: dict[int, Link]) -> Iterator[WireEdge]:
    below: dict[int, list[int]] = {}
    for child in sorted(parents):
        below.setdefault(parents[child][1], []).append(child)
    queue = deque([root])
    while queue:
        here = queue.popleft()
        for child in below.get(here, ()):
            port, _, far = parents[child]
            yield child, port, here, far
            queue.append(child)
