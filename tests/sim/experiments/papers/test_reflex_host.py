"""Barriers of this host."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from syncfabric.sim.experiments.papers import reflex_host
from tests.sim.experiments.papers.done import claim_of, ours, work_of


def test_threads_are_measured_beside_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reflex_host, "find_spec", lambda name: None)
    work = work_of("reflex-host", 1, most=2, rounds=20)
    found = ours(work)
    assert all(found[f"{name}, ns, 2"] > 0 for name in reflex_host.THREADS.values())
    assert found["pthreads, centralized: this host over the model of TILE64, 2"] > 0
    assert "mpi4py is missing" in claim_of(work, "barriers of MPI").note
    assert claim_of(work, "pthreads, UPC and MPI").verdict == "no result"


def test_without_a_compiler_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(reflex_host, "find_spec", lambda name: None)
    work = work_of("reflex-host", 1, most=2, rounds=1)
    assert "g++ is not there" in claim_of(work, "barriers of pthreads").note


def test_ranks_are_measured() -> None:
    found = ours(work_of("reflex-host", 1, most=2, rounds=20))
    assert all(found[f"{name}, ns, 2"] > 0 for name in reflex_host.MPI.values())
    assert found["pthreads, UPC and MPI give identical results"] in ("yes", "no")


@pytest.mark.parametrize("kind", "pcd")
def test_no_thread_leaves_a_barrier_early(kind: str, tmp_path: Path) -> None:
    text = reflex_host.SOURCE.read_text()
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
