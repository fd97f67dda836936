"""The network of routers that is a topology, and routes through it, that no barrier keeps apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import networkx as nx

from syncfabric.models.collectives.schedule import Transfer
from syncfabric.models.collectives.topology import Topology
from syncfabric.models.errors import SpecError
from syncfabric.models.networks.irregular import Irregular, Link, Place
from syncfabric.models.networks.spec import GroupSpec, IrregularSpec, NetworkSpec
from syncfabric.models.planning.updown import updown_tables

FLIT_BITS = 32
"""Of a flit, and of its data; a flit is wider where a route is."""
MOST_FLIT_BITS = 128
CYCLES_PER_HOP = 1
BUFFER_FLITS = 4
"""So many that a packet that is alone never waits for a credit."""
MOST_PORTS = 16


class Route(NamedTuple):
    """A route from a port of a processor to a port of another."""

    ports: tuple[int, ...]
    """The output port at each switch; the last leads to the receiver."""
    links: tuple[int, ...]
    """All links by number, the sender's first; see ``sim/assemble/links.py``."""


@dataclass(frozen=True)
class ReplayFabric:
    """A topology in switches.

    Every vertex with a router is a switch of its own; the ports of a processor are nodes there.

    Parameters
    ----------
    irregular : Irregular
        Switches, links and nodes.
    switch_of : tuple of int, by vertex
        The switch that it is, or that it is behind.
    first : tuple of int, by node of the topology, and one more
        The number of its first port among the nodes of the network; the others follow.
    """

    topology: Topology
    irregular: Irregular
    switch_of: tuple[int, ...]
    first: tuple[int, ...]

    @cached_property
    def processors(self) -> tuple[int, ...]:
        """The node of the topology that each node of the network is a port of."""
        counts = enumerate(b - a for a, b in pairwise(self.first))
        return tuple(node for node, count in counts for _ in range(count))

    @cached_property
    def vertex(self) -> tuple[int, ...]:
        """The vertex of each switch."""
        routers = [v for v in range(self.topology.vertices) if self.topology.routers[v]]
        return tuple(routers)

    def spec(self, channels: int, flit_bits: int = FLIT_BITS) -> NetworkSpec:
        """Return the network, with a group of all processors on links of their own."""
        irregular = self.irregular
        network = IrregularSpec(
            kind="irregular",
            transport="link",
            ports=irregular.ports,
            switches=irregular.switches,
            links=irregular.links,
            nodes=irregular.nodes,
            flit_bits=flit_bits,
            data_bits=0,
            buffer_flits=BUFFER_FLITS,
            channels=channels,
            groups=1,
            routing="source",
            setup="local",
        )
        members = tuple(irregular.nodes[first] for first in self.first[:-1])
        return NetworkSpec(
            name="replay", network=network, groups=(GroupSpec(id=1, members=members),)
        )

    def route(self, path: Sequence[int], source: int, target: int) -> Route:
        """Return the route along a path of the topology, between nodes of the network."""
        switches = [self.switch_of[v] for v in path if self.topology.routers[v]]
        if not switches:  # between two processors behind one switch
            switches = [self.switch_of[path[0]]]
        return self.along(switches, source, target)

    def along(self, switches: Sequence[int], source: int, target: int) -> Route:
        """Return the route along switches, between nodes of the network."""
        last = self.irregular.nodes[target]
        ports = [self._ports[pair] for pair in pairwise(switches)] + [last[1]]
        k = self.irregular.ports
        first = self.irregular.switches * k + source
        links = [k * switch + port for switch, port in zip(switches, ports, strict=True)]
        return Route(tuple(ports), (first, *links))

    def between(self, link: int) -> tuple[int, int]:
        """Return where a link leads from and to; a vertex twice is the port of its processor."""
        k, processors = self.irregular.ports, self.processors
        switch, port = divmod(link, k)
        if switch >= self.irregular.switches:
            node = link - k * self.irregular.switches
            return processors[node], self.vertex[self.irregular.nodes[node][0]]
        across = self.irregular.across(switch, port)
        if across is not None:
            return self.vertex[switch], self.vertex[across[0]]
        at = self.irregular.node_at(switch, port)
        assert at is not None
        return self.vertex[switch], processors[at]

    @cached_property
    def _ports(self) -> dict[tuple[int, int], int]:
        """The port of a switch that leads to another."""
        links = self.irregular.links
        return {(a[0], b[0]): a[1] for link in links for a, b in (link, link[::-1])}


def fabric_of(topology: Topology, ports: Sequence[int]) -> ReplayFabric:
    """Build a topology from switches.

    Parameters
    ----------
    ports : sequence of int, by node of the topology
        Ports of each processor.

    Raises
    ------
    SpecError
        A switch would have more ports than switches can have.
    """
    routers = [v for v in range(topology.vertices) if topology.routers[v]]
    number = {vertex: switch for switch, vertex in enumerate(routers)}
    switch_of = tuple(
        number[v] if v in number else number[topology.successors[v][0]]
        for v in range(topology.vertices)
    )
    taken = [0] * len(routers)

    def place(switch: int) -> Place:
        taken[switch] += 1
        return switch, taken[switch] - 1

    joined = sorted({(min(a, b), max(a, b)) for a, b in topology.channels})
    links: list[Link] = []
    for a, b in joined:
        if a in number and b in number:
            links.append((place(number[a]), place(number[b])))
    nodes: list[Place] = []
    first = [0]
    for node, count in enumerate(ports):
        nodes += [place(switch_of[node]) for _ in range(count)]
        first.append(len(nodes))
    widest = max(range(len(routers)), key=lambda switch: taken[switch])
    if taken[widest] > MOST_PORTS:
        vertex = routers[widest]
        kind = "node" if vertex < topology.nodes else "switch"
        own = sum(1 for switch, _ in nodes if switch == widest)
        raise SpecError(
            f"topology {topology.name}: {kind} {vertex} needs a switch of {taken[widest]} ports, "
            f"{taken[widest] - own} to others and {own} for what it sends and receives, but "
            f"switches have {MOST_PORTS} at most; schedule with fewer ports"
        )
    irregular = Irregular(max(2, taken[widest]), len(routers), tuple(links), tuple(nodes))
    return ReplayFabric(topology, irregular, switch_of, tuple(first))


MOST_CHANNELS = 4


def layers_of(routes: Sequence[Sequence[int]], most: int) -> list[int | None]:
    """Return the layer of each route, of links by number; None where all would have a cycle.

    In a layer's graph a link leads to the links that its packets may wait for.
    """
    layers: list[nx.DiGraph[int]] = [nx.DiGraph() for _ in range(most)]
    found: dict[tuple[int, ...], int | None] = {}
    for route in map(tuple, routes):
        if route not in found:
            fits = (number for number, layer in enumerate(layers) if _takes(layer, route))
            found[route] = next(fits, None)
    return [found[tuple(route)] for route in routes]


def _takes(layer: nx.DiGraph[int], route: Sequence[int]) -> bool:
    """Take a route into a layer, unless it closes a cycle."""
    added: list[tuple[int, int]] = []
    for a, b in pairwise(route):
        if layer.has_edge(a, b):
            continue
        if a in layer and b in layer and nx.has_path(layer, b, a):
            layer.remove_edges_from(added)
            return False
        layer.add_edge(a, b)
        added.append((a, b))
    return True


Ends = tuple[int, int]
"""The nodes of the network that a packet goes from and to."""


class FreeRoutes(NamedTuple):
    """Routes that cannot deadlock, message by message, and the virtual channel of each."""

    routes: list[Route]
    channels: list[int]
    rerouted: int
    """How many are not the schedule's."""


def free_routes(fabric: ReplayFabric, routes: Sequence[Route], ends: Sequence[Ends]) -> FreeRoutes:
    """Find virtual channels for routes; up/down routes for those that would need too many.

    Raises
    ------
    SpecError
        Up/down routes are needed, and a channel leads in one direction only.
    """
    between = [route.links[1:-1] for route in routes]
    layers = layers_of(between, MOST_CHANNELS)
    if None not in layers:
        return FreeRoutes(list(routes), [layer or 0 for layer in layers], 0)
    number = fabric.topology.number
    if any((b, a) not in number for a, b in number):
        raise SpecError(
            f"topology {fabric.topology.name}: without barriers its messages need more than "
            f"{MOST_CHANNELS} virtual channels on these paths, or channels that all lead both "
            "ways, for up/down routes"
        )
    # One channel is kept for the others, whose routes need no second.
    layers = layers_of(between, MOST_CHANNELS - 1)
    tables = updown_tables(fabric.irregular).tolist()
    found = [
        route if layer is not None else _by_tables(fabric, tables, *pair)
        for route, layer, pair in zip(routes, layers, ends, strict=True)
    ]
    channels = [MOST_CHANNELS - 1 if layer is None else layer for layer in layers]
    return FreeRoutes(found, channels, layers.count(None))


def _by_tables(
    fabric: ReplayFabric, tables: Sequence[Sequence[int]], source: int, target: int
) -> Route:
    here, end = (fabric.irregular.nodes[node][0] for node in (source, target))
    switches = [here]
    while here != end:
        across = fabric.irregular.across(here, tables[here][end])
        assert across is not None
        here = across[0]
        switches.append(here)
    return fabric.along(switches, source, target)


def at_once(
    fabric: ReplayFabric, transfers: Sequence[Transfer], routes: Sequence[Route]
) -> tuple[list[int], list[Ends], list[tuple[int, ...]]]:
    """Return how nodes send that know no schedule: each to the next ones by number first.

    Its ports take messages by turns, and so do those of its receivers.

    Returns
    -------
    order, ends, ports : list
        Which messages, in that order; from and to which nodes of the network each, and the output
        port at each switch.
    """
    count, first = fabric.topology.nodes, fabric.first
    order = sorted(
        range(len(transfers)),
        key=lambda n: ((transfers[n].path[-1] - transfers[n].path[0]) % count, n),
    )
    turns: tuple[Counter[int], Counter[int]] = Counter(), Counter()
    ends: list[Ends] = []
    for number in order:
        path, places = transfers[number].path, list[int]()
        for node, turn in zip((path[0], path[-1]), turns, strict=True):
            places.append(first[node] + turn[node] % (first[node + 1] - first[node]))
            turn[node] += 1
        ends.append((places[0], places[1]))
    ports = [
        (*routes[number].ports[:-1], fabric.irregular.nodes[target][1])
        for number, (_, target) in zip(order, ends, strict=True)
    ]
    return order, ends, ports
