"""The checker at the ends of the ranges of a static network's keys: sound runs, and broken."""

from dataclasses import replace
from functools import cache

import pytest

from syncfabric.models.networks.mesh import Node
from syncfabric.models.networks.spec import GroupSpec, NetworkSpec, StaticSpec
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim.drive import checker
from syncfabric.sim.drive.backends import run_job
from syncfabric.sim.drive.runner import ScenarioRunner
from syncfabric.sim.drive.scenario import Job, Outcome, Scenario
from syncfabric.sim.drive.static.operations import Collective
from syncfabric.sim.drive.trace import Chunk, Line
from tests.nightly import nightly_but

MOST = StaticSpec(
    kind="static",
    width=4,
    height=3,
    flit_bits=128,
    switch_buffer=16,
    core_buffer=16,
    injection_buffer=16,
    watchdog=65535,
)
RING = GroupSpec(id=255, members=((0, 0), (1, 0), (1, 2)), planner="ring")
TREE = GroupSpec(id=254, members=((3, 2), (2, 0), (3, 0)), planner="tree")
SUM = (Collective(RING.id, "allreduce", 3, "sum", 1), Collective(TREE.id, "broadcast", 2))
SCENARIOS = (
    Scenario(episodes=6, policy="mixed", noise=True, seed=2),
    Scenario(episodes=3, noise=True, seed=3, collectives=SUM),
    Scenario(episodes=2, policy="late", jitter=66_000),
)
SIDES = [(1024, 2), (2, 1024)]


@cache
def planned(width: int, height: int, *groups: GroupSpec) -> BarrierPlan:
    """Return a plan of these groups on a network of this size, all else at the top."""
    network = StaticSpec(**{**MOST.model_dump(), "width": width, "height": height})
    return make_plan(NetworkSpec(name="most", network=network, groups=groups))


def corners(width: int, height: int) -> tuple[Node, ...]:
    return (0, 0), (width - 1, 0), (width - 1, height - 1)


def check(outcome: Outcome, scenario: Scenario) -> None:
    """The run is sound; no member waits for longer than 65,535 cycles unless one is late."""
    assert (outcome.hang, outcome.mismatches) == (None, [])
    assert outcome.counters is not None
    waited = scenario.policy == "late"
    assert bool(outcome.counters[1]) == (waited or scenario.noise)
    assert all(len(done.cycles) == scenario.episodes for done in outcome.collectives)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_widest_flits_and_largest_buffers(scenario: Scenario) -> None:
    check(ScenarioRunner(planned(4, 3, RING, TREE), scenario).run_model(), scenario)


@pytest.mark.nightly
def test_widest_flits_in_hardware() -> None:
    """Flits that software sends are 128 bits wide."""
    plan = planned(4, 3, RING, TREE)
    job = Job(tuple((plan, scenario) for scenario in SCENARIOS[:2]))
    for scenario, outcome in zip(SCENARIOS, run_job(job, "verilator").outcomes, strict=False):
        check(outcome, scenario)


@pytest.mark.parametrize("planner", nightly_but(["ring"], ["ring", "tree"]))
@pytest.mark.parametrize(("width", "height"), nightly_but(SIDES[:1], SIDES))
def test_longest_sides(width: int, height: int, planner: str) -> None:
    """A ring, or tree, from corner to corner: its episodes have up to 16,417 flits."""
    group = GroupSpec(id=255, members=corners(width, height), planner=planner)
    plan = planned(width, height, group)
    outcome = ScenarioRunner(plan, Scenario(episodes=2, policy="late", jitter=40)).run_model()
    assert (outcome.hang, outcome.mismatches, outcome.counters) == (None, [], None)
    (seen,) = outcome.groups
    assert 1024 < max(seen.latency) <= (plan.groups[0].bound or 0)


def broken(width: int, height: int, what: str) -> list[str]:
    """Break the wires of the last node in the middle of a run; return what the checker reports."""
    group = GroupSpec(id=255, members=corners(width, height), planner="ring")
    plan, scenario = planned(width, height, group), Scenario(episodes=2, policy="together")
    runner = ScenarioRunner(plan, scenario)
    core = 5 * (width * height - 1) + 4
    found = False

    def changed(line: Line) -> Line:
        nonlocal found
        wires = {"credit": core, "valid": core, "release": width * height - 1}
        record, bit = line.record, 1 << wires[what]
        if found or not line.cycle or not getattr(record, what) & bit:
            return line
        found = True
        kept = {what: getattr(record, what) ^ bit}
        if what == "valid":
            place = (record.valid & bit - 1).bit_count()
            kept["payloads"] = [p for i, p in enumerate(record.payloads) if i != place]
        if what == "release":
            kept["results"] = record.results[:-1]
        return replace(line, record=record._replace(**kept))

    while not runner.session.finished:
        chunk = runner.advance()
        lines = [changed(line) for line in chunk.lines]
        runner.checker.follow(Chunk(chunk.first, chunk.end, acts=chunk.acts), lines)
    runner.checker.close(runner.session.cycle)
    assert found
    return [f"{each.node} {each.signal}" for each in runner.checker.mismatches]


@pytest.mark.parametrize(("width", "height"), nightly_but(SIDES[:1], SIDES))
@pytest.mark.parametrize(
    ("what", "rule"),
    [
        ("credit", "local[0]: flits held at the end"),
        ("credit", "flits read before a member leaves Wait"),
        ("valid", "local[0]: credit without a flit"),
        ("release", "group 255: members released at the end"),
    ],
)
def test_the_last_node_is_checked(
    width: int, height: int, what: str, rule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What breaks at the highest numbers is reported, with its place."""
    monkeypatch.setattr(checker, "KEPT", 1 << 20)
    where = None if what == "release" else (width - 1, height - 1)
    assert f"{where} {rule}" in broken(width, height, what)
