"""Model and driver together: chunks of any size say the same, and a hang is noticed."""

import random
from itertools import pairwise
from typing import Any

import pytest

from syncfabric.models.planning.set_up import Write, set_up_writes
from syncfabric.sim.drive.runner import Session
from syncfabric.sim.drive.scenario import Scenario
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
            patch.setattr(Session, "_sleep", lambda self, end: None)
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

    monkeypatch.setattr("syncfabric.sim.drive.engine_driver.set_up_writes", without_the_last_word)
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
