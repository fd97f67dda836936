"""How many groups a network of engines takes before some router has no entry left."""

import random
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.reader import load
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.planning.links.graph import LinkGraph
from syncfabric.models.planning.links.least_radius import centre_of
from syncfabric.models.planning.links.spread import CrowdedError, Wanted, spread
from syncfabric.sim.figures.row import Row

__all__ = ["capacity"]

ENTRIES = 16
PART = 32
DRAWS = 7

Draw = Callable[[random.Random, LinkGraph], Sequence[int]]
"""Draws the nodes of a group."""


def capacity() -> Iterator[Row]:
    """Capacity: groups whose link trees fit in 16 entries a router."""
    for name, graph in _graphs():
        for words, draw in (
            ("random, 2 to 8 members", _random(2, 8)),
            ("random, 8 to 64 members", _random(8, 64)),
            ("compact, 2 to 8 members", _compact),
        ):
            found = [groups_that_fit(graph, draw, seed) for seed in range(DRAWS)]
            median = statistics.median(found)
            measured = f"{median:g} (least {min(found)}, of {DRAWS} draws)"
            yield Row(f"{name}, {words}", measured)


def _graphs() -> Iterator[tuple[str, LinkGraph]]:
    for side in (8, 16):
        mesh = MeshSpec(kind="mesh", transport="link", width=side, height=side)
        yield f"{side}x{side}", LinkGraph.of(mesh)
    cluster = load("cluster-75").network.topology
    assert isinstance(cluster, Irregular)
    yield "cluster-75", LinkGraph(cluster)


def groups_that_fit(graph: LinkGraph, draw: Draw, seed: int) -> int:
    """Return how many of a row of drawn groups fit, to some 3 %, by halving.

    More are not tried than have members at each router for its entries, and trees that together,
    each alone, take no more entries than there are.
    """
    rng = random.Random(seed)
    wanted: list[Wanted] = []
    left, members = ENTRIES * len(graph), Counter[int]()
    while left > 0 and max(members.values(), default=0) <= ENTRIES:
        wanted.append(_wanted(graph, len(wanted), draw(rng, graph)))
        (alone,) = spread(graph, wanted[-1:], ENTRIES).values()
        left -= len(alone.routers)
        members.update(wanted[-1].members)

    def fit(count: int) -> bool:
        try:
            spread(graph, wanted[:count], ENTRIES)
        except CrowdedError:
            return False
        return True

    least, most = min(ENTRIES, len(wanted)), len(wanted)
    while most - least > max(1, least // PART):
        middle = (least + most) // 2
        least, most = (middle, most) if fit(middle) else (least, middle)
    return least


def _wanted(graph: LinkGraph, group: int, nodes: Sequence[int]) -> Wanted:
    members = tuple(sorted({graph.place(node)[0] for node in nodes}))
    return Wanted(group, members, centre_of(graph.switches, np.array(members)))


def _random(least: int, most: int) -> Draw:
    def draw(rng: random.Random, graph: LinkGraph) -> Sequence[int]:
        nodes = range(len(graph.topology.nodes))
        return rng.sample(nodes, min(len(nodes), rng.randint(least, most)))

    return draw


def _compact(rng: random.Random, graph: LinkGraph) -> Sequence[int]:
    """Draw a group on routers that grow from one by neighbours of what it has."""
    at: dict[int, list[int]] = {}
    for node, (router, _) in enumerate(graph.topology.nodes):
        at.setdefault(router, []).append(node)
    size, routers = rng.randint(2, 8), [rng.choice(sorted(at))]
    nodes = [rng.choice(at[routers[0]])]
    while len(nodes) < size:
        router = rng.choice(graph.near[rng.choice(routers)])
        node = rng.choice(at.get(router, [nodes[0]]))
        if router not in routers:
            routers.append(router)
        if node not in nodes:
            nodes.append(node)
    return nodes
