"""Whole static networks under Verilator, as fabrics of tiles, against the golden model."""

import random

import pytest

from syncfabric.models.networks.spec import StaticSpec
from syncfabric.sim.drive.backends import Simulation, run_job
from syncfabric.sim.drive.scenario import Job, Policy, Scenario
from syncfabric.sim.fabric.program import build_fabric
from tests.models.golden.static_bench import cycle, random_groups, ring, static
from tests.sim.drive.networks import SEED, check
from tests.sim.drive.static.collectives import runs as collectives
from tests.sim.drive.static.networks import SMALL
from tests.sim.drive.static.planned import plan_of

POLICIES: tuple[Policy, ...] = ("last", "late", "together", "back_to_back", "skew", "mixed")


def random_runs(spec: StaticSpec, count: int, name: str) -> Job:
    """Return a job of rings and trees, the second half of it disturbed."""
    rng, runs = random.Random(f"{name}/{SEED}"), []
    for number in range(count):
        scenario = Scenario(
            episodes=8,
            seed=rng.getrandbits(16),
            policy=POLICIES[number % len(POLICIES)],
            jitter=rng.choice((0, 5, 40)),
            noise=number >= count // 2,
        )
        runs.append((plan_of(spec, *random_groups(rng, spec.topology)), scenario))
    return Job(tuple(runs), chunk=100)


def checked(spec: StaticSpec, job: Job) -> Simulation:
    simulation = run_job(job, "verilator")
    check(job, simulation)
    return simulation


def test_rings_and_trees_disturbed_and_not() -> None:
    job = random_runs(SMALL, 24, "tiles")
    kinds = {group.flits is None for plan, _ in job.runs for group in plan.groups}
    assert kinds == {True, False}
    assert {len(plan.groups) for plan, _ in job.runs} == {1, 2}
    for outcome in checked(SMALL, job).outcomes[12:]:
        assert outcome.counters is not None
        assert any(outcome.counters)


def test_a_ring_that_is_not_the_models_is_told() -> None:
    """The hardware's cores have a place less than the model knows of."""
    plan = plan_of(static(4, 3, (2, 2, 3)), ring(cycle(4, 3)))
    job = Job(((plan, Scenario(episodes=4)),))
    (outcome,) = run_job(job, "verilator", built=build_fabric(SMALL)).outcomes
    assert outcome.mismatches


@pytest.mark.nightly
@pytest.mark.parametrize("buffers", [(1, 1, 1), (2, 2, 2), (1, 4, 2), (4, 1, 3)])
def test_more_rings_and_trees(buffers: tuple[int, int, int]) -> None:
    spec = static(5, 4, buffers)
    checked(spec, random_runs(spec, 60, f"tiles {buffers}"))


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("spec", "count"),
    [
        (SMALL, 16),
        *((static(5, 4, buffers), 60) for buffers in ((1, 1, 1), (2, 2, 2), (1, 4, 2), (4, 1, 3))),
    ],
)
def test_collectives_beside_each_other(spec: StaticSpec, count: int) -> None:
    rng = random.Random(f"collectives/{SEED}")
    job = Job(tuple(collectives.random_run(rng, spec) for _ in range(count)), chunk=100)
    outcomes = run_job(job, "verilator").outcomes
    for (plan, scenario), outcome in zip(job.runs, outcomes, strict=True):
        collectives.check(plan, scenario, outcome)


@pytest.mark.nightly
def test_everybody_on_an_8x8() -> None:
    spec = StaticSpec(kind="static", width=8, height=8)
    plan = plan_of(spec, ring(cycle(8, 8)))
    job = Job(((plan, Scenario(episodes=100)),))
    (outcome,) = run_job(job, "verilator").outcomes
    assert (outcome.mismatches, outcome.hang) == ([], None)
    assert len(outcome.groups[0].latency) == 100
