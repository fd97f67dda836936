"""The arguments of mpiexec; a program in its place says whose it is."""

import sys
from pathlib import Path

import pytest

from syncfabric.models.errors import SpecError, ToolError
from syncfabric.sim.ranks import launch


def stand_in(folder: Path, version: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Put a program that prints this version where mpiexec is looked for."""
    program = folder / "mpiexec"
    program.write_text(f"#!/bin/sh\necho '{version}'\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    return str(program)


@pytest.mark.parametrize(
    ("version", "outlive", "before"),
    [
        ("HYDRA build details:", False, []),
        ("HYDRA build details:", True, ["-disable-auto-cleanup"]),
        ("mpiexec (Open MPI) 5.0.11", False, ["--map-by", ":OVERSUBSCRIBE"]),
        ("mpiexec (Open MPI) 5.0.11", True, ["--map-by", ":OVERSUBSCRIBE", "--continuous"]),
        ("another", True, []),
    ],
)
def test_options_are_those_of_the_library(
    version: str, outlive: bool, before: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = stand_in(tmp_path, version, monkeypatch)
    command = launch.mpiexec(7, ["a", "b"], outlive=outlive)
    assert command[: 3 + len(before)] == [program, *before, "-n", "7"]
    assert command[-2:] == ["a", "b"]
    hosts = launch.mpiexec(7, ["a"], outlive=outlive, hostfile=Path("hosts"))
    assert hosts[1 + len(before) : 5 + len(before)] == ["-hostfile", "hosts", "-n", "7"]


def test_hosts_that_mpiexec_takes() -> None:
    launch.check_hosts(
        "# two\nnode-1.lan:8\n\nnode2 slots = 4 max_slots=8\n192.168.0.1 # a third\n"
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "it has no host"),
        ("# none\n \n", "it has no host"),
        ("a\nlocalhost:0\n", 'line 2: .* not "localhost:0"'),
        ("a:-1\n", 'line 1: .* not "a:-1"'),
        ("a:x\n", "line 1: "),
        ("a b c\n", 'line 1: .* not "a b c"'),
        ("!!@@\n", "line 1: "),
    ],
)
def test_hosts_are_refused_by_line(text: str, words: str) -> None:
    with pytest.raises(SpecError, match=words):
        launch.check_hosts(text)


def test_a_missing_mpiexec_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        ToolError, match=r"install it in the checkout with: \.venv/bin/pip install -e '\.\[mpi\]'"
    ):
        launch.mpiexec(2, [])
