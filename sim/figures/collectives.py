"""Collectives by software on a static network (paper Reflex, section VI), on hardware."""

from __future__ import annotations

from collections.abc import Iterator

from syncfabric.models.networks.spec import GroupSpec, NetworkSpec, StaticSpec
from syncfabric.models.planning.plan import StaticGroupPlan, make_plan
from syncfabric.sim.drive.scenario import Job, Policy, Scenario
from syncfabric.sim.drive.static.collectives.asked import FROM_ROOT, KINDS, Collective
from syncfabric.sim.drive.static.collectives.bound import bound_of
from syncfabric.sim.drive.tiles import simulate_tiles
from syncfabric.sim.fabric import build_fabric
from syncfabric.sim.figures.row import Row
from syncfabric.sim.reproduce.reflex.hardware import Barrier

__all__ = ["collectives"]

SIDES = (2, 4, 6, 8)
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


def collectives() -> Iterator[Row]:
    """Collectives by software on static networks, all cores of a square (cycles)."""
    sizes = " / ".join(str(side * side) for side in SIDES)
    found = [_measured(side) for side in SIDES]
    for case in found[0]:
        planner, kind, flits, policy = case
        cycles, formula = zip(*(times[case] for times in found), strict=True)
        word = "1 flit" if flits == 1 else f"{flits} flits"
        said = "all together" if policy == "together" else "each the last in turn, worst"
        yield Row(
            f"{sizes} cores, {planner}, {kind} of {word}, {said}",
            " / ".join(map(str, cycles)),
            "formula " + " / ".join(map(str, formula)),
            all(map(_agrees, [policy] * len(SIDES), cycles, formula)),
        )
    for name, barrier in IN_ROUTERS.items():
        times = [barrier.cycles(side, [("together", 0)])[0] for side in SIDES]
        bounds = [barrier.plan(side).groups[0].bound for side in SIDES]
        yield Row(
            f"{sizes} cores, barrier by {name}, allreduce of 32 bits (or, and, xor), all together",
            " / ".join(map(str, times)),
            "bound " + " / ".join(map(str, bounds)),
            times == bounds,
        )


def _agrees(policy: Policy, cycles: int, formula: int) -> bool:
    """Return whether a time is the formula's, or if others came before, no more than that."""
    return cycles == formula if policy == "together" else cycles <= formula


def _measured(side: int) -> dict[Case, tuple[int, int]]:
    """Return what each collective takes in a square, under Verilator, and its formula."""
    network = StaticSpec(kind="static", width=side, height=side)
    members = tuple(network.topology.nodes)
    cases: dict[Case, int] = {}
    runs = []
    for planner, kinds in (("ring", KINDS), ("tree", FROM_ROOT)):
        groups = (GroupSpec(id=1, members=members, planner=planner),)
        plan = make_plan(NetworkSpec(name="figure", network=network, groups=groups))
        group = plan.groups[0]
        assert isinstance(group, StaticGroupPlan)
        for kind in kinds:
            for flits, policy in WORDS:
                asked = Collective(1, kind, flits, work=WORK)
                cases[planner, kind, flits, policy] = bound_of(network, group, asked)
                episodes = 1 if policy == "together" else len(members)
                scenario = Scenario(episodes=episodes, policy=policy, collectives=(asked,))
                runs.append((plan, scenario))
    outcomes = simulate_tiles(Job(tuple(runs)), build_fabric(network)).outcomes
    for outcome in outcomes:
        if outcome.mismatches or outcome.hang:
            raise RuntimeError(str(outcome.hang or outcome.mismatches[0]))
    worst = [max(outcome.collectives[0].cycles) for outcome in outcomes]
    return {
        case: (cycles, formula)
        for (case, formula), cycles in zip(cases.items(), worst, strict=True)
    }
