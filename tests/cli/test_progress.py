"""What is shown while a job, an experiment or a search runs."""

import io
import sys
import time

import pytest

from syncfabric.cli.progress import doing, progress_display, standing_display
from syncfabric.models.collectives.record import Standing
from syncfabric.sim.experiments.jobs import Tally


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Put a terminal in place of standard error."""
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    return screen


def test_lines_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_display() as progress:
        progress("plan", 0, 1)
        progress("plan", 1, 1)
        for done in range(101):
            progress("simulate", done, 100)
        progress("simulate", 100, 100)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("plan the trees: done in ")
    assert lines[1:3] == ["simulate and check …", "simulate and check: 10/100 episodes"]
    assert lines[-1].startswith("simulate and check: done in ")
    assert len(lines) == 1 + 1 + 9 + 1


def test_a_build_says_how_long_it_may_take(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_display() as progress:
        progress("build", 0, 1)
        begun = capsys.readouterr().err
        progress("build", 1, 1)
    assert begun == "build the simulator (a minute or two, unless it was built before) …\n"
    assert capsys.readouterr().err.startswith("build the simulator: done in ")


def test_bars_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = terminal(monkeypatch)
    with progress_display() as progress:
        progress("build", 0, 1)
        progress("build", 1, 1)
        progress("simulate", 40, 100)
    assert "build the simulator" in screen.getvalue()
    assert "a minute if new" not in screen.getvalue()
    with progress_display() as progress:
        progress("build", 0, 1)
    assert "a minute if new" in screen.getvalue()
    assert "40/100 episodes" in screen.getvalue()


def test_an_experiment_has_lines_now_and_then_where_there_is_no_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    with doing("toy") as display:
        for second in range(13):
            clock[0] = second
            display.count(Tally(jobs=2000, done=100 * second))
            if second == 7:
                display.show("drawing networks")
    assert capsys.readouterr().err.splitlines() == [
        "toy: 500 of 2,000 jobs done",
        "toy: drawing networks; 1,000 of 2,000 jobs done",
    ]


def test_an_experiment_has_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = terminal(monkeypatch)
    with doing("toy") as display:
        display.show("drawing [networks]")
        display.count(Tally(jobs=100, done=40, kept=20))
    assert "toy: drawing [networks]" in screen.getvalue()
    assert "20/80" in screen.getvalue()


def test_a_search_prints_lines(capsys: pytest.CaptureFixture[str]) -> None:
    with standing_display() as show:
        show(Standing("hgsa", 16, None, 16, 12, 0, 0.0))
        show(Standing("hgsa", 16, None, 16, 7, 4_000_000, 1.0))  # too soon for another line
        show(Standing("hgsa", 17, None, 16, 1, 8_000_000, 2.0))
        show(Standing("exact", 16, 17, 16, 240, 8_000_000, 3.0))
    assert capsys.readouterr().err.splitlines() == [
        "hgsa: 16 steps, 12 conflicts left, 0 evaluations a second, no schedule yet, bound 16, 0 s",
        "hgsa: 17 steps, 1 conflict left, 4.0 million evaluations a second, no schedule yet, "
        "bound 16, 2 s",
        "exact: 16 steps, best so far 17 steps, bound 16, 3 s",
    ]
