"""Barriers in software: none goes on before all have arrived, whatever comes late."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from syncfabric.sim.cores.program import Program
from tests.sim.cores.emulator import emulate, world
from tests.sim.cores.systems import MESSAGES, break_software, early, mesh, program

EPISODES = 20
MESH = mesh(8, 8)
SIZES = (1, 2, 3, 5, 16)
ALL_SIZES = (*range(1, 10), 13, 15, 17, 31, 32, 33, 63, 64)


def play(made: Program, sizes: Sequence[int] = SIZES) -> tuple[int, int]:
    """Run barriers of many sizes, and messages fast and slow; count early ones, and hung cores."""
    wrong = hung = 0
    for cores in sizes:
        for seed in range(3):
            slowest = (2, 40, 400)[seed]
            run = emulate(made, MESH, cores, [world(cores)], seed=seed, slowest=slowest)
            assert not run.faults
            hung += len(run.stands)
            wrong += (
                0 if run.stands else early([run.values(core) for core in range(cores)], EPISODES)
            )
    return wrong, hung


@pytest.mark.parametrize("barrier", ["engine", *MESSAGES])
def test_no_core_leaves_before_the_last_one_comes(barrier: str) -> None:
    assert play(program("barrier", barrier, SKEW=500)) == (0, 0)


@pytest.mark.long
@pytest.mark.parametrize("barrier", ["engine", *MESSAGES])
@pytest.mark.parametrize("skew", [0, 500, 10_000])
def test_no_core_of_any_number_leaves_before_the_last_one_comes(barrier: str, skew: int) -> None:
    assert play(program("barrier", barrier, SKEW=skew), ALL_SIZES) == (0, 0)


BREAKS = {
    "a round is left out": (
        "dissemination",
        "rounds = group->rounds;",
        "rounds = group->rounds - 1u;",
    ),
    "a child is not awaited": (
        "tree",
        "sf_await_many(code + SF_UP, group->children);",
        "sf_await_many(code + SF_UP, group->children - 1u);",
    ),
    "one fewer is counted": ("central", "group->size - 1u)", "group->size - 2u)"),
    "a beaten one is not awaited": (
        "tournament",
        "round < group->children; round++",
        "round + 1u < group->children; round++",
    ),
    "the release is not awaited": ("central", "sf_await(down);", ""),
}


@pytest.mark.parametrize("name", BREAKS)
def test_a_wrong_barrier_is_seen(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    barrier, right, wrong = BREAKS[name]
    break_software(monkeypatch, tmp_path, "sf_barriers.c", right, wrong)
    early_ones, hung = play(program("barrier", barrier, SKEW=500), (4, 7, 16))
    assert early_ones + hung > 0


def test_a_signal_counted_as_one_of_the_next_barrier_is_told_apart() -> None:
    """Barriers back to back, with messages that overtake each other by far."""
    for barrier in MESSAGES:
        made = program("barrier", barrier, SKEW=500)
        for seed in range(2):
            run = emulate(made, MESH, 9, [world(9)], seed=seed, slowest=2000)
            assert early([run.values(core) for core in range(9)], EPISODES) == 0
