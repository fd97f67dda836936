"""Functional coverage of static networks: of a regression on tiles, and of single runs."""

import random
from collections.abc import Callable

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.spec import GroupSpec, NetworkSpec, StaticSpec
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim.drive.backends import simulate_tiles
from syncfabric.sim.drive.runner import ScenarioRunner
from syncfabric.sim.drive.scenario import Job, Policy, Scenario
from syncfabric.sim.fabric.program import build_fabric
from tests.models.planning.static_ways import disjoint_groups
from tests.sim.drive.coverage import covered, static_universe
from tests.sim.drive.networks import SEED, check
from tests.sim.drive.static.networks import SMALL

POLICIES: tuple[Policy, ...] = ("last", "together", "back_to_back", "skew", "mixed")
RUNS = 30
STAR = GroupSpec(id=1, members=((1, 1), (0, 1), (2, 1), (1, 0), (1, 2)), planner="tree")
"""Its root feeds all four neighbours."""


def planned(spec: StaticSpec, rng: random.Random) -> BarrierPlan:
    """Return random rings and trees that find room side by side."""
    while True:
        groups = tuple(disjoint_groups(spec.topology, rng, ("ring", "tree")))
        try:
            return make_plan(NetworkSpec(name="drawn", network=spec, groups=groups))
        except PlanError:
            continue


def test_a_regression_covers(record_property: Callable[[str, object], None]) -> None:
    rng = random.Random(f"static coverage/{SEED}")
    star = NetworkSpec(name="star", network=SMALL, groups=(STAR,))
    plans = [make_plan(star), *(planned(SMALL, rng) for _ in range(RUNS))]
    job = Job(
        tuple(
            (
                plan,
                Scenario(
                    episodes=8,
                    seed=rng.getrandbits(16),
                    policy=POLICIES[number % len(POLICIES)],
                    noise=number % 2 > 0,
                ),
            )
            for number, plan in enumerate(plans)
        ),
        coverage=True,
    )
    simulation = simulate_tiles(job, build_fabric(SMALL))
    check(job, simulation)
    record_property(
        "coverage",
        covered(
            f"static ({SMALL.topology})", simulation.outcomes, set(static_universe()), alone=True
        ),
    )


def met(*groups: GroupSpec) -> set[str]:
    """Return the bins that one barrier of these groups meets on a 3x3 network."""
    spec = StaticSpec(kind="static", width=3, height=3)
    plan = make_plan(NetworkSpec(name="one", network=spec, groups=groups))
    scenario = Scenario(episodes=1, policy="together")
    outcome = ScenarioRunner(plan, scenario, Job(((plan, scenario),), coverage=True)).run_model()
    return {name for name, count in outcome.coverage.items() if count}


def test_a_ring_around_a_square_meets_what_rings_meet() -> None:
    hits = met(GroupSpec(id=1, members=((0, 0), (1, 0), (0, 1)), planner="ring"))
    assert {"released: RING", "released: RING_ROOT", "passing a nonmember: ring"} <= hits
    assert "an input feeds 2 outputs" in hits
    assert not {"released: TREE", "an input feeds 3 outputs", "an input feeds 4 outputs"} & hits
    assert "two groups in a switch in one cycle" not in hits


def test_a_star_feeds_all_its_outputs_at_once() -> None:
    hits = met(STAR)
    assert {"released: TREE", "released: TREE_ROOT", "an input feeds 4 outputs"} <= hits
    assert not {"passing a nonmember: tree", "released: RING", "released: ALONE"} & hits
