"""Planner ``ring``: a closed trail over directed links, past all members, as short as can be found.

Source: paper Reflex, section III (switches joined to a ring by their routes). The paper joins the
switches of all cores, which takes a Hamiltonian cycle. Here a ring may pass switches of others,
and a switch several times; it takes a directed link once at most. On a mesh it never turns back at
a switch, where no output can be fed from its own side; on any other graph it may.

A ring through a full rectangle of a mesh is written down. On another graph a Hamiltonian cycle
through the members is looked for; and the tour of a tree that joins them, each link once in each
direction, is a ring that there always is. Any other ring is grown and mended; then a linear
program says how long it must be at least, and on small graphs a search whether it can be shorter.
"""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from syncfabric.models.networks.grid import Grid
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.mesh import Mesh, Node
from syncfabric.models.planning.free_links import FreeLinks, Output, Routes
from syncfabric.models.planning.ring_grow import grow, shake
from syncfabric.models.planning.ring_model import RingModel

__all__ = [
    "Least",
    "Ring",
    "best_ring",
    "least_by_shape",
    "rectangle_ring",
    "ring_beside",
    "ring_of",
]

SHAKES = 300
"""Pieces that are torn out of a ring and mended; fewer of a long one."""
SHAKEN = 40_000
"""Links of the ring, added up over these times."""
RELAXED_LIMIT = 4800
"""Steps from link to link for which the linear program is solved: those of a 20 x 20 mesh."""
SEARCH_LIMIT = 768
"""Steps among which a shorter ring is searched for: those of an 8 x 8 mesh."""
DENSE = 2
"""Switches for each member up to which the ring of their whole rectangle is tried."""
EVEN = 1e-6
"""What a bound may be too high by rounding, before it is made whole."""
TURNED = 400_000
"""Switches of paths that are turned around in search of a Hamiltonian cycle."""


class Least(NamedTuple):
    """A length that no ring of the members goes below, and how that is known.

    ``by`` is ``"sides"``: a ring goes round their rectangle; ``"distance"``: it goes to the
    farthest and back; ``"colours"``: it passes the two colours of a chessboard, or of another
    graph whose links join two, in turn; ``"members"``: it passes the switch of each;
    ``"relaxation"``: by the linear program; or ``"search"``: by a search through all shorter rings.
    """

    links: int
    by: str


class Ring(NamedTuple):
    """The outputs that a ring leaves switches by, in order, and the least length of one.

    It begins at the switch of the member ``root``. ``through_cores`` puts every member's core in
    the way, over the same links: switches copy flits and cannot combine them, so a reduction is a
    token that goes from core to core.

    Source: paper Reflex, section III; section VI names reductions as future work.
    """

    graph: Irregular
    root: Node
    outputs: list[Output]
    least: Least
    through_cores: bool = False

    @property
    def length(self) -> int:
        """Links between switches; none where all members are at one."""
        return len(self.outputs)

    @property
    def radius(self) -> int:
        """The way round."""
        return self.length

    @property
    def height(self) -> None:
        """None: it is no tree."""

    @property
    def ring(self) -> list[int]:
        """The switches that it passes; none where it has no link."""
        return [switch for switch, _ in self.outputs]

    @property
    def edges(self) -> None:
        """None: it is no tree."""

    @property
    def excess(self) -> int:
        """Links more than the least."""
        return self.length - self.least.links

    def routes(self, members: Iterable[Node]) -> Routes:
        """Return the routes of the ring: its root's core sends, and listens at the end.

        Any other member listens where the ring comes to it first.
        """
        others: defaultdict[int, list[int]] = defaultdict(list)
        home, source = own = self.graph.seat(self.root)
        for member in members:
            switch, port = self.graph.seat(member)
            others[switch] += [port] * ((switch, port) != own)
        if not (self.outputs or others[home]):
            return {}
        heard, routes, onward = {home: source}, Routes(), dict[Output, int]()
        for switch, port in [*self.outputs, own]:
            routes[switch, port] = source
            onward.setdefault((switch, source), port)
            far = self.graph.across(switch, port)
            if far is not None and (switch, port) != own:
                source = far[1]
                heard.setdefault(*far)
        for switch, ports in others.items():
            source = heard[switch]
            for port in ports:
                routes[switch, port] = source
                source = port if self.through_cores else source
            routes[switch, onward[switch, heard[switch]]] = source
        return routes

    def turned(self, members: Sequence[Node]) -> Ring:
        """Return the ring from its root on: the member behind the longest way without another.

        So the release, which the root sends and the last member reads, has the least way to go. Of
        several, the root is the first in ``members``.
        """
        switches, count = self.ring, self.length
        if not count:
            return self._replace(root=members[0])
        order: dict[int, int] = {}
        for place, member in enumerate(members):
            order.setdefault(self.graph.seat(member)[0], place)
        seen = Counter[int]()
        last, missing = -1, len(order)
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
        outputs = [*self.outputs[best[2] :], *self.outputs[: best[2]]]
        return self._replace(root=members[best[1]], outputs=outputs)


def ring_of(graph: Irregular, switches: Sequence[int]) -> list[Output]:
    """Return the outputs of a ring by its switches; of several links the one of lowest port."""
    here = np.array(switches, dtype=np.int64)
    ports, _ = graph.ports_between(here, np.roll(here, -1))
    return list(zip(switches, ports.tolist(), strict=True))


class _Rectangle(NamedTuple):
    corner: Node
    width: int
    height: int


def least_by_shape(graph: Irregular, members: Collection[int]) -> Least:
    """Return what the places of two members' switches or more say of the least length."""
    found = []
    if graph.columns:
        box = _box(graph, members)
        found.append(Least(2 * (max(1, box.width - 1) + max(1, box.height - 1)), "sides"))
    else:
        # The member farthest from the one that is farthest from any.
        far, here = 0, next(iter(members))
        for _ in range(2):
            level = graph.levels(here)
            here = max(members, key=lambda switch: (level[switch], switch))
            far = int(level[here])
        found.append(Least(2 * far, "distance"))
    if graph.colours is None:
        found.append(Least(len(members), "members"))
    else:
        dark = int(graph.colours[list(members)].sum())
        found.append(Least(2 * max(dark, len(members) - dark), "colours"))
    return max(found, key=lambda least: least.links)


def best_ring(graph: Irregular, members: Sequence[Node]) -> Ring | None:
    """Return the shortest ring that is found where all links are free.

    Parameters
    ----------
    graph : Irregular
    members : sequence of Node
        Two or more.

    Returns
    -------
    Ring or None
        None on a mesh of one row or column alone, where there is no ring.
    """
    if graph.columns and min(graph.columns, graph.switches // graph.columns) < 2:
        return None
    switches = _switches(graph, members)
    if len(switches) == 1:
        return Ring(graph, members[0], [], Least(0, "members"))
    links, least = FreeLinks(graph), least_by_shape(graph, switches)
    made, known = Ring(graph, members[0], [], least), list(_known(links, switches, least.links))
    if known and len(known[0]) == least.links:
        return made._replace(outputs=links.outputs(known[0]))
    trail = grow(links, switches, known)
    if trail is None:
        return None
    if len(trail) == least.links:
        return made._replace(outputs=links.outputs(trail.way))
    region = _Region.of(graph, switches, len(trail) - 2)
    even, model = 1 + (graph.colours is not None), None
    if region.steps <= RELAXED_LIMIT:
        model = RingModel(FreeLinks(region.graph), region.inner(switches))
        relaxed = min(model.relaxed(), len(trail))
        bound = min(len(trail), even * math.ceil(relaxed / even - EVEN))
        least = max(least, Least(bound, "relaxation"), key=lambda known: known.links)
    shake(trail, min(SHAKES, SHAKEN // len(trail)), least.links)
    made = made._replace(outputs=links.outputs(trail.way), least=least)
    if model is None or region.steps > SEARCH_LIMIT or len(trail) == least.links:
        return made
    way, sure = model.shorter(len(trail) - even)
    if way is not None:
        outputs = FreeLinks(region.graph).outputs(way)
        ports = [port for _, port in outputs]
        switches = region.outer([switch for switch, _ in outputs])
        made = made._replace(outputs=list(zip(switches, ports, strict=True)))
    return made._replace(least=Least(made.length, "search")) if sure else made


def ring_beside(
    members: Sequence[Node], taken: Collection[Output], alone: Ring, shakes: int
) -> Ring | None:
    """Return a ring that takes no link that others have taken, or None.

    Parameters
    ----------
    members : sequence of Node
        Two or more.
    taken : collection of Output
        Links, by where they leave.
    alone : Ring
        What ``best_ring`` found: it is taken if it is free, one way round or the other.
    shakes : int
        How often a piece of another is torn out and mended.
    """
    graph = alone.graph
    across = (graph.across(*output) for output in reversed(alone.outputs))
    for outputs in (alone.outputs, [end for end in across if end is not None]):
        if not set(outputs) & set(taken):
            return alone._replace(outputs=outputs)
    links, switches = FreeLinks(graph, taken), _switches(graph, members)
    trail = grow(links, switches, list(_known(links, switches, alone.least.links, beside=True)))
    if trail is None:
        return None
    shake(trail, shakes, alone.least.links)
    return alone._replace(outputs=links.outputs(trail.way))


def _switches(graph: Irregular, members: Sequence[Node]) -> list[int]:
    """Return the switches of members, each once, in their order."""
    return list(dict.fromkeys(graph.seat(member)[0] for member in members))


def _known(
    links: FreeLinks, switches: Sequence[int], least: int, *, beside: bool = False
) -> Iterator[list[int]]:
    """Yield rings that need not be grown: of a rectangle, or a Hamiltonian cycle and a tour."""
    graph = links.graph
    if graph.columns:
        box = _box(graph, switches)
        dense = DENSE * len(switches) >= box.width * box.height
        if not beside and dense and (whole := rectangle_ring(box.width, box.height)):
            numbers = (y * graph.columns + x for x, y in _moved(whole, box.corner))
            yield [links.ports * s + p for s, p in ring_of(graph, list(numbers))]
    else:
        cycle = None
        if graph.grid and len(switches) == graph.switches and not beside:
            cycle = _snake(links, graph.grid)
        if (cycle is None or len(cycle) > len(switches)) and least <= len(switches):
            cycle = _cycle(links, switches) or cycle
        yield from (way for way in (cycle, _tour(links, switches)) if way)


def _snake(links: FreeLinks, grid: Grid) -> list[int] | None:
    """Return a shortest ring through a whole mesh or torus: its first side by all others in turn.

    These are gone through as by a snake, so they are the other side of a rectangle. None: it has
    one dimension, or three by three switches.
    """
    rest: list[tuple[int, ...]] = [()]
    for side in grid.sides[1:]:
        rest = [(*at, x) for x in range(side) for at in (rest if x % 2 == 0 else rest[::-1])]
    ring = rectangle_ring(grid.sides[0], len(rest))
    numbers = [grid.router((x, *rest[y])) for x, y in ring or ()]
    outputs = ring_of(links.graph, [number for number in numbers if number is not None])
    return [links.ports * switch + port for switch, port in outputs] or None


def _cycle(links: FreeLinks, switches: Sequence[int]) -> list[int] | None:
    """Look for a Hamiltonian cycle over free links between these switches; return its links.

    A path goes on to the neighbour with the fewest ways on. Where there is none, what is behind a
    neighbour of its end is turned around. Source: L. Pósa, Hamiltonian circuits in random graphs,
    Discrete Mathematics 14, 1976.
    """
    wanted = set(switches)
    near = {
        here: {links.head(out): out for out in reversed(links.of(here)) if links.free[out]}
        for here in switches
    }
    near = {here: {t: out for t, out in ways.items() if t in wanted} for here, ways in near.items()}
    rng, path, left = random.Random(len(switches)), [switches[0]], TURNED
    placed = {switches[0]: 0}
    while left > 0:
        left -= 1
        ways = list(near[path[-1]])
        fresh = [there for there in ways if there not in placed]
        if fresh:
            on = [sum(other not in placed for other in near[there]) for there in fresh]
            following = fresh[min(range(len(fresh)), key=lambda i: (on[i], rng.random()))]
            placed[following] = len(path)
            path.append(following)
        elif len(path) == len(switches) and path[0] in ways:
            ring = zip(path, [*path[1:], path[0]], strict=True)
            return [near[here][there] for here, there in ring]
        elif not ways:
            break
        else:
            at = placed[rng.choice(ways)] + 1
            path[at:] = path[: at - 1 : -1]
            placed.update((switch, i) for i, switch in enumerate(path[at:], at))
            left -= len(path) - at
    return None


def _tour(links: FreeLinks, switches: Sequence[int]) -> list[int] | None:
    """Return the links of a tour of a tree that joins switches; None: free links join them not.

    It takes each link of the tree once in each direction, so it turns back at the leaves. The tree
    takes in one after another what is nearest to it. Source: H. Takahashi and A. Matsuyama, An
    approximate solution for the Steiner problem in graphs, Mathematica Japonica 24, 1980.
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
    way: list[int] = []
    ups, stack = [], [iter(down[switches[0]])]
    while stack:
        if (link := next(stack[-1], -1)) >= 0:
            way.append(link)
            ups.append(links.far[link])
            stack.append(iter(down[links.head(link)]))
        else:
            stack.pop()
            way += [ups.pop()] if ups else []
    return way


def _box(graph: Irregular, switches: Collection[int]) -> _Rectangle:
    """Return the smallest rectangle of a mesh that holds the switches."""
    x, y = [s % graph.columns for s in switches], [s // graph.columns for s in switches]
    return _Rectangle((min(x), min(y)), max(x) - min(x) + 1, max(y) - min(y) + 1)


class _Region(NamedTuple):
    """A part of a graph that no ring of some length leaves: of a mesh a rectangle, else all."""

    graph: Irregular
    steps: int
    corner: Node = (0, 0)
    columns: int = 0

    @classmethod
    def of(cls, graph: Irregular, switches: Sequence[int], most: int) -> _Region:
        """Return the region of rings of at most ``most`` links.

        A ring that goes d links beyond a side is longer than the way round the box by 2 d at least.
        """
        if not graph.columns:
            return cls(graph, int((graph.degree**2).sum()))
        box, rows = _box(graph, switches), graph.switches // graph.columns
        spare = most // 2 - (box.width - 1) - (box.height - 1)
        (x, y) = box.corner
        left, low = max(0, x - spare), max(0, y - spare)
        width = min(graph.columns, x + box.width + spare) - left
        height = min(rows, y + box.height + spare) - low
        steps = 12 * width * height
        inner = Mesh(width, height).graph if steps <= RELAXED_LIMIT else graph
        return cls(inner, steps, (left, low), graph.columns)

    def inner(self, switches: Iterable[int]) -> list[int]:
        """Return the switches' numbers in the region."""
        (left, low), columns, inner = self.corner, self.columns, self.graph.columns
        if not columns:
            return list(switches)
        return [(s // columns - low) * inner + s % columns - left for s in switches]

    def outer(self, switches: Iterable[int]) -> list[int]:
        """Return the numbers of the region's switches; the inverse of ``inner``."""
        (left, low), columns, inner = self.corner, self.columns, self.graph.columns
        if not columns:
            return list(switches)
        return [(s // inner + low) * columns + s % inner + left for s in switches]


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
