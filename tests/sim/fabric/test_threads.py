"""Threads that evaluate a network: they change no result, and touch nothing of each other."""

import os
import shutil
from pathlib import Path

import pytest

from syncfabric.sim.fabric.build import build_fabric
from syncfabric.sim.fabric.program import Fabric, idle_cores
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.networks import irregular
from tests.sim.drive.test_backends import CLUSTERS, NETWORKS
from tests.sim.fabric.test_idle import WIRES, Seen, seen, tiles_of

SANITIZED = ("-CFLAGS", "-fsanitize=thread -g", "-LDFLAGS", "-fsanitize=thread")
ALL = {
    "wires, link registers": WIRES,
    "messages": NETWORKS["default"],
    "irregular": CLUSTERS["irregular, default"],
}


def all_seen(name: str, folder: Path, threads: int) -> tuple[Seen, int, int]:
    """Return all that shows of a run in so many threads, sleeping tiles and none that sleep."""
    return seen(ALL[name], folder, all_active=name != "messages", threads=threads)


@pytest.mark.parametrize(
    "name",
    [
        "messages",
        *(pytest.param(name, marks=pytest.mark.nightly) for name in ALL if name != "messages"),
    ],
)
def test_threads_change_no_result(name: str, tmp_path: Path) -> None:
    assert tiles_of(ALL[name]) >= 24  # enough for three
    alone = all_seen(name, tmp_path, 1)
    assert len(alone[0][0]) > 1_000
    assert all_seen(name, tmp_path, 2) == alone
    assert all_seen(name, tmp_path, 3) == alone


@pytest.mark.nightly
def test_a_network_may_have_fewer_tiles_than_threads(tmp_path: Path) -> None:
    spec = irregular(SMALL)
    with Fabric(build_fabric(spec), threads=40) as fabric:
        fabric.all_active()
        fabric.run(300)
        assert fabric.evaluated() == 300 * tiles_of(spec)


@pytest.mark.nightly
@pytest.mark.parametrize("all_active", [True, False])
def test_no_two_threads_meet_in_the_same_memory(
    all_active: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The compiler's sanitizer sees to it: it writes of each race that it finds."""
    setarch = shutil.which("setarch")
    assert setarch, "setarch is missing: the sanitizer needs addresses that are not random"
    spec = NETWORKS["default"]
    built = build_fabric(spec, flags=SANITIZED)
    script = tmp_path / "bench"
    script.write_text(
        f'#!/bin/sh\nexec {setarch} -R "{built.program}" "$@" 2>>"{tmp_path}/races"\n'
    )
    script.chmod(0o755)
    object.__setattr__(built, "program", script)
    monkeypatch.setattr("tests.sim.fabric.test_idle.build_fabric", lambda spec, flags: built)
    seen(spec, tmp_path, all_active=all_active, threads=3)
    assert (tmp_path / "races").read_text() == ""


def test_a_long_run_takes_the_cores_on_which_nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3})
    for running, wanted in ((1, 4), (3, 2), (9, 1)):
        text = f"0.5 0.4 0.3 {running}/300 77\n"
        monkeypatch.setattr("pathlib.Path.read_text", lambda _, text=text: text)
        assert idle_cores() == wanted
