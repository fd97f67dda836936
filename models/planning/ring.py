"""Planner ``ring``: a closed path over directed links, past all members, as short as can be found.

Source: paper Reflex, section III (switches joined to a ring by their routes). The paper joins the
switches of all cores, which takes a Hamiltonian cycle. Here a ring may pass switches of others,
and a switch several times; it takes a directed link once at most. On a mesh it never turns back at
a switch, where no output can be fed from its own side; on any other graph it may.

It begins with a ring by construction (``ring_construct``), or is grown, and is mended
(``ring_grow``). Then a linear program says how long a ring must be at least, and on small graphs a
search whether it can be shorter (``ring_model``).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.mesh import Mesh, Node
from syncfabric.models.planning.free_links import FreeLinks, Output, Routes
from syncfabric.models.planning.ring_construct import Rectangle, known_rings
from syncfabric.models.planning.ring_grow import grow, shake

SHAKES = 300
"""Pieces that are torn out of a ring and mended; fewer of a long one."""
SHAKEN = 40_000
"""Links of the ring, added up over these times."""
RELAXED_LIMIT = 4800
"""Steps from link to link for which the linear program is solved: those of a 20 x 20 mesh."""
SEARCH_LIMIT = 768
"""Steps among which a shorter ring is searched for: those of an 8 x 8 mesh."""
EVEN = 1e-6
"""What a bound may be too high by rounding, before it is made whole."""


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
    the path, over the same links: switches copy flits and cannot combine them, so a reduction is a
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
        """Links all around."""
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
        home, source = own = self.graph.port_of(self.root)
        for member in members:
            switch, port = self.graph.port_of(member)
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
        """Return the ring from its root on: the member behind the longest path without another.

        So the release, which the root sends and the last member reads, has the least path to go. Of
        several, the root is the first in ``members``.
        """
        switches, count = self.ring, self.length
        if not count:
            return self._replace(root=members[0])
        order: dict[int, int] = {}
        for place, member in enumerate(members):
            order.setdefault(self.graph.port_of(member)[0], place)
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


def least_by_shape(graph: Irregular, members: Collection[int]) -> Least:
    """Return what the places of two members' switches or more say of the least length."""
    found = []
    if graph.columns:
        box = Rectangle.around(graph, members)
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
    made = Ring(graph, members[0], [], least)
    known = list(known_rings(links, switches, least.links))
    if known and len(known[0]) == least.links:
        return made._replace(outputs=links.outputs(known[0]))
    grown = grow(links, switches, known)
    if grown is None:
        return None
    if len(grown) == least.links:
        return made._replace(outputs=links.outputs(grown.path))
    region = _Region.of(graph, switches, len(grown) - 2)
    even, model = 1 + (graph.colours is not None), None
    if region.steps <= RELAXED_LIMIT:
        # scipy takes a while to import, which other planners need not wait for.
        from syncfabric.models.planning.ring_model import RingModel

        model = RingModel(FreeLinks(region.graph), region.inner(switches))
        relaxed = min(model.relaxed(), len(grown))
        bound = min(len(grown), even * math.ceil(relaxed / even - EVEN))
        least = max(least, Least(bound, "relaxation"), key=lambda known: known.links)
    shake(grown, min(SHAKES, SHAKEN // len(grown)), least.links)
    made = made._replace(outputs=links.outputs(grown.path), least=least)
    if model is None or region.steps > SEARCH_LIMIT or len(grown) == least.links:
        return made
    path, sure = model.shorter(len(grown) - even)
    if path is not None:
        outputs = FreeLinks(region.graph).outputs(path)
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
        What ``best_ring`` found: it is taken if it is free, in one direction or the other.
    shakes : int
        How often a piece of another is torn out and mended.
    """
    graph = alone.graph
    across = (graph.across(*output) for output in reversed(alone.outputs))
    for outputs in (alone.outputs, [end for end in across if end is not None]):
        if not set(outputs) & set(taken):
            return alone._replace(outputs=outputs)
    links, switches = FreeLinks(graph, taken), _switches(graph, members)
    known = list(known_rings(links, switches, alone.least.links, beside=True))
    grown = grow(links, switches, known)
    if grown is None:
        return None
    shake(grown, shakes, alone.least.links)
    return alone._replace(outputs=links.outputs(grown.path))


def _switches(graph: Irregular, members: Sequence[Node]) -> list[int]:
    """Return the switches of members, each once, in their order."""
    return list(dict.fromkeys(graph.port_of(member)[0] for member in members))


class _Region(NamedTuple):
    """A part of a graph that no ring of some length leaves: of a mesh a rectangle, else all."""

    graph: Irregular
    steps: int
    corner: Node = (0, 0)
    columns: int = 0

    @classmethod
    def of(cls, graph: Irregular, switches: Sequence[int], most: int) -> _Region:
        """Return the region of rings of at most ``most`` links.

        A ring that goes d links beyond a side is at least 2 d longer than the path round the box.
        """
        if not graph.columns:
            return cls(graph, int((graph.degree**2).sum()))
        box, rows = Rectangle.around(graph, switches), graph.switches // graph.columns
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
