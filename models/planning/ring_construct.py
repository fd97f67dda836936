"""Rings by construction: through rectangles, by Hamiltonian cycles, and by tours of trees.

Through a full rectangle of a mesh, and a whole mesh or torus, a ring is written down. On another
graph a Hamiltonian cycle through the members is searched for, and the tour of a tree that joins
them, each link once in each direction, is a ring that always exists while links are free.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from syncfabric.models.networks.grid import Grid
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.mesh import Node
from syncfabric.models.planning.free_links import FreeLinks, Output

DENSE = 2
"""Switches for each member up to which the ring of their whole rectangle is tried."""
TURNED = 400_000
"""Switches of paths that are reversed in the search of a Hamiltonian cycle."""


class Rectangle(NamedTuple):
    """Switches of a mesh between two columns and two rows; ``corner`` has the least coordinates."""

    corner: Node
    width: int
    height: int

    @classmethod
    def around(cls, graph: Irregular, switches: Collection[int]) -> Rectangle:
        """Return the smallest rectangle of a mesh that holds the switches."""
        x, y = [s % graph.columns for s in switches], [s // graph.columns for s in switches]
        return cls((min(x), min(y)), max(x) - min(x) + 1, max(y) - min(y) + 1)


def ring_of(graph: Irregular, switches: Sequence[int]) -> list[Output]:
    """Return the outputs of a ring by its switches; of several links the one of lowest port."""
    here = np.array(switches, dtype=np.int64)
    ports, _ = graph.ports_between(here, np.roll(here, -1))
    return list(zip(switches, ports.tolist(), strict=True))


def known_rings(
    links: FreeLinks, switches: Sequence[int], least: int, *, beside: bool = False
) -> Iterator[list[int]]:
    """Yield the links of rings that need not be grown.

    Parameters
    ----------
    links : FreeLinks
    switches : sequence of int
        Those of the members, two or more, each once.
    least : int
        Links that no ring has fewer of: with more than ``switches`` no Hamiltonian cycle exists.
    beside : bool
        Other rings are on the network, so one of a whole rectangle or grid is not free.

    Yields
    ------
    list of int
        On a mesh the ring of the members' rectangle; on another graph that of its whole grid, or a
        Hamiltonian cycle, and the tour of a tree.
    """
    graph = links.graph
    if graph.columns:
        box = Rectangle.around(graph, switches)
        dense = DENSE * len(switches) >= box.width * box.height
        if not beside and dense and (whole := rectangle_ring(box.width, box.height)):
            (left, low), columns = box.corner, graph.columns
            numbers = [(low + y) * columns + left + x for x, y in whole]
            yield [links.ports * s + p for s, p in ring_of(graph, numbers)]
    else:
        cycle = None
        if graph.grid and len(switches) == graph.switches and not beside:
            cycle = _snake(links, graph.grid)
        if (cycle is None or len(cycle) > len(switches)) and least <= len(switches):
            cycle = hamiltonian_cycle(links, switches) or cycle
        yield from filter(None, (cycle, tree_tour(links, switches)))


def _snake(links: FreeLinks, grid: Grid) -> list[int] | None:
    """Return a shortest ring through a whole mesh or torus: its first side by all others in turn.

    The switches of all other sides form a path, each a neighbour of the next: the other side of a
    rectangle. None: the grid has one dimension, or three by three switches.
    """
    rest: list[tuple[int, ...]] = [()]
    for side in grid.sides[1:]:
        rest = [(*at, x) for x in range(side) for at in (rest if x % 2 == 0 else rest[::-1])]
    ring = rectangle_ring(grid.sides[0], len(rest))
    numbers = [grid.router((x, *rest[y])) for x, y in ring or ()]
    outputs = ring_of(links.graph, [number for number in numbers if number is not None])
    return [links.ports * switch + port for switch, port in outputs] or None


def hamiltonian_cycle(links: FreeLinks, switches: Sequence[int]) -> list[int] | None:
    """Search a Hamiltonian cycle over free links between switches; return its links or None."""
    wanted = set(switches)
    near = {
        here: {links.head(out): out for out in reversed(links.of(here)) if links.free[out]}
        for here in switches
    }
    near = {here: {t: out for t, out in outs.items() if t in wanted} for here, outs in near.items()}
    path = cycle_through(near)
    return path and [near[a][b] for a, b in zip(path, [*path[1:], path[0]], strict=True)]


def cycle_through(near: Mapping[int, Collection[int]]) -> list[int] | None:
    """Search a Hamiltonian cycle through a graph; return its vertices, from the first, or None.

    A path continues to the unvisited neighbour with the fewest unvisited neighbours. Where there is
    none, the path behind a neighbour of its end is reversed. Source: L. Pósa, Hamiltonian circuits
    in random graphs, Discrete Mathematics 14, 1976.

    Parameters
    ----------
    near : mapping
        The neighbours of each vertex.
    """
    rng, path, left = random.Random(len(near)), [next(iter(near))], TURNED
    placed = {path[0]: 0}
    while left > 0:
        left -= 1
        beside = list(near[path[-1]])
        fresh = [there for there in beside if there not in placed]
        if fresh:
            on = [sum(other not in placed for other in near[there]) for there in fresh]
            following = fresh[min(range(len(fresh)), key=lambda i: (on[i], rng.random()))]
            placed[following] = len(path)
            path.append(following)
        elif len(path) == len(near) and path[0] in beside:
            return path
        elif not beside:
            break
        else:
            at = placed[rng.choice(beside)] + 1
            path[at:] = path[: at - 1 : -1]
            placed.update((switch, i) for i, switch in enumerate(path[at:], at))
            left -= len(path) - at
    return None


def tree_tour(links: FreeLinks, switches: Sequence[int]) -> list[int] | None:
    """Return the links of an Euler tour of a tree that joins switches; None if free links do not.

    It takes each link of the tree once in each direction, so it turns back at the leaves. The tree
    grows by a shortest path to the nearest switch that it lacks. Source: H. Takahashi and
    A. Matsuyama, An approximate solution for the Steiner problem in graphs, Mathematica Japonica
    24, 1980.
    """
    down: dict[int, list[int]] = {switches[0]: []}
    missing = set(switches[1:])
    while missing:
        above = dict.fromkeys(down, -1)
        queue, goal = deque(down), -1
        while queue and goal < 0:
            for link in links.of(queue.popleft()):
                both = links.free[link] and links.free[links.far[link]]
                if both and (switch := links.head(link)) not in above:
                    above[switch] = link
                    queue.append(switch)
                    goal = switch if switch in missing and goal < 0 else goal
        if goal < 0:
            return None
        path = []
        while (link := above[goal]) >= 0:
            path.append(link)
            goal = link // links.ports
        for link in reversed(path):
            down[link // links.ports].append(link)
            down[links.head(link)] = []
            missing.discard(links.head(link))
    tour: list[int] = []
    ups, stack = [], [iter(down[switches[0]])]
    while stack:
        if (link := next(stack[-1], -1)) >= 0:
            tour.append(link)
            ups.append(links.far[link])
            stack.append(iter(down[links.head(link)]))
        else:
            stack.pop()
            tour += [ups.pop()] if ups else []
    return tour


ODD = (
    *((0, 0), (1, 0), (2, 0), (2, 1), (2, 2), (1, 2), (1, 3), (2, 3)),
    *((2, 4), (1, 4), (0, 4), (0, 3), (0, 2), (1, 2), (1, 1), (0, 1)),
)
"""A ring of 16 links through 3 x 5 switches; (1, 2) is passed twice."""


def rectangle_ring(width: int, height: int) -> list[Node] | None:
    """Return the switches of a shortest ring through a rectangle at (0, 0), in order.

    With an even number of switches that is a Hamiltonian cycle. With an odd number there is none,
    for a ring changes the colour of a chessboard with every link; but one link more is enough from
    3 x 5 on, with one switch passed twice. (A 3 x 3 rectangle needs 14.)

    Parameters
    ----------
    width, height : int
        Its sides in switches.

    Returns
    -------
    list of Node, or None
        None for a single row or column, where there is no ring, and for 3 x 3.
    """
    if min(width, height) < 2 or (width, height) == (3, 3):
        return None
    if height % 2 == 0:
        return _comb(width, height)
    if width % 2 == 0 or height == 3:
        turned = rectangle_ring(height, width)
        return None if turned is None else [(y, x) for x, y in turned]
    # 3 x 5, then all columns to the east of it, then all rows to the north.
    ring = list(ODD)
    if width > 3:
        east = [(3 + y, x) for x, y in _comb(5, width - 3)]
        ring = _join(ring, east, (2, 0), (3, 0))
    if height > 5:
        north = [(x, 5 + y) for x, y in _comb(width, height - 5)]
        ring = _join(ring, north, (2, 4), (2, 5))
    return ring


def _comb(width: int, height: int) -> list[Node]:
    """Return a cycle along the bottom row, back in rows, and down the first column."""
    ring = [(x, 0) for x in range(width)]
    for y in range(1, height):
        row = range(width - 1, 0, -1) if y % 2 else range(1, width)
        ring += [(x, y) for x in row]
    return ring + [(0, y) for y in range(height - 1, 0, -1)]


def _join(ring: list[Node], other: list[Node], here: Node, there: Node) -> list[Node]:
    """Lead a ring from ``here`` over to its neighbour ``there``, round the other, and back.

    Both follow the line between them from these switches on, in one direction or the other.
    """
    place, turn = ring.index(here), other.index(there)
    x, y = ring[(place + 1) % len(ring)]
    across = x + there[0] - here[0], y + there[1] - here[1]
    other = other[turn:] + other[:turn]
    if other[-1] != across:
        other = [other[0], *other[:0:-1]]
    return [*ring[: place + 1], *other, *ring[place + 1 :]]
