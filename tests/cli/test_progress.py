"""What is shown while a job runs."""

import io
import sys

import pytest

from syncfabric.cli.progress import progress_display


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
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
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
