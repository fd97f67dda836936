"""Runs of static networks: on the model, and on tiles beside it."""

import random
from dataclasses import replace

import pytest

from syncfabric.models.golden.static_agent import Agent
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.timing.static import ring_bound, tree_bound
from syncfabric.sim.drive.backends import Simulation, run_job
from syncfabric.sim.drive.runner import ScenarioRunner
from syncfabric.sim.drive.scenario import Job, Outcome, Policy, Scenario
from syncfabric.sim.fabric.build import build_fabric
from syncfabric.sim.request import RunRequest
from tests.models.golden.static_bench import cycle, mesh_of, random_groups, ring, static
from tests.models.timing.exact import ring_latency
from tests.sim.drive.networks import SEED, check
from tests.sim.drive.static.collectives import runs as collectives
from tests.sim.drive.static.networks import SMALL
from tests.sim.drive.static.planned import plan_of, planned

POLICIES: tuple[Policy, ...] = ("last", "late", "together", "back_to_back", "skew", "mixed")


def run_model(plan: BarrierPlan, scenario: Scenario) -> Outcome:
    return ScenarioRunner(plan, scenario).run_model()


def check_random(seed: int) -> None:
    rng = random.Random(seed)
    buffers = rng.randint(1, 4), rng.randint(1, 4), rng.randint(1, 4)
    spec = static(rng.randint(2, 5), rng.randint(2, 5), buffers)
    groups = random_groups(rng, mesh_of(spec))
    scenario = Scenario(episodes=8, seed=seed, policy=rng.choice(POLICIES), noise=seed % 2 == 0)
    outcome = run_model(plan_of(spec, *groups), scenario)
    assert (outcome.hang, outcome.mismatches) == (None, [])
    assert outcome.counters is not None
    assert any(outcome.counters) == scenario.noise
    for group, seen in zip(groups, outcome.groups, strict=True):
        assert seen.latency == seen.model_latency
        assert len(seen.latency) == 8
        flits = group.flits(spec)
        bound = tree_bound(group.length, flits, spec) if group.tree else 0
        if not scenario.noise:  # hold adds to it
            assert max(seen.latency) <= (bound or ring_bound(group.length, spec))


@pytest.mark.parametrize("seed", range(40))
def test_random_networks(seed: int) -> None:
    check_random(seed)


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(1000, 3000))
def test_many_random_networks(seed: int) -> None:
    check_random(seed)


def test_with_one_member_late_in_turn() -> None:
    """Paper Reflex, Fig. 7 (b): the late member decides how long the others still wait."""
    spec = static(4, 4)
    outcome = run_model(
        plan_of(spec, ring(cycle(4, 4))), Scenario(episodes=32, policy="late", jitter=100)
    )
    assert outcome.groups[0].latency == [ring_latency(16, i % 16, spec) for i in range(32)]


def test_hardware_that_differs_is_reported() -> None:
    plan = plan_of(static(2, 2), ring(cycle(2, 2)))
    scenario = Scenario(episodes=2)
    runner = ScenarioRunner(plan, scenario)
    while not runner.finished:
        chunk = runner.advance()
        text = list(chunk.text)
        for place, line in enumerate(chunk.lines):
            if line.record.release and not runner.checker.mismatches:
                words = text[place].split()
                words[2] = f"{int(words[2], 16) ^ 1 << 3 * 5 + 4:x}"  # a credit of node (1, 1)
                text[place] = " ".join(words)
                break
        runner.take(chunk, text)
    first = runner.outcome().mismatches[0]
    assert (first.node, first.signal) == ((1, 1), "link_1_1_eject_credit")


def test_what_never_ends_is_a_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Agent, "begin", lambda self: setattr(self, "begun", True))
    outcome = run_model(plan_of(static(2, 2), ring(cycle(2, 2))), Scenario(episodes=2))
    assert outcome.hang == "nothing moves any more; unfinished groups: 0"


def test_a_set_up_that_is_refused_is_a_hang() -> None:
    plan = plan_of(static(2, 2), ring(cycle(2, 2)))
    twice = replace(plan, groups=(*plan.groups, planned(1, ring(cycle(2, 2)), static(2, 2))))
    outcome = run_model(twice, Scenario(episodes=1))
    assert outcome.hang == "set-up: roles: the config port refuses address 1 of target 0"


REQUEST = RunRequest("model", 1)


def random_runs(spec: StaticSpec, count: int, name: str) -> Job:
    """Return a job of rings and trees, the second half of it with noise."""
    rng, runs = random.Random(f"{name}/{SEED}"), []
    for number in range(count):
        scenario = Scenario(
            episodes=8,
            seed=rng.getrandbits(16),
            policy=POLICIES[number % len(POLICIES)],
            jitter=rng.choice((0, 5, 40)),
            noise=number >= count // 2,
        )
        runs.append((plan_of(spec, *random_groups(rng, mesh_of(spec))), scenario))
    return Job(tuple(runs), chunk=100)


def checked(job: Job) -> Simulation:
    simulation = run_job(job, "verilator")
    check(job, simulation)
    return simulation


def test_rings_and_trees_with_noise_and_without() -> None:
    job = random_runs(SMALL, 24, "tiles")
    kinds = {group.flits is None for plan, _ in job.runs for group in plan.groups}
    assert kinds == {True, False}
    assert {len(plan.groups) for plan, _ in job.runs} == {1, 2}
    for outcome in checked(job).outcomes[12:]:
        assert outcome.counters is not None
        assert any(outcome.counters)


def test_a_ring_that_is_not_the_models_is_reported() -> None:
    """The hardware's core buffers have a place less than the model's."""
    plan = plan_of(static(4, 3, (2, 2, 3)), ring(cycle(4, 3)))
    job = Job(((plan, Scenario(episodes=4)),))
    (outcome,) = run_job(job, "verilator", built=build_fabric(SMALL)).outcomes
    assert outcome.mismatches


@pytest.mark.nightly
@pytest.mark.parametrize("buffers", [(1, 1, 1), (2, 2, 2), (1, 4, 2), (4, 1, 3)])
def test_more_rings_and_trees(buffers: tuple[int, int, int]) -> None:
    spec = static(5, 4, buffers)
    checked(random_runs(spec, 60, f"tiles {buffers}"))


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
