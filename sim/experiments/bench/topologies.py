"""Barriers on every topology: cycles on the RTL, groups that fit, and heights of members' trees."""

from __future__ import annotations

import random
import statistics
from collections.abc import Iterator
from itertools import product
from math import log

from syncfabric.models.networks.families import named
from syncfabric.models.networks.reader import loads
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.models.planning.btm import build_tree
from syncfabric.sim.experiments.alone import LAST, Wish, alone
from syncfabric.sim.experiments.bench.latency import latency_row
from syncfabric.sim.experiments.bench.planning import DRAWS, groups_that_fit, random_nodes
from syncfabric.sim.experiments.claim import Claim, figure
from syncfabric.sim.experiments.frame import section

TOPOLOGIES = (
    *("mesh-8x8", "torus-8x8", "mesh-4x4x4", "torus-4x4x4", "hypercube-64", "ring-64"),
    *("k-ring-64", "octagon-8x8", "amp-64", "moore-hoffman-singleton", "star-15", "complete-15"),
    *("fat-tree-4x3", "fat-octagon-64", "dragonfly-2x4x2"),
)
"""Of some 64 nodes, or as many as a router has ports for."""
GRIDS = (
    *("mesh-8x8", "mesh-32x32", "mesh-4x4x4", "mesh-8x8x8", "mesh-16x16x16", "mesh-6x6x6x6"),
    *("torus-8x8", "torus-32x32", "torus-8x8x8", "torus-16x16x16", "ring-64"),
    *("hypercube-64", "hypercube-512", "hypercube-4096"),
)
LATE: Wish = ("late", 200)
SHARES = (1, 4, 16)
"""Members of a grid: all, and one of so many, drawn."""


def network_of(topology: str, **keys: str | int) -> MessageSpec:
    """Return a network with the topology of a name, without packets unless ``keys`` say so."""
    given = {"channels": 0, "setup": "local", **keys}
    lines = [f"{key} = {value!r}" for key, value in given.items() if value != ""]
    head = f'name = "figure"\n[network]\nkind = "irregular"\ntopology = "{topology}"\n'
    return loads(head + "\n".join(lines) + "\n").message_network


@section
def topology_barriers() -> Iterator[Claim]:
    """Barriers on topologies, all nodes, each last once: least / median / greatest (cycles)."""
    for name in TOPOLOGIES:
        network = network_of(name)
        nodes = len(network.topology.graph.nodes)
        group, (last, late) = alone(network, asked=[("", LAST), ("", LATE)])
        yield latency_row(f"{name}, {nodes} nodes", group, [last])
        words = f"{name}, the others long before: greatest, bound if nothing waits"
        same = late.worst == group.bound_least
        yield figure(words, f"{late.worst}", f"= {group.bound_least}", same)
        wired, (there,) = alone(network_of(name, wires=1), asked=[("", LATE)])
        words = f"{name}, on wires, the others long before: greatest, bound"
        yield figure(words, f"{there.worst}", f"= {wired.bound}", there.worst == wired.bound)
        if named(name).grid and network.topology.graph.own:
            routed = network_of(name, transport="routed", channels="")
            yield latency_row(f"{name}, {nodes} nodes, btm", *alone(routed))


@section
def topology_groups() -> Iterator[Claim]:
    """Groups on topologies: of 8 to 64 random members, those that fit in 16 entries a router."""
    for name in TOPOLOGIES:
        graph = network_of(name).topology.graph
        draw = random_nodes(8, 64, len(graph.nodes))
        found = [groups_that_fit(graph, draw, seed) for seed in range(DRAWS)]
        measured = f"{statistics.median(found):g} (least {min(found)}, of {DRAWS} draws)"
        yield figure(f"{name}, {len(graph.nodes)} nodes", measured)


@section
def btm_heights() -> Iterator[Claim]:
    """Heights of btm's trees on topologies: all members, one in 4, one in 16; and log2n of them."""
    for name in GRIDS:
        grid = named(name).grid
        assert grid
        places = [place[::-1] for place in product(*map(range, grid.sides[::-1]))]
        heights, ideal = [], []
        for share in SHARES:
            rng, count = random.Random(share), max(1, len(places) // share)
            trees = [build_tree(rng.sample(places, count), grid).height for _ in range(DRAWS)]
            heights.append(f"{statistics.median(trees):g}")
            ideal.append(f"{log(count, 2 * len(grid.sides)):.1f}")
        words = f"{name}, {len(places):,} nodes: log{2 * len(grid.sides)} {' / '.join(ideal)}"
        yield figure(words, " / ".join(heights))
