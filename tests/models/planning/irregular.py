"""Random irregular networks, and what every tree on them must keep."""

import random
from collections.abc import Sequence
from typing import Any

import networkx as nx
import numpy as np
from hypothesis import strategies as st

from syncfabric.models.networks.irregular import Irregular, Link, Place
from syncfabric.models.networks.spec import GroupSpec, IrregularSpec, NetworkSpec
from syncfabric.models.planning.port_tree import PortTree


def draw_network(
    rng: random.Random, switches: int, extra: int, nodes: int, ports: int = 8
) -> Irregular:
    """Draw a tree, more links where ports are free (parallel ones too), and nodes."""
    free = {switch: rng.sample(range(ports), ports) for switch in range(switches)}
    links: list[Link] = []

    def join(a: int, b: int) -> None:
        links.append(((a, free[a].pop()), (b, free[b].pop())))

    order = rng.sample(range(switches), switches)
    for place, switch in enumerate(order[1:], start=1):
        join(
            switch, rng.choice([s for s in order[:place] if len(free[s]) > (place < switches - 1)])
        )
    for _ in range(extra):
        open_ = [switch for switch in free if len(free[switch]) > 1]
        if len(open_) > 1:
            join(*rng.sample(open_, 2))
    places = [(switch, port) for switch in free for port in free[switch]]
    chosen = rng.sample(places, min(nodes, len(places)))
    return Irregular(ports, switches, tuple(links), tuple(sorted(chosen)))


@st.composite
def clusters(draw: st.DrawFn, most: int = 24) -> tuple[Irregular, list[Place]]:
    """Any small network, and a group of it in any order."""
    rng = random.Random(draw(st.integers(0, 2**32)))
    switches = draw(st.integers(1, most))
    ports = draw(st.integers(3, 16))
    extra = draw(st.integers(0, 2 * switches))
    nodes = draw(st.integers(1, 3 * switches))
    network = draw_network(rng, switches, extra, nodes, ports)
    size = draw(st.integers(1, len(network.nodes)))
    return network, rng.sample(network.nodes, size)


def member_switches(members: Sequence[Place]) -> Any:
    return np.unique([switch for switch, _ in members])


def network_of(topology: Irregular, *groups: GroupSpec, **keys: Any) -> NetworkSpec:
    network = IrregularSpec(
        kind="irregular",
        ports=topology.ports,
        switches=topology.switches,
        links=topology.links,
        nodes=topology.nodes,
        **{"setup": "local", **keys},
    )
    return NetworkSpec(name="cluster", network=network, groups=groups)


def check_tree(topology: Irregular, tree: PortTree, members: Sequence[Place]) -> None:
    """It is a tree of links that spans the members, and each leaf has one."""
    graph: nx.Graph[int] = nx.Graph()
    graph.add_node(tree.root)
    for child, parent in tree.edges:
        place = int(np.searchsorted(tree.routers, child))
        down, up = int(tree.far_port[place]), int(tree.parent_port[place])
        assert topology.across(parent, down) == (child, up)
        between = [p for p in range(down) if (topology.across(parent, p) or (-1,))[0] == child]
        assert not between, "a lower port of the parent leads there too"
        graph.add_edge(child, parent)
    assert nx.is_tree(graph)
    assert sorted(graph) == tree.routers.tolist()
    wanted = {switch for switch, _ in members}
    assert wanted <= set(graph)
    leaves = {switch for switch, degree in graph.degree() if degree == 1} - {tree.root}
    assert leaves <= wanted
    assert tree.height == nx.eccentricity(graph, tree.root)
