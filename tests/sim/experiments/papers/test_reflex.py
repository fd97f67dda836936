"""The experiments of paper Reflex: orders, slopes, what its text says, and what is measured."""

import math
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from syncfabric.sim.experiments.alone import Wish
from syncfabric.sim.experiments.choice import EXPERIMENTS
from syncfabric.sim.experiments.claim import Value
from syncfabric.sim.experiments.frame import Work
from syncfabric.sim.experiments.papers import reflex as fig6
from syncfabric.sim.experiments.papers import reflex_barriers as hardware
from syncfabric.sim.experiments.papers import reflex_more
from syncfabric.sim.experiments.papers import reflex_more as more
from syncfabric.sim.experiments.papers.reflex_barriers import barriers, diameter
from tests.sim.experiments.papers.done import claim_of, ours, work_of

CYCLES = {"together": 100, "late": 90, "back_to_back": 70}
"""Of a barrier of 8x8 that stands in for the hardware, by policy."""


def _ours(work: Work, words: str) -> Value:
    return claim_of(work, words).ours


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let hardware take some cycles a core of 64."""

    def run(name: str, side: int, wishes: Sequence[Wish]) -> list[int]:
        return [CYCLES[policy] * side * side // 64 for policy, _ in wishes]

    monkeypatch.setattr(hardware, "run", run)


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
    assert _ours(work, "UDN/STN and Reflex are faster than all") == "yes"
    assert _ours(work, "Tile Sync, centralized and") == "at 4, 8, 16, 32, 64 only"
    assert _ours(work, "Reflex outperforms all others") == "at 4, 8, 16, 32, 64 only"
    assert _ours(work, "Reflex, hops that a core more") == pytest.approx(2)
    assert _ours(work, "Reflex in a loop of barriers, hops") == 1
    assert _ours(work, "Reflex, µs that a thousand") == pytest.approx(2_000 / 700)
    assert _ours(work, "a hop, ns") == pytest.approx(1_000 / 700)
    assert _ours(work, "highest of (a) over") == pytest.approx(13_412 / 158)
    assert _ours(work, "ns that UDN/STN grows") == pytest.approx(144 / 300)
    assert _ours(work, "ns that Reflex grows") == pytest.approx(120 / 144)
    assert _ours(work, "cores from which on Reflex is slower than dissemination in") == 2_320
    assert _ours(work, "cores from which on Reflex is slower than dissemination by") == 40
    assert _ours(work, "pthreads, UPC and MPI") is None


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
    assert _ours(work, "Reflex outperforms all others") == "no"
    assert _ours(work, "ns that Reflex grows") > 1  # type: ignore[operator]


def test_figure_8_has_tile_spin_bend_where_its_home_is_full() -> None:
    """From 46 cores on, where 2 P is more than 92 cycles; with 5 P it would be past 16: 80."""
    work = work_of("reflex-fig8")
    assert _ours(work, "cores up to which Tile Spin") == 46
    assert "memory_g = 5 puts it there" in claim_of(work, "cores up to which Tile Spin").note
    assert _ours(work, "Reflex is faster than Tile Spin") == "yes"
    assert _ours(work, "Reflex, ns a core more") == pytest.approx(1)
    bent = work_of("reflex-fig8", memory_g=5.0)
    assert _ours(bent, "cores up to which Tile Spin") == 16
    assert _ours(bent, "Tile Spin, ns a core more") > 5  # type: ignore[operator]


def test_one_late_is_never_worse_than_all_together() -> None:
    """2 N + 6 with a late root; on average 31.5 hops are saved of 134 cycles."""
    work = work_of("reflex-fig8")
    assert _ours(work, "Reflex with one core late over all together") == pytest.approx(1)
    assert _ours(work, "the same, mean over the late core") == pytest.approx((134 - 31.5) / 134)


def test_figure_10_is_a_line() -> None:
    work = work_of("reflex-fig10")
    assert _ours(work, "Reflex scales linearly") == pytest.approx(1)
    assert _ours(work, "Reflex, ns that a node more costs") == pytest.approx(200)
    assert _ours(work, "Reflex scales to a large number") == 171
    assert work.series["Reflex"][-1][0] == 1_024
    assert work.series["Reflex"][-1][1] == pytest.approx(11.38 + 204.8)
    assert work.series["dissemination (not in the paper)"][-1][1] == pytest.approx(56.9)
    for name in ("L", "o", "h"):
        slower: dict[str, Any] = {name: 5_000.0}
        more = work_of("reflex-fig10", **slower).series["Reflex"][0][1]
        assert more > work.series["Reflex"][0][1]


@pytest.mark.usefixtures("stand_in")
def test_figure_9_tells_a_bad_model() -> None:
    """The model has 14, 38, 78, 134 cycles, the stand-in 6, 25, 56, 100."""
    work = work_of("reflex-fig9")
    assert _ours(work, "Reflex, 64 cores") == pytest.approx(134 / 100)
    wanted = pytest.approx(100 * (14 - 6) / 6)
    assert _ours(work, "the model is a good approximation") == wanted
    assert work.series["Reflex, RTL"] == [(4, 6), (16, 25), (36, 56), (64, 100)]
    assert set(work.series) == {"Reflex, RTL", "Reflex, model"}


@pytest.mark.usefixtures("stand_in")
def test_with_rtl_all_that_have_a_model_are_in_figure_9() -> None:
    series = work_of("reflex-fig9", rtl=True).series
    names = {label.removesuffix(", model") for label in series if label.endswith(", model")}
    assert names == {
        "Reflex",
        "Reflex, tree (ours)",
        "wires (ours)",
        "UDN/STN",
        "dissemination by messages",
    }
    at_8x8 = {name: round(series[f"{name}, model"][-1][1]) for name in names}
    assert at_8x8["Reflex, tree (ours)"] == 31
    assert at_8x8["wires (ours)"] == 18
    assert at_8x8["UDN/STN"] == 63 * 2 + 2 * 8 + 4
    assert at_8x8["dissemination by messages"] == 45


@pytest.mark.usefixtures("stand_in")
def test_rtl_adds_points_in_ns_of_the_assumed_clock() -> None:
    work = work_of("reflex-fig6", rtl=True)
    label = "Reflex, RTL"
    assert work.series[label] == [(4, 120), (16, 500), (36, 1_120), (64, 2_000)]
    text = _ours(work, "Reflex, RTL: cycles at 4 / 16 / 36 / 64 cores, all together")
    assert text == "6 / 25 / 56 / 100"
    assert _ours(work, "wires (ours), RTL: cycles at 4 / 16 / 36 / 64 cores, in a loop") == (
        "4 / 17 / 39 / 70"
    )
    assert _ours(work, "Reflex is faster than UDN/STN, RTL") == "no"
    assert _ours(work, "Reflex, RTL: hops that a core more") == pytest.approx(94 / 60)
    assert _ours(work, "Reflex in a loop, RTL: hops") == pytest.approx(66 / 60)
    late = work_of("reflex-fig8", rtl=True)
    assert late.series["UDN/STN, RTL"][-1] == (64, 1_800)
    assert _ours(late, "Reflex, RTL: one late over all") == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("machine", "name", "factor"),
    [("tile64", "o", 1.0), ("tile64", "o", 4.0), ("tile64", "h", 8.0), ("infiniband", "L", 1.0)],
)
def test_the_sweep_finds_the_first_of_all_that_are_slower(
    machine: str, name: str, factor: float
) -> None:
    """Plain formulas, from the far end."""
    cycle = 1_000 / 700
    tile64 = {"L": cycle, "o": cycle, "h": cycle}
    times = tile64 if machine == "tile64" else {"L": 3_550.0, "o": 1_070.0, "h": 100.0}
    times[name] *= factor
    message = 2 * times["o"] + times["L"]
    most = cores = 600
    while cores > 1:
        way = diameter(cores) if machine == "tile64" else 0
        rounds = math.ceil(math.log2(cores)) * (message + way * times["h"])
        if 2 * message + 2 * cores * times["h"] <= rounds * (1 + 1e-12):
            break
        cores -= 1
    assert more.least_cores(machine, name, "dissemination", factor, most) == cores + 1


def test_the_sweep_draws_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(more, "FACTORS", (0.5, 1.0, 2.0))
    work = work_of("reflex-sweep", cores=400)
    assert work.series["tile64, o"] == [(0.5, 38), (1.0, 40), (2.0, 66)]
    assert _ours(work, "infiniband, h x 1: ") == 171
    assert _ours(work, "tile64, g x 1: Reflex slower than UDN/STN") is None
    assert _ours(work, "tile64, g x 0.5: Reflex slower than UDN/STN") == 2


def test_threads_are_measured_beside_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reflex_more, "find_spec", lambda name: None)
    work = work_of("reflex-host", 1, most=2, rounds=20)
    found = ours(work)
    assert all(found[f"{name}, ns, 2"] > 0 for name in reflex_more.THREADS.values())
    assert found["pthreads, centralized: this host over the model of TILE64, 2"] > 0
    assert "mpi4py is missing" in claim_of(work, "barriers of MPI").note
    assert claim_of(work, "pthreads, UPC and MPI").verdict == "no result"


def test_without_a_compiler_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(reflex_more, "find_spec", lambda name: None)
    work = work_of("reflex-host", 1, most=2, rounds=1)
    assert "g++ is not there" in claim_of(work, "barriers of pthreads").note


def test_ranks_are_measured() -> None:
    found = ours(work_of("reflex-host", 1, most=2, rounds=20))
    assert all(found[f"{name}, ns, 2"] > 0 for name in reflex_more.MPI.values())
    assert found["pthreads, UPC and MPI give identical results"] in ("yes", "no")


@pytest.mark.parametrize("kind", "pcd")
def test_no_thread_leaves_a_barrier_early(kind: str, tmp_path: Path) -> None:
    text = reflex_more.SOURCE.read_text()
    old = "while (round < warm + rounds) wait(me, ++round);"
    assert old in text
    checked = """while (round < warm + rounds) {
        here[me].round.store(++round);
        wait(me, round);
        for (int i = 0; i < threads; i++) if (here[i].round.load() < round) abort();
    }"""
    source = tmp_path / "checked.cpp"
    source.write_text(
        text.replace(old, checked).replace(
            "static int threads;", "static Flag here[MOST];\nstatic int threads;"
        )
    )
    program = tmp_path / "checked"
    flags = ["-std=c++11", "-pthread", "-Wall", "-Wextra", "-Werror", "-o", str(program)]
    subprocess.run(["g++", *flags, str(source)], check=True)
    subprocess.run([program, kind, "3", "300"], check=True, capture_output=True, timeout=60)
