"""How far a search for a schedule is, on standard error: a moving line on a terminal."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from syncfabric.models.collectives.record import Standing

__all__ = ["standing_display"]

EACH = 5.0
"""Seconds between two lines where there is no terminal."""
SMOOTH = 0.3
"""Weight of the newest rate of evaluations."""

Show = Callable[["Standing"], None]


@contextmanager
def standing_display() -> Iterator[Show]:
    """Show the standing of a search while the block runs."""
    if not sys.stderr.isatty():
        yield _lines()
        return
    from rich.console import Console
    from rich.live import Live
    from rich.spinner import Spinner

    spinner = Spinner("dots", "")
    rate = _Rate()
    with Live(spinner, console=Console(stderr=True), transient=True, refresh_per_second=8):

        def show(standing: "Standing") -> None:
            spinner.update(text=_words(standing, rate(standing)))

        yield show


def _lines() -> Show:
    rate, said = _Rate(), [("", 0)]
    due = [0.0]

    def show(standing: "Standing") -> None:
        now, what = time.monotonic(), (standing.method, standing.steps)
        each = rate(standing)
        if what != said[0] or now >= due[0]:
            said[0], due[0] = what, now + EACH
            typer.echo(_words(standing, each), err=True)

    return show


class _Rate:
    """Evaluations a second, smoothed."""

    def __init__(self) -> None:
        self.seconds = self.rate = 0.0
        self.evaluations = 0

    def __call__(self, standing: "Standing") -> float:
        passed = standing.seconds - self.seconds
        if passed > 0.05:
            fresh = max(0, standing.evaluations - self.evaluations) / passed
            self.rate = fresh if self.rate == 0 else SMOOTH * fresh + (1 - SMOOTH) * self.rate
            self.seconds, self.evaluations = standing.seconds, standing.evaluations
        return self.rate


def _words(standing: "Standing", rate: float) -> str:
    best = "no schedule yet" if standing.best is None else f"best so far {standing.best} steps"
    parts = [f"{standing.method}: {standing.steps} steps"]
    if standing.method != "exact":
        count = standing.conflicts
        parts += [f"{count:,} conflict{'' if count == 1 else 's'} left", _rate_words(rate)]
    return ", ".join([*parts, f"{best}, bound {standing.bound}, {standing.seconds:.0f} s"])


def _rate_words(rate: float) -> str:
    if rate >= 1e6:
        return f"{rate / 1e6:.1f} million evaluations a second"
    return f"{rate:,.0f} evaluations a second"
