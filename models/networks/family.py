"""A family of topologies, and one of them by its name: nodes, switches and links, and as routers.

What the families are: ``families.py``, and the entry points ``syncfabric.topologies`` of other
packages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.grid import Grid
from syncfabric.models.networks.irregular import Irregular, Link

MOST_PORTS = 16
"""Ports of the greatest router that can be built, its process's among them."""

Graph = tuple[int, int, Iterable[tuple[int, int]]]
"""Nodes, switches, and the links between them; switches are numbered after nodes."""


Point = tuple[float, float]

_PARTS = {
    "graph": "nodes, switches and links, as (2, 0, [(0, 1)])",
    "nodes": "a whole number",
    "grid": "a Grid",
    "places": "coordinates of nodes and switches, as [(0, 0), (0, 1)]",
}


def checked_part(name: str, made: Any) -> Any:
    """Return what a function of another package's family returned, if it is what it must be.

    Raises
    ------
    TypeError
        It is not.
    """
    match name, made:
        case "graph", (int(nodes), int(switches), Iterable() as links):
            every = tuple(links)
            if all(isinstance(x, tuple) and [*map(type, x)] == [int, int] for x in every):
                return nodes, switches, every
        case ("nodes", int()) | ("grid", Grid()) | ("allowed", _):
            return made
        case "places", Iterable():
            places = tuple(made)
            if all(isinstance(x, tuple) and len(x) == 2 for x in places):
                return places
    raise TypeError(f"{name} must return {_PARTS[name]}")


@dataclass(frozen=True)
class Family:
    """Topologies that differ in size.

    Parameters
    ----------
    example : str
        The name of one of them.
    text : str
        What they are.
    graph : callable
        From the numbers of the size to nodes, switches and links. If there are switches, each node
        is behind one of them: it has one link, ``(node, switch)``.
    size : str
        What the numbers must be, as a user reads it; empty if the name has none.
    allowed : callable
        Whether it can be made of these numbers.
    nodes : callable
        How many nodes it then has.
    grid : callable, optional
        The coordinates of its routers, if they have any; links lead up.
    places : callable, optional
        Where pictures have all nodes and switches, neighbours at least 1 apart; by default as the
        grid says, or as they find best.
    """

    example: str
    text: str
    graph: Callable[..., Graph]
    size: str = ""
    allowed: Callable[..., bool] = lambda: True
    nodes: Callable[..., int] = lambda *numbers: prod(numbers)
    grid: Callable[..., Grid] | None = None
    places: Callable[..., Iterable[Point]] | None = None

    def make(self, name: str, *numbers: int) -> NamedTopology:
        """Return one of them."""
        nodes, switches, links = self.graph(*numbers)
        grid = self.grid(*numbers) if self.grid else None
        places = self.places(*numbers) if self.places else grid.drawn() if grid else ()
        return NamedTopology(name, nodes, switches, tuple(links), grid, tuple(places))


@dataclass(frozen=True)
class NamedTopology:
    """One of a family.

    Parameters
    ----------
    name : str
    nodes, switches : int
    links : tuple of (int, int)
    grid : Grid or None
        Of its routers: the switches, or the nodes if there are none.
    places : tuple of (x, y)
        Of nodes and switches in pictures, or none.
    """

    name: str
    nodes: int
    switches: int
    links: tuple[tuple[int, int], ...]
    grid: Grid | None = None
    places: tuple[Point, ...] = ()

    @property
    def first(self) -> int:
        """The vertex that is router 0."""
        return self.nodes if self.switches else 0

    @cached_property
    def router_links(self) -> tuple[Link, ...]:
        """The links between routers, by the grid's ports, or the lowest ones in their order."""
        taken: Counter[int] = Counter()
        links: list[Link] = []
        for a, b in ((a - self.first, b - self.first) for a, b in self.links if a >= self.first):
            ends = self.grid.ends(a, b) if self.grid else (taken[a], taken[b])
            links.append(((a, ends[0]), (b, ends[1])))
            taken.update((a, b))
        return tuple(links)

    def network(
        self,
        per_switch: int | None = None,
        ports: int | None = None,
        interfaces: bool | None = None,
    ) -> Irregular:
        """Return its routers, links and nodes.

        Parameters
        ----------
        per_switch : int, optional
            Nodes at each router where it is a node itself; by default 1.
        ports : int, optional
            Of every router; by default as many as are needed.
        interfaces : bool, optional
            Nodes are at the far end of a link, in the ports after those of links between routers;
            else in the routers, at the last port. By default only where some router has not
            exactly one node.

        Raises
        ------
        SpecError
            Routers have too few ports, ``per_switch`` is for a topology that says itself where
            nodes are, or nodes cannot be in the routers.
        """
        subject = f"network: topology {self.name}"
        routers, links = self.switches or self.nodes, self.router_links
        if self.switches and per_switch is not None:
            raise SpecError(f"{subject} says itself where nodes are; remove nodes_per_switch")
        homes = [r for r in range(routers) for _ in range(per_switch or 1)]
        if self.switches:
            homes = [switch - self.first for node, switch in sorted(self.links)[: self.nodes]]
        used = Counter(end[0] for link in links for end in link)
        if self.grid:
            used = Counter(dict.fromkeys(range(routers), self.grid.ports))
        nodes = []
        for home in homes:
            nodes.append((home, used[home]))
            used[home] += 1
        ((widest, most),) = used.most_common(1)
        if most > (ports or MOST_PORTS):
            remedy = f"set ports = {most}, or leave it out"
            if most > MOST_PORTS:
                remedy = f"at most {MOST_PORTS} can be built"
            raise SpecError(
                f"{subject}: switch {widest} needs {most} ports for its links and nodes, more than"
                f" {ports or MOST_PORTS}; {remedy}"
            )
        network = Irregular(ports or most, routers, links, tuple(nodes), family=self.name)
        if interfaces is None:
            interfaces = homes != [*range(routers)]
        return network if interfaces else network.inside()
