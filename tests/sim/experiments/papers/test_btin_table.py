"""Characteristics of paper BTIN's barriers, and ranges of parameters."""

import math

import pytest

from syncfabric.sim.experiments.papers.btin_table import OTHERS, growth
from tests.sim.experiments.papers.done import ours, work_of
from tests.sim.experiments.papers.test_btin import BOTH, TINY


def test_table_2_counts_messages() -> None:
    found = ours(work_of("btin-table2", 3, **TINY, members=16))
    assert found["start-ups of unicast, 16 members"] == 30
    assert found["start-ups of multicast, 16 members"] == 16
    assert found["start-ups of BTIN, one after another"] == pytest.approx(2)
    assert found["start-ups of unicast, one after another"] == pytest.approx(16)
    assert found["bits of BTIN's message"] == 2 + 8 + 2 + 6
    phases = found["phases in which no link is passed twice: unicast; multicast; BTIN"]
    assert phases == "none; distribution; both"


def test_growth_is_what_fits_better() -> None:
    sizes = (2, 4, 8, 16, 32)
    assert growth(sizes, [3 + 2.0 * n for n in sizes]) == "O(n)"
    assert growth(sizes, [3 + 2 * math.log2(n) for n in sizes]) == "O(log n)"


def test_a_sweep_has_its_ends() -> None:
    work = work_of("btin-sweep", 2, **TINY)
    assert len(work.series) == 2 * (3 + 1)
    assert [x for x, _ in work.series["multicast, t_s"]] == [1, 2, 3, 4, 5]
    six = dict(work_of("btin-fig6", 2, **BOTH).series["multicast (24, 8), ours"])
    btin = dict(work_of("btin-fig6", 2, **BOTH).series["BTIN (24, 8), ours"])
    assert dict(work.series["multicast, f"])[1] == pytest.approx(six[24] / btin[24])
    found = ours(work)
    for scheme in OTHERS:
        points = [y for label, p in work.series.items() if scheme in label for _, y in p]
        name = f"{scheme} over BTIN, 24 members"
        assert found[f"{name}: least over all ranges"] <= min(points)
        assert found[f"{name}: greatest over all ranges"] >= max(points)
