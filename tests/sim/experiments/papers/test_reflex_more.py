"""Figs. 9 and 10 of paper Reflex, sweeps, and measurements on this machine."""

import math
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from syncfabric.sim.experiments.papers import reflex_more
from syncfabric.sim.experiments.papers.reflex_barriers import diameter
from tests.sim.experiments.papers.done import claim_of, ours, value_of, work_of


def test_figure_10_is_a_line() -> None:
    work = work_of("reflex-fig10")
    assert value_of(work, "Reflex scales linearly") == pytest.approx(1)
    assert value_of(work, "Reflex, ns that a node more costs") == pytest.approx(200)
    assert value_of(work, "Reflex scales to a large number") == 171
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
    assert value_of(work, "Reflex, 64 cores") == pytest.approx(134 / 100)
    wanted = pytest.approx(100 * (14 - 6) / 6)
    assert value_of(work, "the model is a good approximation") == wanted
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
        hops = diameter(cores) if machine == "tile64" else 0
        rounds = math.ceil(math.log2(cores)) * (message + hops * times["h"])
        if 2 * message + 2 * cores * times["h"] <= rounds * (1 + 1e-12):
            break
        cores -= 1
    assert reflex_more.least_cores(machine, name, "dissemination", factor, most) == cores + 1


def test_the_sweep_draws_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reflex_more, "FACTORS", (0.5, 1.0, 2.0))
    work = work_of("reflex-sweep", cores=400)
    assert work.series["tile64, o"] == [(0.5, 38), (1.0, 40), (2.0, 66)]
    assert value_of(work, "infiniband, h x 1: ") == 171
    assert value_of(work, "tile64, g x 1: Reflex slower than UDN/STN") is None
    assert value_of(work, "tile64, g x 0.5: Reflex slower than UDN/STN") == 2


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
