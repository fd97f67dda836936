"""``syncfabric schedule --checkpoint``: a search that goes on where it was broken off."""

import json
import signal
import time
from pathlib import Path

import pytest

from syncfabric.models.collectives.annealing import solve
from syncfabric.models.collectives.files import load_schedule
from syncfabric.models.collectives.verdict import examine
from tests.cli.conftest import Call
from tests.programs import start

TASK = ("schedule", "mesh-3x3", "AAS", "--ports", "1", "--method", "hgsa", "--steps", "8")
ONE = (*TASK, "--islands", "1", "--seed", "4")


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the search look at its clock after few moves."""
    monkeypatch.setattr(solve, "EPOCH", 1000)


@pytest.mark.nightly
@pytest.mark.usefixtures("short")
def test_what_goes_on_finds_what_never_stopped_finds(call: Call, here: Path) -> None:
    whole = call(*ONE, "-o", "whole.json", "--json")
    assert whole.exit_code == 0
    evaluations = json.loads(whole.stdout)["evaluations"]
    part = call(*ONE, "--checkpoint", "c", "--time-limit", "0.001", "--json")
    assert part.exit_code == 1
    first = json.loads(part.stdout)
    assert 0 < first["evaluations"] < evaluations
    assert first["conflicts"] > 0
    assert call(*ONE, "--checkpoint", "c", "--time-limit", "0.002").exit_code == 1
    resumed = call(*ONE, "--checkpoint", "c", "-o", "resumed.json", "--json")
    assert resumed.exit_code == 0
    assert json.loads(resumed.stdout)["evaluations"] == evaluations
    assert (here / "resumed.json").read_text() == (here / "whole.json").read_text()
    assert examine(load_schedule(here / "resumed.json")).right


OTHERS = (
    (*ONE[:-1], "5"),
    (*ONE, "--steps", "9"),
    (*ONE, "--ports", "2"),
    (*ONE, "--nonminimal", "2"),
    ("schedule", "mesh-3x3", "OAS", *ONE[3:]),
    ("schedule", "mesh-2x4", "AAS", *ONE[3:]),
)


@pytest.mark.usefixtures("short")
def test_a_checkpoint_of_another_run_is_refused(call: Call, here: Path) -> None:
    assert call(*ONE, "--checkpoint", "c", "--time-limit", "0.001").exit_code == 1
    kept = (here / "c").read_bytes()
    for words in OTHERS:
        result = call(*words, "--checkpoint", "c")
        assert result.exit_code == 2, words
        assert result.stdout == ""
        assert result.stderr.splitlines()[-1] == (
            "error: c: this checkpoint is of another run; task, steps, seed, parameters and "
            "islands must be the same"
        ), words
        assert (here / "c").read_bytes() == kept


def test_what_is_no_checkpoint_is_refused(call: Call, here: Path) -> None:
    (here / "text").write_text("no checkpoint")
    (here / "folder").mkdir()
    for file, message in (
        ("text", "text: it is no checkpoint, or it is damaged"),
        ("folder", "output file folder is a folder; name a file in it"),
        ("no/c", "no/c: its folder is not there; make it, or choose another place"),
    ):
        result = call(*ONE, "--checkpoint", file)
        assert result.exit_code == 2
        assert result.stderr.splitlines()[-1] == f"error: {message}"


PROGRAM = """
from syncfabric.cli import main
from syncfabric.models.collectives.annealing import solve
solve.EPOCH, solve.WRITE = 1000, 0
main()
"""
HARD = ("schedule", "mesh-5x5", "AAS", "--ports", "1", "--method", "hgsa", "--steps", "30")


@pytest.mark.nightly
@pytest.mark.usefixtures("short")
def test_what_was_killed_goes_on(call: Call, here: Path) -> None:
    words = (*HARD, "--islands", "1", "--checkpoint", "c")
    process = start("-c", PROGRAM, *words)
    try:
        end = time.monotonic() + 120
        while not (here / "c").exists() and time.monotonic() < end:
            time.sleep(0.05)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    # What it had when it was killed, for no time is left; then more.
    had = json.loads(call(*words, "--time-limit", "0.001", "--json").stdout)
    assert had["evaluations"] > 0
    before = (here / "c").read_bytes()
    more = json.loads(call(*words, "--time-limit", had["seconds"] + 60, "--json").stdout)
    assert more["evaluations"] > had["evaluations"]
    assert more["conflicts"] <= had["conflicts"]
    assert (here / "c").read_bytes() != before
