"""The experiments of paper Reflex: orders, slopes, what its text says, and what is measured."""

from typing import Any

import pytest

from syncfabric.sim.experiments.choice import EXPERIMENTS
from syncfabric.sim.experiments.frame import Work
from syncfabric.sim.experiments.papers import reflex as fig6
from syncfabric.sim.experiments.papers.reflex_barriers import barriers
from tests.sim.experiments.papers.done import claim_of, value_of, work_of


def test_all_six_barriers_are_in_the_order_of_the_paper() -> None:
    values = Work(EXPERIMENTS["reflex-fig6"]).values
    known = barriers(values)
    by_network = {"UDN/STN", "Reflex"}
    for cores in (4, 8, 16, 32, 64):
        slowest_first = sorted(known, key=lambda name: -known[name](cores))
        assert slowest_first[:4] == ["Tile Sync", "centralized", "dissemination", "Tile Spin"]
        assert set(slowest_first[4:]) == by_network


def test_figure_6_says_what_comes_out() -> None:
    work = work_of("reflex-fig6")
    assert value_of(work, "UDN/STN and Reflex are faster than all") == "yes"
    assert value_of(work, "Tile Sync, centralized and") == "at 4, 8, 16, 32, 64 only"
    assert value_of(work, "Reflex outperforms all others") == "at 4, 8, 16, 32, 64 only"
    assert value_of(work, "Reflex, hops that a core more") == pytest.approx(2)
    assert value_of(work, "Reflex in a loop of barriers, hops") == 1
    assert value_of(work, "Reflex, µs that a thousand") == pytest.approx(2_000 / 700)
    assert value_of(work, "a hop, ns") == pytest.approx(1_000 / 700)
    assert value_of(work, "highest of (a) over") == pytest.approx(13_412 / 158)
    assert value_of(work, "ns that UDN/STN grows") == pytest.approx(144 / 300)
    assert value_of(work, "ns that Reflex grows") == pytest.approx(120 / 144)
    assert value_of(work, "cores from which on Reflex is slower than dissemination in") == 2_320
    assert value_of(work, "cores from which on Reflex is slower than dissemination by") == 40
    assert value_of(work, "pthreads, UPC and MPI") is None


def test_ours_are_beside_them_in_figure_6() -> None:
    """Wires 4, 6, 6, 10, 14, 18 cycles; the tree 3 L + 7, L of 1, 2, 2, 4, 6, 8."""
    series = work_of("reflex-fig6").series
    cycle = 1_000 / 700
    wanted = {
        "wires (ours)": (4, 6, 6, 10, 14, 18),
        "wires (ours), 1 register": (6, 10, 10, 18, 26, 34),
        "Reflex, tree (ours)": (10, 13, 13, 19, 25, 31),
        "Reflex": (10, 14, 22, 38, 70, 134),
    }
    for name, cycles in wanted.items():
        assert [cores for cores, _ in series[name]] == [2, 4, 8, 16, 32, 64]
        assert [time / cycle for _, time in series[name]] == pytest.approx(cycles)
    assert len(series) == 9


def test_every_time_of_figure_6_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fig6, "FARTHEST", 64)
    before = work_of("reflex-fig6").series
    for name, value, curve in (
        ("L", 7, "Reflex"),
        ("o", 7, "Reflex"),
        ("h", 7, "Reflex"),
        ("h", 7, "centralized"),
        ("g", 7, "UDN/STN"),
        ("G", 7, "Reflex, tree (ours)"),
        ("buffers", 7, "Reflex, tree (ours)"),
        ("memory_L", 31, "centralized"),
        ("memory_o", 7, "dissemination"),
        ("memory_g", 7, "Tile Spin"),
        ("wake", 11, "Tile Sync"),
    ):
        chosen: dict[str, Any] = {name: value}
        assert work_of("reflex-fig6", **chosen).series[curve][-1] > before[curve][-1], name
    twice = work_of("reflex-fig6", clock=1_400.0).series["Reflex"]
    assert [time * 2 for _, time in twice] == pytest.approx([t for _, t in before["Reflex"]])
    assert [n for n, _ in work_of("reflex-fig6", cores=20).series["Reflex"]] == [2, 4, 8, 16, 20]


def test_a_slow_hop_takes_the_lead_from_reflex() -> None:
    """With h of 3 cycles and g of 1 a core costs Reflex 6 cycles and UDN/STN 1."""
    work = work_of("reflex-fig6", h=3.0, g=1.0)
    assert value_of(work, "Reflex outperforms all others") == "no"
    assert value_of(work, "ns that Reflex grows") > 1  # type: ignore[operator]


def test_figure_8_has_tile_spin_bend_where_its_home_is_full() -> None:
    """From 46 cores on, where 2 P is more than 92 cycles; with 5 P it would be past 16: 80."""
    work = work_of("reflex-fig8")
    assert value_of(work, "cores up to which Tile Spin") == 46
    assert "memory_g = 5 puts it there" in claim_of(work, "cores up to which Tile Spin").note
    assert value_of(work, "Reflex is faster than Tile Spin") == "yes"
    assert value_of(work, "Reflex, ns a core more") == pytest.approx(1)
    bent = work_of("reflex-fig8", memory_g=5.0)
    assert value_of(bent, "cores up to which Tile Spin") == 16
    assert value_of(bent, "Tile Spin, ns a core more") > 5  # type: ignore[operator]


def test_one_late_is_never_worse_than_all_together() -> None:
    """2 N + 6 with a late root; on average 31.5 hops are saved of 134 cycles."""
    work = work_of("reflex-fig8")
    assert value_of(work, "Reflex with one core late over all together") == pytest.approx(1)
    assert value_of(work, "the same, mean over the late core") == pytest.approx((134 - 31.5) / 134)


@pytest.mark.usefixtures("stand_in")
def test_rtl_adds_points_in_ns_of_the_assumed_clock() -> None:
    work = work_of("reflex-fig6", rtl=True)
    label = "Reflex, RTL"
    assert work.series[label] == [(4, 120), (16, 500), (36, 1_120), (64, 2_000)]
    text = value_of(work, "Reflex, RTL: cycles at 4 / 16 / 36 / 64 cores, all together")
    assert text == "6 / 25 / 56 / 100"
    assert value_of(work, "wires (ours), RTL: cycles at 4 / 16 / 36 / 64 cores, in a loop") == (
        "4 / 17 / 39 / 70"
    )
    assert value_of(work, "Reflex is faster than UDN/STN, RTL") == "no"
    assert value_of(work, "Reflex, RTL: hops that a core more") == pytest.approx(94 / 60)
    assert value_of(work, "Reflex in a loop, RTL: hops") == pytest.approx(66 / 60)
    late = work_of("reflex-fig8", rtl=True)
    assert late.series["UDN/STN, RTL"][-1] == (64, 1_800)
    assert value_of(late, "Reflex, RTL: one late over all") == pytest.approx(0.9)
