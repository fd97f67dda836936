"""Barriers, rings and collectives of the static network (paper Reflex)."""

from __future__ import annotations

import random
from collections.abc import Iterator

from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.networks.reader import load
from syncfabric.models.networks.spec import MeshSpec, StaticSpec
from syncfabric.models.planning.plan import make_plan
from syncfabric.models.planning.ring import Ring, best_ring
from syncfabric.sim.drive.backends import measure, measure_runs, plan_of
from syncfabric.sim.drive.run import run
from syncfabric.sim.drive.scenario import Policy, Scenario
from syncfabric.sim.drive.static.operations import FROM_ROOT, KINDS, Collective, bound_of
from syncfabric.sim.experiments.bench.measures import at_most, below, empty_cache, timed
from syncfabric.sim.experiments.claim import Claim, figure
from syncfabric.sim.experiments.frame import section
from syncfabric.sim.experiments.papers.reflex_barriers import Barrier

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


@section
def static_latency() -> Iterator[Claim]:
    """Barriers on a static network, rings and trees, and in routers, all cores (cycles)."""
    for side in SIDES:
        wishes = _wishes(side * side)
        for planner, keys in PLANNERS.items():
            kind = StaticSpec if keys["kind"] == "static" else MeshSpec
            network = kind.model_validate({"width": side, "height": side, **keys})
            plan = plan_of(network, planner=planner)
            bound = plan.groups[0].bound
            assert bound is not None
            outcomes = measure(plan, wishes.values())
            for (words, scenario), outcome in zip(wishes.items(), outcomes, strict=True):
                # The first of those back to back follows none.
                worst = max(outcome.groups[0].latency[scenario.policy == "back_to_back" :])
                yield at_most(f"{side}x{side}, {planner}, {words}", worst, bound)


def _wishes(cores: int) -> dict[str, Scenario]:
    """Return who arrives when, in words and as scenarios; each member is late once."""
    wishes = {
        "all together": Scenario(episodes=1, policy="together"),
        "back to back": Scenario(episodes=16, policy="back_to_back"),
    }
    if cores <= EACH_LATE:
        for late in JITTERS:
            scenario = Scenario(episodes=cores, policy="late", jitter=late)
            wishes[f"one late by {late}, the worst"] = scenario
    return wishes


@section
def static_speed() -> Iterator[Claim]:
    """Simulation of a 64-core ring under Verilator."""
    plan = make_plan(load("reflex-8x8"))
    with empty_cache():
        result = run(plan, episodes=1000)
    if not result.ok:
        raise RuntimeError(result.reason)
    build, ran = result.seconds.build, result.seconds.run
    yield below("1,000 episodes, build included", build + ran, 60)
    yield below("the build alone, nothing cached", build, None)
    yield figure("cycles a second, compared in every cycle", f"{result.cycles / ran:,.0f}")


@section
def ring_planning() -> Iterator[Claim]:
    """Rings through members: links, against the least that they could have."""
    for width, height in ((3, 3), (5, 5), (7, 5), (15, 15), (8, 8), (32, 32), (64, 64)):
        mesh = Mesh(width, height)
        ring, seconds = timed(best_ring, mesh, mesh.nodes)
        assert ring is not None
        yield figure(
            f"{width}x{height}, all members: links, least, seconds",
            f"{len(ring.switches)}, {ring.least.links} by {ring.least.by}, {seconds:.2f}",
        )
    rng = random.Random(1)
    for side, draws in ((8, 50), (16, 10)):
        mesh = Mesh(side, side)
        for size in SPARSE:
            sparse = [timed(best_ring, mesh, rng.sample(mesh.nodes, size)) for _ in range(draws)]
            mean = sum(seconds for _, seconds in sparse) / draws
            words = _gaps([ring for ring, _ in sparse if ring is not None])
            yield figure(
                f"{side}x{side}, {size} members, {draws} draws", f"{words}, {mean:.2f} s each"
            )


def _gaps(rings: list[Ring]) -> str:
    proved = sum(not ring.excess for ring in rings)
    gap = sum(ring.excess for ring in rings) / sum(ring.least.links for ring in rings)
    return f"{proved} proved shortest, mean gap {gap:.1%}"


SQUARES = (2, 4, 6, 8)
"""Sides of the networks that collectives by software (section VI) are measured on."""
WORDS: tuple[tuple[int, Policy], ...] = ((1, "together"), (1, "last"), (32, "together"))
"""Flits of a word (with links of one bit, its bits), and when members begin."""
WORK = 1
"""Cycles that a flit of a reduction takes a core."""
IN_ROUTERS = {
    "messages": Barrier("mesh", "shortest", "", {"data_bits": 32, "flit_bits": 64}),
    "wires": Barrier("mesh", "wires", "", {"wires": 1, "data_bits": 32}),
}
"""Barriers that combine a word on their way."""

Case = tuple[str, str, int, Policy]
"""Planner, kind, flits, and when members begin."""


@section
def collectives() -> Iterator[Claim]:
    """Collectives by software on static networks, all cores of a square (cycles)."""
    sizes = " / ".join(str(side * side) for side in SQUARES)
    found = [_collectives(side) for side in SQUARES]
    for case in found[0]:
        planner, kind, flits, policy = case
        cycles, formula = zip(*(times[case] for times in found), strict=True)
        word = "1 flit" if flits == 1 else f"{flits} flits"
        together = policy == "together"
        said = "all together" if together else "each the last in turn, worst"
        yield figure(
            f"{sizes} cores, {planner}, {kind} of {word}, {said}",
            " / ".join(map(str, cycles)),
            "formula " + " / ".join(map(str, formula)),
            # If others came before, no more than the formula's.
            all(a == b if together else a <= b for a, b in zip(cycles, formula, strict=True)),
        )
    for name, barrier in IN_ROUTERS.items():
        times = [barrier.cycles(side, [("together", 0)])[0] for side in SQUARES]
        plans = [plan_of(barrier.network(side), planner=barrier.planner) for side in SQUARES]
        bounds = [plan.groups[0].bound for plan in plans]
        yield figure(
            f"{sizes} cores, barrier by {name}, allreduce of 32 bits (or, and, xor), all together",
            " / ".join(map(str, times)),
            "bound " + " / ".join(map(str, bounds)),
            times == bounds,
        )


def _collectives(side: int) -> dict[Case, tuple[int, int]]:
    """Return what each collective takes in a square, under Verilator, and its formula."""
    network = StaticSpec(kind="static", width=side, height=side)
    cases: dict[Case, int] = {}
    runs = []
    for planner, kinds in (("ring", KINDS), ("tree", FROM_ROOT)):
        plan = plan_of(network, planner=planner)
        group = plan.groups[0]
        for kind in kinds:
            for flits, policy in WORDS:
                asked = Collective(1, kind, flits, work=WORK)
                cases[planner, kind, flits, policy] = bound_of(network, group, asked)
                episodes = 1 if policy == "together" else side * side
                scenario = Scenario(episodes=episodes, policy=policy, collectives=(asked,))
                runs.append((plan, scenario))
    worst = [max(outcome.collectives[0].cycles) for outcome in measure_runs(runs)]
    return {case: (cycles, cases[case]) for case, cycles in zip(cases, worst, strict=True)}
