"""Verilog and plans of large networks: seconds, how they grow, and how many groups fit."""

import random
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import log

import numpy as np

from syncfabric.models.networks.families import named
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.kinds import MESSAGE_PLANNERS
from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.networks.random_network import RandomNetwork, draw_network
from syncfabric.models.networks.reader import load
from syncfabric.models.networks.spec import GroupSpec, IrregularSpec, MeshSpec
from syncfabric.models.planning import deadlock
from syncfabric.models.planning.btm import build_tree
from syncfabric.models.planning.least_radius import centre_of
from syncfabric.models.planning.planners import plan_on_wires
from syncfabric.models.planning.ring import Ring, best_ring
from syncfabric.models.planning.spread import CrowdedError, Wanted, spread
from syncfabric.sim.assemble.network import verilog
from syncfabric.sim.drive.backends import plan_of
from syncfabric.sim.experiments.bench.measures import (
    TOPOLOGIES,
    at_least,
    at_most,
    below,
    mesh,
    network_of,
    timed,
)
from syncfabric.sim.experiments.claim import Claim, figure
from syncfabric.sim.experiments.frame import section

SIZES = (1_000, 10_000, 100_000)
"""Switches of irregular networks."""


@section
def verilog_size() -> Iterator[Claim]:
    """Verilog of whole networks."""
    sizes: dict[int, int] = {}
    for side in (4, 8, 16, 32, 64):
        text, seconds = timed(verilog, mesh(side, side, {}), "mesh")
        sizes[side] = len(text)
        words = f"{side}x{side}: {sizes[side] / 1e6:.2f} MB"
        yield below(words, seconds, 15 if side == 32 else None, 1)
    growth = (sizes[32] - sizes[16]) / (sizes[16] - sizes[8])
    yield at_most("growth 16x16 to 32x32 over 8x8 to 16x16", growth, 4.2, f"{growth:.2f}")


@section
def planning() -> Iterator[Claim]:
    """Planning all members of a mesh."""
    for side in (64, 256, 1024):
        network = mesh(side, side, {"flit_bits": 64})
        _, seconds = timed(plan_of, network, tuple(network.topology.nodes))
        words = f"{side}x{side}, {side * side:,} members"
        yield below(words, seconds, 10 if side == 1024 else None, 2)


@section
def irregular_planning() -> Iterator[Claim]:
    """Planning a group of a random irregular network, 8 ports, three nodes a switch."""
    seconds: dict[tuple[int, str], float] = {}
    for switches in SIZES:
        network = _network(switches, 3 * switches)
        some = tuple(random.Random(1).sample(network.nodes, 64))
        for group, members in (("64 members", some), ("all members", network.nodes)):
            for planner in MESSAGE_PLANNERS["link"]:
                name = f"{group}, {planner}"
                plan, taken = timed(plan_of, network, members, planner)
                seconds[switches, name] = taken
                words = f"{switches:,} switches, {3 * switches:,} nodes, {name}"
                limit = 60 if switches == SIZES[-1] else None
                yield below(f"{words} (height {plan.groups[0].height})", taken, limit, 2)
    before, last = SIZES[-2:]
    for name in [name for switches, name in seconds if switches == last]:
        grown = seconds[last, name] / seconds[before, name]
        yield figure(f"growth from {before:,} to {last:,} switches, {name}", f"{grown:.1f} times")
    plan = plan_of(_network(300, 1_024), planner="btin")
    _, checked = timed(deadlock.check, plan)
    yield below("300 switches: tables made and checked for deadlock", checked, 5, 2)


def _network(switches: int, nodes: int) -> IrregularSpec:
    """Draw a network whose nodes and links take three of four ports."""
    drawn = RandomNetwork(switches=switches, nodes=nodes, connectivity=0.75, seed=1)
    topology, _ = draw_network(drawn, 8)
    return IrregularSpec(
        kind="irregular",
        ports=8,
        switches=switches,
        links=topology.links,
        nodes=topology.nodes,
        setup="local",  # trees of more switches than a manager's command can ask
    )


SPARSE = (4, 8, 16, 32)


@section
def ring_planning() -> Iterator[Claim]:
    """Rings through members: links, against the least that they could have."""
    for width, height in ((3, 3), (5, 5), (7, 5), (15, 15), (8, 8), (32, 32), (64, 64)):
        mesh = Mesh(width, height)
        ring, seconds = timed(best_ring, mesh.graph, mesh.nodes)
        assert ring is not None
        yield figure(
            f"{width}x{height}, all members: links, least, seconds",
            f"{ring.length}, {ring.least.links} by {ring.least.by}, {seconds:.2f}",
        )
    rng = random.Random(1)
    for side, draws in ((8, 50), (16, 10)):
        mesh = Mesh(side, side)
        for size in SPARSE:
            sparse = [
                timed(best_ring, mesh.graph, rng.sample(mesh.nodes, size)) for _ in range(draws)
            ]
            mean = sum(seconds for _, seconds in sparse) / draws
            words = _gaps([ring for ring, _ in sparse if ring is not None])
            yield figure(
                f"{side}x{side}, {size} members, {draws} draws", f"{words}, {mean:.2f} s each"
            )


def _gaps(rings: list[Ring]) -> str:
    proved = sum(not ring.excess for ring in rings)
    gap = sum(ring.excess for ring in rings) / sum(ring.least.links for ring in rings)
    return f"{proved} proved shortest, mean gap {gap:.1%}"


SLOTS = 8
MOST = 256
DRAWS = 7
BOUNDS = {8: 18, 16: 34, 64: 130}

Draw = Callable[[random.Random], Sequence[int]]
"""Draws the nodes of a group."""


@section
def wire_slots() -> Iterator[Claim]:
    """Barrier wire slots: bounds, and how many groups fit."""
    for side, bound in BOUNDS.items():
        network = mesh(side, side, {"wires": 1})
        everyone = GroupSpec(id=1, members=tuple(network.topology.nodes), planner="wires")
        (((plan,), _), seconds) = timed(plan_on_wires, network, [everyone])
        words = f"{plan.bound} ({seconds:.2f} s)"
        yield figure(f"{side}x{side}, all members: bound", words, str(bound), plan.bound == bound)
    for words, side, draw, least in (
        ("random, 8 to 64 members", 8, random_nodes(8, 64, 64), 8),
        ("random, 2 to 8 members", 8, random_nodes(2, 8, 64), 10),
        ("random, 2 to 8 members", 16, random_nodes(2, 8, 256), 10),
        ("compact, 2 to 8 members", 16, _compact_on_mesh(16), 113),
    ):
        found = statistics.median(_most(draw, side, seed) for seed in range(DRAWS))
        what = f"{side}x{side}, {words}: groups that fit {SLOTS} slots, median of {DRAWS}"
        yield at_least(what, found, least, f"{found:g}")


def _most(draw: Draw, side: int, seed: int) -> int:
    """Return how many of a row of random groups fit: by doubling, then by halving the step."""
    rng = random.Random(seed)
    network = mesh(side, side, {"wires": SLOTS})
    groups = [
        GroupSpec(id=gid, members=tuple(map(network.topology.node, draw(rng))), planner="wires")
        for gid in range(MOST)
    ]

    def fit(count: int) -> bool:
        return not plan_on_wires(network, groups[:count])[1]

    fits, step = SLOTS, SLOTS
    while fits + step <= MOST and fit(fits + step):
        fits, step = fits + step, 2 * step
    while step := step // 2:
        if fits + step <= MOST and fit(fits + step):
            fits += step
    return fits


def random_nodes(least: int, most: int, nodes: int) -> Draw:
    """Return what draws so many nodes."""
    return lambda rng: rng.sample(range(nodes), min(nodes, rng.randint(least, most)))


def _compact_on_mesh(side: int) -> Draw:
    """Draw a group that grows from a node by neighbors of what it has."""
    mesh = Mesh(side, side)

    def draw(rng: random.Random) -> Sequence[int]:
        size, nodes = rng.randint(2, 8), [rng.choice(mesh.nodes)]
        while len(nodes) < size:
            x, y = rng.choice(nodes)
            near = rng.choice([(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)])
            if mesh.contains(near) and near not in nodes:
                nodes.append(near)
        return tuple(map(mesh.index, nodes))

    return draw


ENTRIES = 16
PART = 32


@section
def capacity() -> Iterator[Claim]:
    """Capacity: groups whose link trees fit in 16 entries a router."""
    for name, graph in _graphs():
        nodes = len(graph.nodes)
        for words, draw in (
            ("random, 2 to 8 members", random_nodes(2, 8, nodes)),
            ("random, 8 to 64 members", random_nodes(8, 64, nodes)),
            ("compact, 2 to 8 members", _compact(graph)),
        ):
            yield _fitting(f"{name}, {words}", graph, draw)


@section
def topology_groups() -> Iterator[Claim]:
    """Groups on topologies: of 8 to 64 random members, those that fit in 16 entries a router."""
    for name in TOPOLOGIES:
        graph = network_of(name).topology.graph
        nodes = len(graph.nodes)
        yield _fitting(f"{name}, {nodes} nodes", graph, random_nodes(8, 64, nodes))


def _fitting(words: str, graph: Irregular, draw: Draw) -> Claim:
    found = [groups_that_fit(graph, draw, seed) for seed in range(DRAWS)]
    return figure(words, f"{statistics.median(found):g} (least {min(found)}, of {DRAWS} draws)")


def _graphs() -> Iterator[tuple[str, Irregular]]:
    for side in (8, 16):
        network = MeshSpec(kind="mesh", transport="link", width=side, height=side)
        yield f"{side}x{side}", network.topology.graph
    cluster = load("cluster-75").network.topology
    assert isinstance(cluster, Irregular)
    yield "cluster-75", cluster


def groups_that_fit(graph: Irregular, draw: Draw, seed: int) -> int:
    """Return how many of a row of drawn groups fit, to some 3 %, by halving.

    More are not tried than have members at each router for its entries, and trees that together,
    each alone, take no more entries than there are.
    """
    rng = random.Random(seed)
    wanted: list[Wanted] = []
    left, members = ENTRIES * len(graph), Counter[int]()
    while left > 0 and max(members.values(), default=0) <= ENTRIES:
        wanted.append(_wanted(graph, len(wanted), draw(rng)))
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


def _wanted(graph: Irregular, group: int, nodes: Sequence[int]) -> Wanted:
    members = tuple(sorted({graph.node(node)[0] for node in nodes}))
    return Wanted(group, members, centre_of(graph, np.array(members)))


def _compact(graph: Irregular) -> Draw:
    """Draw a group on routers that grow from one by neighbours of what it has."""
    at: dict[int, list[int]] = {}
    for node, (router, _) in enumerate(graph.nodes):
        at.setdefault(router, []).append(node)

    def draw(rng: random.Random) -> Sequence[int]:
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

    return draw


GRIDS = (
    *("mesh-8x8", "mesh-32x32", "mesh-4x4x4", "mesh-8x8x8", "mesh-16x16x16", "mesh-6x6x6x6"),
    *("torus-8x8", "torus-32x32", "torus-8x8x8", "torus-16x16x16", "ring-64"),
    *("hypercube-64", "hypercube-512", "hypercube-4096"),
)
SHARES = (1, 4, 16)
"""Members of a grid: all, and one of so many, drawn."""


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
