"""Characteristics of paper BTM's barriers, and ranges of parameters."""

import numpy as np
import pytest

from syncfabric.models.timing.btm import Timing
from tests.sim.experiments.papers.done import ours, work_of
from tests.sim.experiments.papers.test_btm import PAPER, SMALL, point_of


def test_times_are_taken() -> None:
    slow = ours(work_of("btm-fig5", 3, **SMALL, t_s=0.0))
    claim = "BTM is faster than CS, times, 16 members, 4x4"
    assert slow[claim] != ours(work_of("btm-fig5", 3, **SMALL))[claim]
    assert slow[claim] == pytest.approx(point_of(4, 16, runs=3).speedup(Timing(t_s=0)))


def test_table1_counts_what_is_set_up() -> None:
    """Relays: nodes of the CS tree that are no members."""
    found = ours(work_of("btm-table1", 4, side=8, large_side=8, members=6))
    relays = [point - 5 for point in (np.array(point_of(8, 6, 4).cs_links) // 2).tolist()]
    group = "6 members, 8x8"
    assert found[f"messages to set up, CS, {group}"] == pytest.approx(np.mean(relays))
    assert found[f"messages to set up, BTM, {group}"] == 0
    assert found[f"routers of nonmembers are set up, CS, {group}"] == "yes"
    assert found[f"routers of nonmembers are set up, BTM, {group}"] == "no"
    assert found["height of BTM, all nodes of 8x8"] == 4
    assert found["height of CS, all nodes of 8x8"] == 8


def test_the_sweep_reaches_the_ends_of_the_ranges() -> None:
    work = work_of("btm-sweep", 3, **SMALL)
    point = point_of(4, 16, runs=3)
    across = dict(work.series["t_rm, 4x4"])
    assert across[0] == pytest.approx(point.speedup(PAPER))
    assert across[100] == pytest.approx(point.speedup(Timing(t_rm=60)))
