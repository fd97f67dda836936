"""Planner ``ring``: a closed trail over directed links, past all members, as short as can be found.

Source: paper Reflex, section III (switches joined to a ring by their routes). The paper joins the
switches of all cores, which takes a Hamiltonian cycle. Here a ring may pass switches of others,
and a switch several times; it takes a link once at most, and never turns back at a switch, where
no output can be fed from its own side.

A ring through a full rectangle is written down. Any other is grown and mended; then a linear
program says how long it must be at least, and on small meshes a search whether it can be shorter.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from syncfabric.models.networks.mesh import Mesh, Node, Port
from syncfabric.models.planning.mesh_links import MeshLinks, Routes, link_numbers, port_to
from syncfabric.models.planning.ring_grow import grow, shake
from syncfabric.models.planning.ring_model import RingModel

__all__ = ["Least", "Ring", "best_ring", "least_by_shape", "rectangle_ring", "ring_beside"]

SHAKES = 300
"""Pieces that are torn out of a ring and mended; fewer of a long one."""
SHAKEN = 40_000
"""Links of the ring, added up over these times."""
RELAXED_LIMIT = 400
"""Switches for which the linear program is solved: 20 x 20."""
SEARCH_LIMIT = 64
"""Switches among which a shorter ring is searched for: 8 x 8."""
DENSE = 2
"""Switches for each member up to which the ring of their whole rectangle is tried."""
EVEN = 1e-6
"""What a bound may be too high by rounding, before it is made even."""


class Least(NamedTuple):
    """A length that no ring of the members goes below, and how that is known.

    ``by`` is ``"sides"``: a ring goes round their rectangle; ``"colours"``: it passes the two
    colours of a chessboard in turn; ``"relaxation"``: by the linear program; or ``"search"``: by a
    search through all shorter rings.
    """

    links: int
    by: str


class Ring(NamedTuple):
    """The switches that a ring passes, in order, and the least length that one could have.

    ``through_cores`` puts every member's core in the way, over the same links: switches copy flits
    and cannot combine them, so a reduction is a token that goes from core to core.

    Source: paper Reflex, section III; section VI names reductions as future work.
    """

    switches: list[Node]
    least: Least
    through_cores: bool = False

    @property
    def root(self) -> Node:
        """The first switch."""
        return self.switches[0]

    @property
    def length(self) -> int:
        """Links; none of a single member's."""
        return len(self.switches) if len(self.switches) > 1 else 0

    @property
    def radius(self) -> int:
        """The way round."""
        return self.length

    @property
    def height(self) -> None:
        """None: it is no tree."""

    @property
    def ring(self) -> list[Node]:
        """The switches that it passes; none of a single member's."""
        return self.switches[: self.length]

    @property
    def edges(self) -> None:
        """None: it is no tree."""

    @property
    def excess(self) -> int:
        """Links more than the least."""
        return self.length - self.least.links

    def links(self, mesh: Mesh) -> list[int]:
        """Return its links, by their numbers in ``MeshLinks``, the last one back to the first."""
        return link_numbers(mesh, self._hops())

    def routes(self, members: Iterable[Node]) -> Routes:
        """Return the routes of the ring: its root's core sends, and listens at the end.

        Any other member listens where the ring comes to it first.
        """
        routes: Routes = {}
        heard: dict[Node, Port] = {}
        source = Port.LOCAL
        for switch, after in self._hops():
            routes[(*switch, port_to(switch, after))] = source
            source = port_to(after, switch)
            heard.setdefault(after, source)
        if not self.length:
            return {}
        heard[self.root] = source
        for x, y in members:
            entry = routes[x, y, Port.LOCAL] = heard[x, y]
            if self.through_cores and (x, y) != self.root:
                onward = (p for p in Port if p != Port.LOCAL and routes.get((x, y, p)) == entry)
                routes[x, y, next(onward)] = Port.LOCAL
        return routes

    def _hops(self) -> Iterable[tuple[Node, Node]]:
        """Yield each switch with the next, the last with the first."""
        return pairwise([*self.switches, self.root]) if self.length else ()

    def turned(self, members: Sequence[Node]) -> Ring:
        """Return the ring from its root on: the member behind the longest way without another.

        So the release, which the root sends and the last member reads, has the least way to go. Of
        several, the root is the first in ``members``.
        """
        switches, count = self.switches, self.length
        order = {member: place for place, member in enumerate(members)}
        seen = Counter[Node]()
        last, missing = -1, len(members)
        best = count, 0, 0
        # The shortest stretch from each switch on that passes all members: both ends only move on.
        for first, switch in enumerate(switches):
            while missing and last < first + count - 1:
                last += 1
                passed = switches[last % count]
                if passed in order:
                    missing -= not seen[passed]
                    seen[passed] += 1
            if switch in order:
                best = min(best, (last - first, order[switch], first))
                seen[switch] -= 1
                missing += not seen[switch]
        return self._replace(switches=[*switches[best[2] :], *switches[: best[2]]])


class _Rectangle(NamedTuple):
    corner: Node
    width: int
    height: int


def least_by_shape(members: Collection[Node]) -> Least:
    """Return what the places of two members or more say of the least length."""
    box = _box(members)
    sides = 2 * (max(1, box.width - 1) + max(1, box.height - 1))
    dark = sum((x + y) % 2 for x, y in members)
    colours = 2 * max(dark, len(members) - dark)
    return Least(colours, "colours") if colours > sides else Least(sides, "sides")


def best_ring(mesh: Mesh, members: Sequence[Node]) -> Ring | None:
    """Return the shortest ring that is found where all links are free.

    Parameters
    ----------
    mesh : Mesh
    members : sequence of Node
        Two or more.

    Returns
    -------
    Ring or None
        None on a mesh of one row or column alone, where there is no ring.
    """
    if min(mesh.width, mesh.height) < 2:
        return None
    least, box = least_by_shape(members), _box(members)
    known = []
    if DENSE * len(members) >= box.width * box.height:
        whole = rectangle_ring(box.width, box.height)
        known = [Ring(_moved(whole, box.corner), least)] if whole else []
    if known and len(members) == box.width * box.height:
        return known[0]
    numbers = [mesh.index(member) for member in members]
    trail = grow(MeshLinks(mesh), numbers, [ring.links(mesh) for ring in known])
    if trail is None:
        return None
    if len(trail) == least.links:
        return Ring(trail.links.switches(trail.way), least)
    region = _region(mesh, box, len(trail) - 2)
    size = region.width * region.height
    model = None
    if size <= RELAXED_LIMIT:
        model = _model(region, members)
        bound = min(len(trail), 2 * math.ceil(min(model.relaxed(), len(trail)) / 2 - EVEN))
        least = max(least, Least(bound, "relaxation"), key=lambda known: known.links)
    shake(trail, min(SHAKES, SHAKEN // len(trail)), least.links)
    if model is None or size > SEARCH_LIMIT or len(trail) == least.links:
        return Ring(trail.links.switches(trail.way), least)
    way, sure = model.shorter(len(trail) - 2)
    switches = trail.links.switches(trail.way)
    if way is not None:
        inner = Mesh(region.width, region.height)
        switches = _moved(MeshLinks(inner).switches(way), region.corner)
    return Ring(switches, Least(len(switches), "search") if sure else least)


def ring_beside(
    mesh: Mesh, members: Sequence[Node], taken: Collection[int], alone: Ring, shakes: int
) -> Ring | None:
    """Return a ring that takes no link that others have taken, or None.

    Parameters
    ----------
    mesh : Mesh
    members : sequence of Node
        Two or more.
    taken : collection of int
        Links, by their numbers in ``MeshLinks``.
    alone : Ring
        What ``best_ring`` found: it is taken if it is free, one way round or the other.
    shakes : int
        How often a piece of another is torn out and mended.
    """
    for ring in (alone, Ring(alone.switches[::-1], alone.least)):
        if not set(ring.links(mesh)) & set(taken):
            return ring
    trail = grow(MeshLinks(mesh, taken), [mesh.index(member) for member in members])
    if trail is None:
        return None
    shake(trail, shakes, alone.least.links)
    return Ring(trail.links.switches(trail.way), alone.least)


def _box(members: Collection[Node]) -> _Rectangle:
    """Return the smallest rectangle that holds the members."""
    x, y = [x for x, _ in members], [y for _, y in members]
    return _Rectangle((min(x), min(y)), max(x) - min(x) + 1, max(y) - min(y) + 1)


def _region(mesh: Mesh, box: _Rectangle, most: int) -> _Rectangle:
    """Return the rectangle that no ring of at most ``most`` links through the box leaves.

    A ring that goes d links beyond a side is longer than the way round the box by 2 d at least.
    """
    spare = most // 2 - (box.width - 1) - (box.height - 1)
    (x, y) = box.corner
    left, low = max(0, x - spare), max(0, y - spare)
    right = min(mesh.width, x + box.width + spare)
    high = min(mesh.height, y + box.height + spare)
    return _Rectangle((left, low), right - left, high - low)


def _model(region: _Rectangle, members: Sequence[Node]) -> RingModel:
    """Return the rings through members that stay within a region."""
    mesh, (left, low) = Mesh(region.width, region.height), region.corner
    return RingModel(MeshLinks(mesh), [mesh.index((x - left, y - low)) for x, y in members])


def _moved(switches: Iterable[Node], by: Node) -> list[Node]:
    return [(x + by[0], y + by[1]) for x, y in switches]


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

    Both follow the line between them from these switches on, one way or the other.
    """
    place, turn = ring.index(here), other.index(there)
    x, y = ring[(place + 1) % len(ring)]
    across = x + there[0] - here[0], y + there[1] - here[1]
    other = other[turn:] + other[:turn]
    if other[-1] != across:
        other = [other[0], *other[:0:-1]]
    return [*ring[: place + 1], *other, *ring[place + 1 :]]
