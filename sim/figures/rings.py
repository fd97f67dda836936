"""Rings and trees of the static network (paper Reflex): cycles, lengths, and simulation."""

import random
import time
from collections.abc import Iterator

from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.networks.reader import load
from syncfabric.models.networks.spec import (
    AnySpec,
    GroupSpec,
    MeshSpec,
    NetworkSpec,
    StaticSpec,
)
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.models.planning.ring import Ring, best_ring
from syncfabric.sim.drive.run import run
from syncfabric.sim.drive.scenario import Job, Scenario
from syncfabric.sim.drive.tiles import simulate_tiles
from syncfabric.sim.fabric import build_fabric
from syncfabric.sim.figures.cache import empty_cache
from syncfabric.sim.figures.row import Row

__all__ = ["ring_planning", "static_latency", "static_speed"]

SIDES = (2, 4, 8, 16)
PLANNERS: dict[str, dict[str, object]] = {
    "ring": {"kind": "static"},
    "tree": {"kind": "static"},
    "shortest": {"kind": "mesh"},
    "wires": {"kind": "mesh", "wires": 1},
}
"""By planner: the network's keys beside its sides; the last two are in routers."""
EACH_LATE = 64
"""Cores up to which each is late once."""
JITTERS = (50, 200, 1000)
SPARSE = (4, 8, 16, 32)


def static_latency() -> Iterator[Row]:
    """Barriers on a static network, rings and trees, and in routers, all cores (cycles)."""
    for side in SIDES:
        for planner, keys in PLANNERS.items():
            kind = StaticSpec if keys["kind"] == "static" else MeshSpec
            network = kind.model_validate({"width": side, "height": side, **keys})
            yield from _barriers(network, side, planner)


def _barriers(network: AnySpec, side: int, planner: str) -> Iterator[Row]:
    """Measure all cores' barriers by one planner."""
    plan, wishes = _plan(network, planner), _wishes(side * side)
    runs = tuple((plan, scenario) for scenario in wishes.values())
    outcomes = simulate_tiles(Job(runs), build_fabric(network)).outcomes
    for (words, scenario), outcome in zip(wishes.items(), outcomes, strict=True):
        if outcome.hang or outcome.mismatches:
            raise RuntimeError(f"{side}x{side}, {planner}: {outcome.hang or 'mismatch'}")
        # The first of those back to back follows none.
        latency = outcome.groups[0].latency[scenario.policy == "back_to_back" :]
        worst, bound = max(latency), plan.groups[0].bound
        assert bound is not None
        yield Row(f"{side}x{side}, {planner}, {words}", str(worst), f"<= {bound}", worst <= bound)


def _wishes(cores: int) -> dict[str, Scenario]:
    """Return who arrives when, in words and as scenarios; each member is late once."""
    wishes = {
        "all together": Scenario(episodes=1, policy="together"),
        "back to back": Scenario(episodes=16, policy="back_to_back"),
    }
    if cores <= EACH_LATE:
        for late in JITTERS:
            wishes[f"one late by {late}, the worst"] = Scenario(
                episodes=cores, policy="late", jitter=late
            )
    return wishes


def ring_planning() -> Iterator[Row]:
    """Rings through members: links, against the least that they could have."""
    for width, height in ((3, 3), (5, 5), (7, 5), (15, 15), (8, 8), (32, 32), (64, 64)):
        mesh = Mesh(width, height)
        begin = time.perf_counter()
        ring = best_ring(mesh, mesh.nodes)
        seconds = time.perf_counter() - begin
        assert ring is not None
        yield Row(
            f"{width}x{height}, all members: links, least, seconds",
            f"{len(ring.switches)}, {ring.least.links} by {ring.least.by}, {seconds:.2f}",
        )
    rng = random.Random(1)
    for side, draws in ((8, 50), (16, 10)):
        mesh = Mesh(side, side)
        for size in SPARSE:
            begin = time.perf_counter()
            rings = [best_ring(mesh, rng.sample(mesh.nodes, size)) for _ in range(draws)]
            seconds = (time.perf_counter() - begin) / draws
            yield Row(f"{side}x{side}, {size} members, {draws} draws", _gaps(rings, seconds))


def static_speed() -> Iterator[Row]:
    """Simulation of a 64-core ring under Verilator."""
    plan = make_plan(load("reflex-8x8"))
    with empty_cache():
        result = run(plan, episodes=1000)
    if not result.ok:
        raise RuntimeError(result.reason)
    seconds = result.seconds.build + result.seconds.run
    yield Row("1,000 episodes, build included", f"{seconds:.0f} s", "< 60 s", seconds < 60)
    yield Row("the build alone, nothing cached", f"{result.seconds.build:.0f} s")
    yield Row(
        "cycles a second, compared in every cycle", f"{result.cycles / result.seconds.run:,.0f}"
    )


def _plan(network: AnySpec, planner: str) -> BarrierPlan:
    group = GroupSpec(id=1, members=tuple(network.topology.nodes), planner=planner)
    return make_plan(NetworkSpec(name="figure", network=network, groups=(group,)))


def _gaps(rings: list[Ring | None], seconds: float) -> str:
    known = [ring for ring in rings if ring is not None]
    proved = sum(not ring.excess for ring in known)
    gap = sum(ring.excess for ring in known) / sum(ring.least.links for ring in known)
    return f"{proved} proved shortest, mean gap {gap:.1%}, {seconds:.2f} s each"
