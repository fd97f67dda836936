"""``syncfabric schedule``."""

import json
import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from syncfabric.models.collectives.annealing import solve
from syncfabric.models.collectives.exact.first_fit import first_fit
from syncfabric.models.collectives.files import load_schedule
from syncfabric.models.collectives.record import Standing
from syncfabric.models.collectives.verdict import examine
from tests.cli.conftest import Call
from tests.programs import run, start

SMALL = ("schedule", "mesh-3x3", "AAS", "--ports", "1", "--method", "hgsa", "--steps", "8")
ONE = (*SMALL, "--islands", "1", "--seed", "4")


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


INTERRUPTED = """
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
    process = start("-c", INTERRUPTED, *words)
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


def test_it_finds_writes_and_prints(call: Call, here: Path) -> None:
    result = call("schedule", "octagon-8", "AAS", "-o", "s.json", "--ts", 100, "--bytes", 10)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "alltoall (AAS) on octagon-8, all ports, single-use, wormhole"
    assert lines[1].startswith("steps      4; 56 messages; by construction, ")
    assert lines[2].startswith("time       410 ns by eq. (3), 440 ns if each step pays")
    assert lines[3].startswith("bounds     4: ")
    assert any("paper's Table 1" in line for line in lines)
    assert lines[-1].startswith("verdict    optimal: 16 messages must leave 4 vertices")
    schedule = load_schedule(here / "s.json")
    assert schedule.certificate is not None
    assert examine(schedule).optimal
    checked = call("check", "s.json")
    assert checked.exit_code == 0
    assert "; holds" in checked.stdout


def test_what_is_found_is_drawn(call: Call, here: Path) -> None:
    assert call("schedule", "ring-4", "OAB", "--draw", "s.svg").exit_code == 0
    assert (here / "s.svg").read_text().startswith("<?xml")
    assert call("schedule", "ring-4", "OAB", "--draw", "s.png").exit_code == 0
    assert (here / "s.png").read_bytes().startswith(b"\x89PNG")


def test_as_json(call: Call, here: Path) -> None:
    result = call("schedule", "mesh-4x4", "oas", "--senders", "1", "--nonminimal", 2, "--json")
    found = json.loads(result.stdout)
    assert (found["collective"], found["steps"], found["bound"]) == ("scatter", 5, 5)
    assert (found["found"], found["optimal"], found["nonminimal"]) == (True, True, 2)
    assert found["certificate"]["value"] == 5
    assert found["bounds"][0]["argument"]["kind"] == found["certificate"]["argument"]["kind"]
    assert found["time"]["eq3"] == 5 * 1000 + 1024
    assert found["schedule"]["format"] == "syncfabric-schedule/1"
    assert found["file"] is None
    assert found["seed"] == 1
    call("schedule", "ring-4", "OAB", "-o", "s.json")
    found = json.loads(call("schedule", "ring-4", "OAB", "-o", "s.json", "--json").stdout)
    assert (found["file"], found["schedule"]) == ("s.json", None)


def test_rules_and_members(call: Call) -> None:
    words = ("--ports", 1, "--one-port", "strict", "--switching", "store-and-forward", "--json")
    found = json.loads(call("schedule", "octagon-8", "OAB", *words).stdout)
    assert (found["steps"], found["ports"], found["one_port"]) == (4, 1, "strict")
    assert found["certificate"]["argument"]["kind"] == "solver"
    members = ("--senders", "0-2,5", "--receivers", "4,6", "--json")
    found = json.loads(call("schedule", "ring-8", "MNB", *members).stdout)
    assert found["schedule"]["senders"] == [0, 1, 2, 5]
    assert found["schedule"]["receivers"] == [4, 6]
    found = json.loads(
        call("schedule", "hypercube-16", "permutation", "--permutation", "shuffle", "--json").stdout
    )
    assert found["schedule"]["receivers"][:4] == [0, 2, 4, 6]
    assert found["optimal"]


def test_none_found_is_code_1(call: Call, here: Path) -> None:
    words = ("--ports", 1, "--one-port", "strict", "--switching", "store-and-forward")
    result = call("schedule", "octagon-8", "OAB", *words, "--steps", 3, "-o", "s.json")
    assert result.exit_code == 1
    assert "steps      none found with 3; " in result.stdout
    assert result.stdout.splitlines()[-1] == (
        "verdict    no schedule found; none has fewer than 4 steps"
    )
    assert not (here / "s.json").exists()
    result = call("schedule", "octagon-8", "OAB", *words, "--steps", 3, "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["found"] is False


def test_ctrl_c_keeps_the_best(call: Call, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pressed when there is a schedule, however long that took."""
    pressed = threading.Event()

    def press(standing: Standing) -> None:
        if standing.best is not None and not pressed.is_set():
            pressed.set()
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr("syncfabric.cli.progress._standing_lines", lambda: press)
    words = ("--ports", 1, "--one-port", "strict", "--switching", "store-and-forward")
    result = call("schedule", "mesh-5x5", "AAB", *words, "-o", "s.json", "--time-limit", 600)
    assert pressed.is_set()
    assert result.exit_code == 0
    schedule = load_schedule(here / "s.json")
    assert examine(schedule).right
    assert "verdict    not proved optimal; no schedule has fewer than 28" in result.stdout


def test_ctrl_c_before_there_is_a_schedule_makes_one_in_haste(
    call: Call, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pressed during first fit, which lists paths."""

    def press(*words: Any, **options: Any) -> Any:
        if not options:
            os.kill(os.getpid(), signal.SIGINT)
        return first_fit(*words, **options)

    monkeypatch.setattr("syncfabric.models.collectives.exact.first_fit.first_fit", press)
    result = call("schedule", "hypercube-512", "OAB", "-o", "s.json", "--time-limit", 600)
    assert result.exit_code == 0
    assert "by first fit in haste" in result.stdout
    assert "verdict    not proved optimal; no schedule has fewer than 3" in result.stdout
    assert examine(load_schedule(here / "s.json")).right


def test_bounds_for_which_there_was_no_time_are_named(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("syncfabric.models.collectives.search._BOUNDS_SHARE", 0.0)
    words = ("schedule", "mesh-5x5", "AAS", "--steps", 400)
    said = "           no time for other arguments (cut, load, paper): a greater bound may hold"
    assert said in call(*words).stdout.splitlines()
    assert json.loads(call(*words, "--json").stdout)["bounds_cut_off"] == ["cut", "load", "paper"]


PROGRAM = """
from syncfabric.cli import main
from syncfabric.models.collectives.annealing import solve
solve.EPOCH = 20_000
main()
"""
TASK = ("schedule", "mesh-4x4", "AAS", "--ports", "1", "--method", "hgsa", "--steps", "17")


def ran(*words: str, ranks: int = 0) -> tuple[int, str, str]:
    done = run("-c", PROGRAM, *words, ranks=ranks)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.nightly
def test_ranks_write_the_file_that_processes_write(here: Path) -> None:
    code, out, _ = ran(*TASK, "-o", "ranks.json", "--json", ranks=2)
    assert code == 0
    alone, lone, _ = ran(*TASK, "--islands", "2", "-o", "alone.json", "--json")
    assert alone == 0
    assert (here / "ranks.json").read_text() == (here / "alone.json").read_text()
    assert json.loads(out)["evaluations"] == json.loads(lone)["evaluations"] > 20_000
    assert examine(load_schedule(here / "ranks.json")).right


@pytest.mark.nightly
def test_ranks_go_on_from_a_checkpoint(here: Path) -> None:
    words = (*HARD, "--checkpoint", "c", "--json")
    code, out, _ = ran(*words, "--time-limit", "0.5", ranks=2)
    assert code == 1
    first = json.loads(out)
    code, out, _ = ran(*words, "--time-limit", str(first["seconds"] + 2), ranks=2)
    assert code == 1
    second = json.loads(out)
    assert second["evaluations"] > first["evaluations"]
    # Two processes take it up as well, one does not.
    code, out, _ = ran(*words, "--time-limit", str(second["seconds"] + 2), "--islands", "2")
    assert code == 1
    assert json.loads(out)["evaluations"] > second["evaluations"]
    code, out, text = ran(*words, "--islands", "1")
    assert (code, out) == (2, "")
    assert text.splitlines()[-1].startswith("error: c: this checkpoint is of another run; ")


@pytest.mark.nightly
def test_ctrl_c_ends_all_ranks_with_what_they_have(here: Path) -> None:
    process = start(
        "-c", PROGRAM, *HARD, "--checkpoint", "c", "--time-limit", "600", "--json", ranks=2
    )
    assert process.stderr is not None
    while "hgsa: 30 steps, " not in process.stderr.readline():
        pass
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    out, text = process.communicate(timeout=120)
    assert process.returncode == 1  # it has no schedule
    assert json.loads(out[out.index("{") :])["found"] is False
    assert "Traceback" not in text
    assert (here / "c").exists()


@pytest.mark.nightly
def test_one_rank_prints_what_is_wrong() -> None:
    code, out, text = ran("schedule", "octagon-9", "AAS", ranks=2)
    assert (code, out) == (2, "")
    (line,) = (line for line in text.splitlines() if line.startswith("error: "))
    assert line.startswith('error: topology: size of "octagon-9" must be a multiple of 4')
