"""What is shown while an experiment runs."""

import io
import sys
import time

import pytest

from syncfabric.cli.progress import doing
from syncfabric.sim.experiments.jobs import Tally


def test_lines_now_and_then_where_there_is_no_terminal(
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


def test_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with doing("toy") as display:
        display.show("drawing [networks]")
        display.count(Tally(jobs=100, done=40, kept=20))
    assert "toy: drawing [networks]" in screen.getvalue()
    assert "20/80" in screen.getvalue()
