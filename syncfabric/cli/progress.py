"""What a job is doing, on standard error: moving bars on a terminal, else a line now and then."""

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

import typer

from syncfabric.sim.progress import Progress, Step

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

    from syncfabric.models.collectives.record import Standing
    from syncfabric.sim.experiments.jobs import Tally

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
SMOOTH = 0.3
"""Weight of the newest rate of evaluations."""

Show = Callable[["Standing"], None]


@contextmanager
def interrupts() -> Iterator[Callable[[], bool]]:
    """Give a function that is true after Ctrl-C; a second Ctrl-C interrupts."""
    asked = threading.Event()

    def interrupt(*_: object) -> None:
        asked.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield asked.is_set
    finally:
        signal.signal(signal.SIGINT, before)


def _bars(*columns: Any, **options: Any) -> "Bars":
    """Return bars on standard error, with these columns around the bar itself."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress

    shown = (BarColumn(bar_width=28) if column is None else column for column in columns)
    return Progress(*shown, console=Console(stderr=True), **options)


class _Timed:
    """Says on standard error what is due, and nothing more often than every few seconds."""

    def __init__(self, due: float = 0.0) -> None:
        self.due = time.monotonic() + due

    def say(self, words: str, *, now: bool = False) -> None:
        if now or time.monotonic() >= self.due:
            self.due = time.monotonic() + EACH
            typer.echo(words, err=True)


def now_and_then() -> Callable[[str], None]:
    """Return what prints a line on standard error, at most one every few seconds."""
    return _Timed(EACH).say


@contextmanager
def progress_display(unit: str = "episodes") -> Iterator[Progress]:
    """Show progress while the block runs."""
    if not sys.stderr.isatty():
        yield _lines(unit)
        return
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    tasks: dict[Step, TaskID] = {}
    with _bars(
        SpinnerColumn(finished_text="[green]✓"),
        TextColumn("{task.description:22}"),
        None,
        TextColumn("{task.fields[amount]:>18}"),
        TimeElapsedColumn(),
    ) as bars:

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
    printed: dict[Step, int] = {}

    def progress(step: Step, done: int, total: int) -> None:
        if step not in begun:
            begun[step] = time.monotonic()
            if step != "plan":  # what is refused is refused here, in one line
                typer.echo(f"{WORDS[step]}{NEW if step == 'build' else ''} …", err=True)
        tenth = done * 10 // max(1, total)
        if done >= total:
            if printed.get(step) != 10:
                seconds = time.monotonic() - begun[step]
                typer.echo(f"{WORDS[step]}: done in {seconds:.1f} s", err=True)
            tenth = 10
        elif total >= 10 and tenth > printed.get(step, 0) and step == "simulate":
            typer.echo(f"{WORDS[step]}: {done}/{total} {_thing(step, unit)}", err=True)
        printed[step] = max(printed.get(step, 0), tenth)

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
    from rich import progress as rich

    with _bars(
        rich.SpinnerColumn(),
        rich.TextColumn("{task.description}", markup=False),
        None,
        rich.MofNCompleteColumn(),
        rich.TextColumn("jobs"),
        rich.TimeElapsedColumn(),
        rich.TextColumn("left"),
        rich.TimeRemainingColumn(),
        transient=True,
    ) as bars:
        yield _Bar(name, bars)


class _Bar:
    def __init__(self, name: str, bars: "Bars") -> None:
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
        self.name, self.words, self.line = name, "", _Timed(EACH)

    def show(self, words: str) -> None:
        self.words = words
        self.line.say(f"{self.name}: {words}")

    def count(self, tally: "Tally") -> None:
        jobs = f"{tally.done:,} of {tally.jobs:,} jobs done"
        self.line.say(
            f"{self.name}: {self.words}; {jobs}" if self.words else f"{self.name}: {jobs}"
        )


@contextmanager
def standing_display() -> Iterator[Show]:
    """Show the standing of a search for a schedule while the block runs."""
    if not sys.stderr.isatty():
        yield _standing_lines()
        return
    from rich.console import Console
    from rich.live import Live
    from rich.spinner import Spinner

    spinner, rate = Spinner("dots", ""), _Rate()
    with Live(spinner, console=Console(stderr=True), transient=True, refresh_per_second=8):
        yield lambda standing: spinner.update(text=_standing_words(standing, rate(standing)))


def _standing_lines() -> Show:
    rate, line, said = _Rate(), _Timed(), [("", 0)]

    def show(standing: "Standing") -> None:
        what, each = (standing.method, standing.steps), rate(standing)
        line.say(_standing_words(standing, each), now=what != said[0])
        said[0] = what

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


def _standing_words(standing: "Standing", rate: float) -> str:
    best = "no schedule yet" if standing.best is None else f"best so far {standing.best} steps"
    parts = [f"{standing.method}: {standing.steps} steps"]
    if standing.method != "exact":
        count = standing.conflicts
        fast = f"{rate / 1e6:.1f} million" if rate >= 1e6 else f"{rate:,.0f}"
        parts.append(f"{count:,} conflict{'' if count == 1 else 's'} left")
        parts.append(f"{fast} evaluations a second")
    return ", ".join([*parts, f"{best}, bound {standing.bound}, {standing.seconds:.0f} s"])
