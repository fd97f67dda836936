"""Barriers of paper Reflex's experiments: sizes, times, and what is measured."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from syncfabric.models.timing.loggp import INFINIBAND, TILE64, TILE64_MEMORY
from syncfabric.sim.drive import backends as measured
from syncfabric.sim.drive.backends import run_job
from syncfabric.sim.experiments.alone import Wish
from syncfabric.sim.experiments.choice import EXPERIMENTS
from syncfabric.sim.experiments.frame import Work
from syncfabric.sim.experiments.papers import reflex_barriers as hardware
from syncfabric.sim.experiments.papers import reflex_more as more
from syncfabric.sim.experiments.papers.reflex_barriers import (
    cycle_ns,
    diameter,
    memory,
    network,
    radius,
    sizes,
)
from tests.sim.experiments.papers.done import claim_of, work_of


@pytest.mark.parametrize(
    ("cores", "hops", "links"),
    [(2, 1, 1), (4, 2, 2), (5, 3, 2), (6, 3, 2), (7, 4, 2), (16, 6, 4), (32, 10, 6), (64, 14, 8)],
)
def test_the_mesh_is_the_squarest(cores: int, hops: int, links: int) -> None:
    """5 cores are on 3x2, 7 on 3x3, 32 on 6x6."""
    assert diameter(cores) == hops
    assert radius(cores) == links


def test_sizes_double_up_to_the_most() -> None:
    assert sizes(64) == (2, 4, 8, 16, 32, 64)
    assert sizes(20) == (2, 4, 8, 16, 20)


def test_defaults_are_the_presets() -> None:
    values = Work(EXPERIMENTS["reflex-fig6"]).values
    for field in ("L", "o", "g", "G", "h"):
        assert getattr(network(values), field) == pytest.approx(getattr(TILE64, field))
        assert getattr(memory(values), field) == pytest.approx(getattr(TILE64_MEMORY, field))
        cluster = Work(EXPERIMENTS["reflex-fig10"]).values
        assert cluster[field] == getattr(INFINIBAND, field)


EXPECTED: dict[str, list[int]] = {
    "Reflex": [37, 37, 37, 22],
    "Reflex, tree (ours)": [17, 17, 17, 14],
    "wires (ours)": [10, 10, 10, 10],
    "wires (ours), 1 register": [18, 18, 18, 18],
    "engines": [11, 11, 11, 11],
}
"""On 4x4: all together, one last, one late, and in a loop."""


WISHES: list[Wish] = [
    ("together", 0),
    ("last", 16),
    ("late", 50),
    ("back_to_back", 0),
]


@pytest.mark.usefixtures("by_model")
@pytest.mark.parametrize("name", EXPECTED)
def test_what_is_measured_on_the_golden_model(name: str) -> None:
    """2 N + 5 and N + 6, 3 L + 5 and F + 1, wires 2 L (1 + P) + 2, engines 2 L + 3."""
    assert hardware.run(name, 4, WISHES) == EXPECTED[name]


@pytest.mark.nightly
@pytest.mark.parametrize("name", EXPECTED)
def test_what_is_measured_on_the_rtl(name: str) -> None:
    assert hardware.run(name, 4, WISHES) == EXPECTED[name]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("name", "cycles"), [("UDN/STN", 24), ("dissemination by messages", 23), ("unicast", 37)]
)
def test_packets_are_measured_on_the_rtl(name: str, cycles: int) -> None:
    assert hardware.run(name, 4, WISHES[:1]) == [cycles]


@pytest.mark.usefixtures("by_model")
def test_what_goes_wrong_breaks_off(monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(job: Any, sim: str) -> Any:
        (outcome,) = run_job(job, "model").outcomes
        return SimpleNamespace(outcomes=[replace(outcome, hang="stuck")])

    monkeypatch.setattr(measured, "run_job", hang)
    with pytest.raises(RuntimeError, match="stuck"):
        hardware.run("Reflex", 2, WISHES[:1])


def test_members_are_drawn_for_all_schemes() -> None:
    work = work_of("reflex-members", side=2, runs=2)
    names = {"reflex", "reflex-tree", "udn-stn", "dissemination", "centralized", "wires"}
    assert set(work.series) == names
    assert all([count for count, _ in points] == [2, 4] for points in work.series.values())
    claim = claim_of(work, "reflex, 4 of 4: latency")
    assert claim.ours == pytest.approx(14 * 1_000 / 700)
    assert claim.note == "links passed 16, height 4, set-up messages 1, nodes touched 4"
    each = [more.costs(work.values, 2, seed)["wires"]["latency_ns"] for seed in (1, 2)]
    assert work.series["wires"][0] == (2, sum(each) / 2)


def test_a_cycle_is_of_the_clock() -> None:
    assert cycle_ns({"clock": 250.0}) == 4
