"""Cuts of a network: all of them between few routers, else the best that a search finds."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.collectives.clock import tick
from syncfabric.models.collectives.topology import Topology

Masks = NDArray[np.bool_]
Values = NDArray[np.float64]

EXACT = 16
"""Routers between which all cuts are tried."""
STARTS = 6
"""Where there are more: vertices around which balls grow, and sets that a search climbs from."""
CLIMBED = 256
"""Routers up to which it climbs at all."""


@dataclass(frozen=True)
class Routers:
    """A topology without its processors: what can lie on either side of a cut.

    Processors are on the side of their switch, for their channels' cut is a count of ports.
    """

    topology: Topology
    vertices: tuple[int, ...]
    """The routers, rising."""
    home: tuple[int, ...]
    """Of each vertex: the place in ``vertices`` of itself, or of its switch."""

    @classmethod
    def of(cls, topology: Topology) -> Self:
        """Return the routers of a topology."""
        routers = tuple(v for v in range(topology.vertices) if topology.routers[v])
        place = {v: i for i, v in enumerate(routers)}
        home = tuple(
            place[v if v in place else topology.successors[v][0]] for v in range(topology.vertices)
        )
        return cls(topology, routers, home)

    @property
    def exact(self) -> bool:
        """Whether ``candidates`` yields all cuts."""
        return len(self.vertices) <= EXACT

    def channels(self) -> Values:
        """Return the channels from each router to each, of shape (routers, routers)."""
        return self.matrix(self.topology.ends)

    def matrix(self, pairs: NDArray[np.int32]) -> Values:
        """Count pairs of vertices by their routers; those of one router are left out."""
        found = np.zeros((len(self.vertices), len(self.vertices)))
        np.add.at(found, tuple(np.array(self.home)[pairs].T), 1)
        np.fill_diagonal(found, 0)
        return found

    def count(self, vertices: tuple[int, ...]) -> Values:
        """Count vertices by their routers, of shape (routers)."""
        found = np.zeros(len(self.vertices))
        for v in vertices:
            found[self.home[v]] += 1
        return found

    def side(self, mask: Masks) -> tuple[int, ...]:
        """Return the vertices of a side, processors too."""
        return tuple(v for v, place in enumerate(self.home) if mask[place])


def crossing(masks: Masks, matrix: Values) -> Values:
    """Return how much of a matrix leads out of each of many sets, of shape (masks)."""
    inside = masks.astype(matrix.dtype)
    found: Values = ((inside @ matrix) * (1 - inside)).sum(axis=1)
    return found


def candidates(routers: Routers, gain: Callable[[Masks], Values]) -> Masks:
    """Return sets of routers to cut off, of shape (sets, routers); none is empty or whole.

    Parameters
    ----------
    routers : Routers
    gain : callable
        From sets to what is sought of them, greater being better; a search climbs by it.
    """
    size = len(routers.vertices)
    if size < 2:
        return np.zeros((0, size), dtype=bool)
    if routers.exact:
        numbers = np.arange(1, 2**size - 1)
        return (numbers[:, None] >> np.arange(size) & 1).astype(bool)
    starts = np.array(list(_starts(routers)), dtype=bool)
    if size > CLIMBED:
        return starts
    # Only the best of the starts are climbed from: a climb tries every router at every turn.
    order = np.argsort(-gain(starts), kind="stable")
    climbed = [_climb(starts[i], gain) for i in order[:STARTS]]
    return np.unique(np.concatenate([starts, np.array(climbed)]), axis=0)


def _starts(routers: Routers) -> Iterator[Masks]:
    """Yield likely sets: by number, by bits of the number, and balls; then what each leaves."""
    size = len(routers.vertices)
    numbers = np.arange(size)
    sets = [numbers < size // 2, *(numbers >> bit & 1 == 1 for bit in range(size.bit_length()))]
    for width in range(2, size // 2 + 1):
        if size % width == 0:
            sets.append(numbers % width < width // 2)
            sets.append(numbers // width % 2 == 1)
    around = routers.topology.distances[np.ix_(routers.vertices, routers.vertices)]
    for centre in range(0, size, max(1, size // STARTS)):
        order = np.argsort(around[centre], kind="stable")
        for many in sorted({1, 2, 3, 4, size // 4, size // 2}):
            ball = np.zeros(size, dtype=bool)
            ball[order[:many]] = True
            sets.append(ball)
        sets += [around[centre] <= far for far in range(1, int(around[centre].max()))]
    for inside in sets:
        if 0 < inside.sum() < size:
            yield inside
            yield ~inside


def _climb(start: Masks, gain: Callable[[Masks], Values]) -> Masks:
    """Move one router at a time to the other side while that is better."""
    here, size = start.copy(), len(start)
    reached = gain(here[None])[0]
    for _ in range(size):
        tick()
        near = here[None] ^ np.eye(size, dtype=bool)
        gains = gain(near)
        gains[(near.sum(axis=1) == 0) | near.all(axis=1)] = -np.inf
        place = int(np.argmax(gains))
        if gains[place] <= reached + 1e-9:
            break
        here, reached = near[place], gains[place]
    return here


def bisection(topology: Topology) -> tuple[int | None, bool]:
    """Return the least channels, both ways, between two halves of the nodes, and if it is sure.

    With an odd number of nodes one half has one more. None if halves are found only by parting
    processors from their switch.
    """
    routers = Routers.of(topology)
    both = routers.channels() + routers.channels().T
    weight = routers.count(tuple(range(topology.nodes)))
    half = topology.nodes // 2

    def gain(masks: Masks) -> Values:
        off = np.abs(masks @ weight - topology.nodes / 2) - topology.nodes % 2 / 2
        found: Values = -crossing(masks, both) - topology.nodes * off
        return found

    sets = candidates(routers, gain)
    inside = sets @ weight
    fair = sets[(inside == half) | (inside == topology.nodes - half)]
    if not len(fair):
        return None, routers.exact
    return int(crossing(fair, both).min()), routers.exact


@dataclass(frozen=True)
class Figures:
    """A topology in numbers."""

    nodes: int
    switches: int
    channels: int
    """Directed."""
    least_degree: int
    """Channels out of a router, those to processors included."""
    greatest_degree: int
    diameter: int
    """Channels of the longest of the shortest paths between two nodes."""
    bisection: int | None
    """Channels, both ways, that must be cut to part the nodes into halves; None if no routers can
    be parted so."""
    bisection_exact: bool
    """Whether all halves were tried; else it is the least that was found."""

    def words(self) -> list[str]:
        """Return the figures as a table prints them."""
        low, high = self.least_degree, self.greatest_degree
        wide = str(self.bisection) if self.bisection_exact else f"≤ {self.bisection}"
        return [
            str(self.nodes),
            str(self.switches),
            str(self.channels),
            str(low) if low == high else f"{low}-{high}",
            str(self.diameter),
            "–" if self.bisection is None else wide,
        ]

    def to_json(self) -> dict[str, Any]:
        """Return the figures by their names."""
        return asdict(self)


def figures(topology: Topology) -> Figures:
    """Measure a topology."""
    degrees = [
        len(out)
        for out, router in zip(topology.successors, topology.routers, strict=True)
        if router
    ]
    nodes = topology.distances[: topology.nodes, : topology.nodes]
    width, exact = bisection(topology)
    return Figures(
        topology.nodes,
        topology.switches,
        len(topology.channels),
        min(degrees),
        max(degrees),
        int(nodes.max()),
        width,
        exact,
    )
