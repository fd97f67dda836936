"""Sessions, and what a run sums up to: latencies, traffic, loads, counters."""

import random
from io import StringIO
from itertools import pairwise
from typing import Any

import pytest

from syncfabric.models.planning.set_up import Write, set_up_writes
from syncfabric.sim.drive.engine_driver import ByChain
from syncfabric.sim.drive.runner import ScenarioRunner, Session
from syncfabric.sim.drive.scenario import Outcome, Scenario
from tests.sim.drive.churn.networks import grid, plan_with
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.networks import (
    SCENARIOS,
    irregular,
    make_job,
    members,
    mesh,
    plan_of,
    played,
    session_of,
)

RUNS = {
    "mesh": make_job(mesh(3, 2, groups=2), random.Random(4), SCENARIOS[2:4]).runs,
    "irregular": make_job(irregular(SMALL, groups=2), random.Random(4), SCENARIOS[2:4]).runs,
    "churn": ((plan_with(grid(), 1), Scenario(episodes=2, churn=8)),),
}


@pytest.mark.parametrize("name", RUNS)
def test_chunks_of_any_size_say_the_same_and_sleeping_changes_nothing(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for run in RUNS[name]:
        wanted = played(*run)
        others = [played(*run, cycles) for cycles in (1, 17, 100_000)]
        with monkeypatch.context() as patch:
            patch.setattr(Session, "_sleep", lambda self, end, chunk: None)
            others.append(played(*run))
        for seen in others:
            for part in ("text", "stimuli", "acts"):
                left, right = (
                    [x for chunk in chunks for x in getattr(chunk, part)]
                    for chunks in (wanted, seen)
                )
                assert left == right, part
            assert wanted[-1].end == seen[-1].end
            assert all(a.end == b.first for a, b in pairwise(seen))
            counts = (sum(len(chunk.answered) for chunk in chunks) for chunks in (wanted, seen))
            assert len({*counts}) == 1


def test_what_falls_into_a_chunk_is_in_its_cycles() -> None:
    (run,) = make_job(mesh(2, 2), random.Random(5), SCENARIOS[2:3]).runs
    for chunk in played(*run, 64):
        assert chunk.first < chunk.end <= chunk.first + 64
        for entries in (chunk.lines, chunk.stimuli, chunk.acts):
            cycles = [entry.cycle for entry in entries]
            assert cycles == sorted(cycles)
            assert all(chunk.first <= cycle < chunk.end for cycle in cycles)
        assert len(chunk.text) == len(chunk.lines)


def test_the_model_sleeps_while_nothing_moves() -> None:
    plan = plan_of(mesh(2, 2), members(1, (0, 0), (1, 1)))
    session = session_of(plan, Scenario(episodes=1, jitter=1_000_000_000, policy="skew"))
    while not session.finished:
        session.advance(1_000_000_000)
    assert session.cycle > 1_000_000
    assert session.hang is None or "do not end within" in session.hang


def test_barriers_that_never_end_are_a_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last group is never started: its GO is not written."""

    def without_the_last_word(*arguments: Any) -> list[Write]:
        return list(set_up_writes(*arguments))[:-1]

    monkeypatch.setattr(ByChain, "writes", staticmethod(without_the_last_word))
    plan = plan_of(mesh(2, 2), members(1, (0, 0)), members(8, (0, 0), (1, 1)))
    session = session_of(plan, Scenario(episodes=2))
    while not session.finished:
        session.advance(256)
    assert session.hang == "nothing moves any more; unfinished groups: 1, 8"


def test_a_run_beyond_its_limit_is_a_hang() -> None:
    plan = plan_of(mesh(2, 2))
    session = session_of(plan, Scenario(background=1.0, cycles=5_000, limit=1_000))
    while not session.finished:
        session.advance(256)
    assert session.hang == "barriers or packets do not end within 1000 cycles"


PLAN = plan_of(mesh(4, 4), members(1, *mesh(4, 4).topology.nodes), members(2, (0, 0), (3, 3)))


def outcome_of(scenario: Scenario) -> Outcome:
    return ScenarioRunner(PLAN, scenario).run_model()


@pytest.mark.parametrize(("rate", "saturated"), [(0.1, False), (0.3, False), (1.0, True)])
def test_traffic_is_measured_and_saturation_reported(rate: float, saturated: bool) -> None:
    traffic = outcome_of(Scenario(episodes=1, background=rate, lead_in=300, cycles=3_000)).traffic
    assert traffic.saturated == saturated
    assert traffic.packets == len(traffic.latency) == len(traffic.network_latency)
    assert min(traffic.network_latency) >= 5
    assert all(a > b for a, b in zip(traffic.latency, traffic.network_latency, strict=True))
    if saturated:
        assert 0.3 < traffic.accepted < 0.8
    else:
        assert traffic.accepted == pytest.approx(rate, rel=0.15)


def test_no_traffic_is_nothing() -> None:
    traffic = outcome_of(Scenario(episodes=3)).traffic
    assert (traffic.accepted, traffic.packets, traffic.saturated) == (0.0, 0, False)


def test_barriers_and_messages_are_counted() -> None:
    outcome = outcome_of(Scenario(episodes=6))
    assert [len(group.latency) for group in outcome.groups] == [6, 6]
    assert all(group.latency == group.model_latency for group in outcome.groups)
    assert outcome.releases == 6 * (16 + 2)
    # A link of a tree carries GO, and for each barrier one up and one down.
    assert outcome.messages == (1 + 6 * 2) * (15 + 6)
    assert outcome.counters == (0, 0, 0, 0)


def test_loads_are_flits_a_cycle_by_link() -> None:
    outcome = outcome_of(Scenario(episodes=1, background=0.4, cycles=2_000))
    flits = round(sum(load * outcome.cycles for link, load in outcome.loads.items() if link >= 80))
    assert flits == 5 * outcome.traffic.packets
    assert max(outcome.loads.values()) <= 1


def test_a_large_networks_counters_are_not_read() -> None:
    plan = plan_of(mesh(17, 16), members(1, *((x, 0) for x in range(17))))
    scenario = Scenario(episodes=1)
    assert ScenarioRunner(plan, scenario).run_model().counters is None


def test_progress_and_log_are_kept() -> None:
    scenario, log = Scenario(episodes=5), StringIO()
    reported: list[tuple[int, int]] = []

    def report(done: int, total: int) -> None:
        reported.append((done, total))

    outcome = ScenarioRunner(PLAN, scenario, log=log).run_model(report)
    assert reported == sorted(reported)
    assert reported[-1] == (10, 10)
    assert len(log.getvalue().splitlines()) == outcome.messages


def test_a_run_ends_with_the_first_mismatch() -> None:
    (run,) = make_job(mesh(2, 2), random.Random(1), [Scenario(episodes=50)]).runs
    runner = ScenarioRunner(*run)
    chunk = runner.advance()
    runner.take(chunk, [*chunk.text[:5], "7 1 0 0 5", *chunk.text[5:]])
    assert runner.finished
    outcome = runner.outcome()
    assert outcome.mismatches
    assert outcome.cycles == chunk.end
    assert outcome.counters is None


def test_the_hardwares_report_is_checked() -> None:
    scenario = Scenario(episodes=1, background=0.1)
    runner = ScenarioRunner(PLAN, scenario)
    while not runner.finished:
        runner.take(runner.advance(), None)
    wrong = runner.outcome([[0] * 8] * 16).mismatches
    assert {mismatch.signal for mismatch in wrong} == {
        "packets that the sinks counted",
        "flits that the sinks counted",
    }
