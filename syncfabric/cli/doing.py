"""What an experiment is doing, on standard error: a bar on a terminal, else a line now and then."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

import typer

if TYPE_CHECKING:
    from rich.progress import Progress

    from syncfabric.sim.experiments.crew import Tally

__all__ = ["Doing", "doing"]

EACH = 5.0
"""Seconds between two lines where there is no terminal."""


class Doing(Protocol):
    """Is told how far an experiment is."""

    def tell(self, words: str) -> None:
        """Say what is being done."""

    def count(self, tally: "Tally") -> None:
        """Say how far the jobs are."""


@contextmanager
def doing(name: str) -> Iterator[Doing]:
    """Show what an experiment of this name is doing while the block runs."""
    if not sys.stderr.isatty():
        yield _Lines(name)
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=28),
        MofNCompleteColumn(),
        TextColumn("jobs"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        yield _Bar(name, bars)


class _Bar:
    def __init__(self, name: str, bars: "Progress") -> None:
        self.name, self.bars = name, bars
        self.task = bars.add_task(name, total=None)

    def tell(self, words: str) -> None:
        self.bars.update(self.task, description=f"{self.name}: {words}")

    def count(self, tally: "Tally") -> None:
        # What was kept took no time: the time that is left follows from the others.
        jobs, done = tally.jobs - tally.kept, tally.done - tally.kept
        self.bars.update(self.task, completed=done, total=jobs or None)


class _Lines:
    def __init__(self, name: str) -> None:
        self.name, self.words, self.due = name, "", time.monotonic() + EACH

    def tell(self, words: str) -> None:
        self.words = words
        self._say(words)

    def count(self, tally: "Tally") -> None:
        jobs = f"{tally.done:,} of {tally.jobs:,} jobs done"
        self._say(f"{self.words}; {jobs}" if self.words else jobs)

    def _say(self, words: str) -> None:
        if time.monotonic() >= self.due:
            self.due = time.monotonic() + EACH
            typer.echo(f"{self.name}: {words}", err=True)
