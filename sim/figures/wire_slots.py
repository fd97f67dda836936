"""Barrier wires planned: bounds, groups that fit into slots, and the time it takes."""

import random
import statistics
import time
from collections.abc import Callable, Iterator

from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.networks.spec import GroupSpec, MeshSpec
from syncfabric.models.planning.links.slots import plan_on_wires
from syncfabric.sim.figures.row import Row

__all__ = ["wire_slots"]

SLOTS = 8
MOST = 256
DRAWS = 7
BOUNDS = {8: 18, 16: 34, 64: 130}

Draw = Callable[[random.Random, int], tuple[int, ...]]
"""Draws the routers of a group on a mesh of a side."""


def wire_slots() -> Iterator[Row]:
    """Barrier wire slots: bounds, and how many groups fit."""
    for side, bound in BOUNDS.items():
        network = MeshSpec(kind="mesh", width=side, height=side, wires=1)
        everyone = GroupSpec(id=1, members=tuple(network.mesh.nodes), planner="wires")
        begin = time.perf_counter()
        ((plan,), _) = plan_on_wires(network, [everyone])
        seconds = time.perf_counter() - begin
        yield Row(
            f"{side}x{side}, all members: bound",
            f"{plan.bound} ({seconds:.2f} s)",
            str(bound),
            plan.bound == bound,
        )
    for words, side, draw, least in (
        ("random, 8 to 64 members", 8, _spread(8, 64), 8),
        ("random, 2 to 8 members", 8, _spread(2, 8), 10),
        ("random, 2 to 8 members", 16, _spread(2, 8), 10),
        ("compact, 2 to 8 members", 16, _compact, 113),
    ):
        found = statistics.median(_most(draw, side, seed) for seed in range(DRAWS))
        yield Row(
            f"{side}x{side}, {words}: groups that fit {SLOTS} slots, median of {DRAWS}",
            f"{found:g}",
            f">= {least}",
            found >= least,
        )


def _most(draw: Draw, side: int, seed: int) -> int:
    """Return how many of a row of random groups fit: by doubling, then by halving the step."""
    rng = random.Random(seed)
    network = MeshSpec(kind="mesh", width=side, height=side, wires=SLOTS)
    groups = [
        GroupSpec(id=gid, members=tuple(map(network.mesh.node, draw(rng, side))), planner="wires")
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


def _spread(least: int, most: int) -> Draw:
    def draw(rng: random.Random, side: int) -> tuple[int, ...]:
        return tuple(rng.sample(range(side * side), min(side * side, rng.randint(least, most))))

    return draw


def _compact(rng: random.Random, side: int) -> tuple[int, ...]:
    """Draw a group that grows from a node by neighbors of what it has."""
    mesh = Mesh(side, side)
    size, nodes = rng.randint(2, 8), [rng.choice(mesh.nodes)]
    while len(nodes) < size:
        x, y = rng.choice(nodes)
        near = rng.choice([(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)])
        if mesh.contains(near) and near not in nodes:
            nodes.append(near)
    return tuple(map(mesh.index, nodes))
