"""What a job is doing, on standard error: moving bars on a terminal, else a line now and then."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

import typer

from syncfabric.sim.progress import Progress, Step

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

    from syncfabric.sim.experiments.jobs import Tally

__all__ = ["WORDS", "Doing", "doing", "progress_display"]

WORDS: dict[Step, str] = {
    "plan": "plan the trees",
    "emit": "emit the Verilog",
    "build": "build the simulator",
    "simulate": "simulate and check",
    "draw": "draw pictures",
    "synthesize": "synthesize, place, route",
}


NEW = " (a minute or two, unless it was built before)"
"""How long it takes to build a simulator."""
EACH = 5.0
"""Seconds between two lines where there is no terminal."""


@contextmanager
def progress_display(unit: str = "episodes") -> Iterator[Progress]:
    """Show progress while the block runs."""
    if sys.stderr.isatty():
        with _bars(unit) as progress:
            yield progress
    else:
        yield _lines(unit)


@contextmanager
def _bars(unit: str) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    tasks: dict[Step, TaskID] = {}
    columns = (
        SpinnerColumn(finished_text="[green]✓"),
        TextColumn("{task.description:22}"),
        BarColumn(bar_width=28),
        TextColumn("{task.fields[amount]:>18}"),
        TimeElapsedColumn(),
    )
    with Bars(*columns, console=Console(stderr=True)) as bars:

        def progress(step: Step, done: int, total: int) -> None:
            if step not in tasks:
                tasks[step] = bars.add_task(WORDS[step], total=None, amount="")
            counted = total > 1
            amount = f"{done}/{total} {_thing(step, unit)}" if counted else ""
            if step == "build" and done < total:
                amount = "a minute if new"
            # A step that cannot be counted pulses until it is done.
            whole = total if counted or done >= total else None
            bars.update(tasks[step], completed=done, total=whole, amount=amount)

        yield progress


def _lines(unit: str) -> Progress:
    begun: dict[Step, float] = {}
    told: dict[Step, int] = {}

    def progress(step: Step, done: int, total: int) -> None:
        if step not in begun:
            begun[step] = time.monotonic()
            if step != "plan":  # what is refused is refused here, in one line
                typer.echo(f"{WORDS[step]}{NEW if step == 'build' else ''} …", err=True)
        tenth = done * 10 // max(1, total)
        if done >= total:
            if told.get(step) != 10:
                seconds = time.monotonic() - begun[step]
                typer.echo(f"{WORDS[step]}: done in {seconds:.1f} s", err=True)
            tenth = 10
        elif total >= 10 and tenth > told.get(step, 0) and step == "simulate":
            typer.echo(f"{WORDS[step]}: {done}/{total} {_thing(step, unit)}", err=True)
        told[step] = max(told.get(step, 0), tenth)

    return progress


def _thing(step: Step, unit: str) -> str:
    return {"simulate": unit, "draw": "pictures"}.get(step, "")


class Doing(Protocol):
    """Shows how far an experiment is."""

    def show(self, words: str) -> None:
        """Say what is being done."""

    def count(self, tally: "Tally") -> None:
        """Say how far the jobs are."""


@contextmanager
def doing(name: str) -> Iterator[Doing]:
    """Show what an experiment of this name is doing while the block runs."""
    if not sys.stderr.isatty():
        yield _Tallies(name)
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
    def __init__(self, name: str, bars: "RichProgress") -> None:
        self.name, self.bars = name, bars
        self.task = bars.add_task(name, total=None)

    def show(self, words: str) -> None:
        self.bars.update(self.task, description=f"{self.name}: {words}")

    def count(self, tally: "Tally") -> None:
        # What was kept took no time: the time that is left follows from the others.
        jobs, done = tally.jobs - tally.kept, tally.done - tally.kept
        self.bars.update(self.task, completed=done, total=jobs or None)


class _Tallies:
    def __init__(self, name: str) -> None:
        self.name, self.words, self.due = name, "", time.monotonic() + EACH

    def show(self, words: str) -> None:
        self.words = words
        self._say(words)

    def count(self, tally: "Tally") -> None:
        jobs = f"{tally.done:,} of {tally.jobs:,} jobs done"
        self._say(f"{self.words}; {jobs}" if self.words else jobs)

    def _say(self, words: str) -> None:
        if time.monotonic() >= self.due:
            self.due = time.monotonic() + EACH
            typer.echo(f"{self.name}: {words}", err=True)
