"""``syncfabric reproduce``."""

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from syncfabric.cli.group import INTERRUPTED
from syncfabric.cli.interrupts import interrupts
from syncfabric.cli.options import Json, console, print_json

if TYPE_CHECKING:
    from rich.table import Table

    from syncfabric.sim.reproduce.claim import Value
    from syncfabric.sim.reproduce.experiment import Experiment, Work

__all__ = ["reproduce"]

EACH = 5.0
"""Seconds between two lines of progress where there is no terminal."""


def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME...", help="Experiments (see --list), or all.", show_default=""
        ),
    ] = None,
    show_list: Annotated[bool, typer.Option("--list", help="List the experiments.")] = False,
    seeds: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Runs of an entry; by default as many as the paper."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of the first run.")] = 1,
    time_limit: Annotated[
        float | None,
        typer.Option(metavar="T", help="Seconds of a run; by default as --list says."),
    ] = None,
    as_json: Json = False,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FOLDER", help="Write CSV, SVG and PNG."),
    ] = None,
) -> None:
    """Run the papers' experiments again, and print ours beside the paper's.

    With --json each experiment is one line. Ctrl-C keeps what is done.
    """
    from syncfabric.sim.output import check_folder
    from syncfabric.sim.reproduce.experiment import Work
    from syncfabric.sim.reproduce.registry import EXPERIMENTS, chosen

    if show_list:
        _list(list(EXPERIMENTS.values()), as_json)
        return
    experiments = chosen(names or [])
    _check(experiments, seeds, time_limit)
    if output is not None:
        check_folder(output)
    with interrupts() as stop:
        for experiment in experiments:
            runs, limit = _chosen(experiment, seeds, time_limit)
            work = Work(experiment, runs, seed, limit, stop)
            whole = _run(work)
            _show(work, as_json, whole)
            if output is not None:
                _write(work, output)
            if not whole:
                raise typer.Exit(INTERRUPTED)


def _check(experiments: list["Experiment"], seeds: int | None, time_limit: float | None) -> None:
    """Refuse options that are out of range, or that none of the experiments takes."""
    from syncfabric.models.errors import SpecError

    if time_limit is not None and not (0 < time_limit < math.inf):
        raise SpecError(f"--time-limit: it must be above 0 seconds, not {time_limit:g}")
    names = ", ".join(experiment.name for experiment in experiments)
    if seeds is not None and all(experiment.runs is None for experiment in experiments):
        raise SpecError(f"--seeds: {names} has no runs to choose; leave it out")
    if time_limit is not None and all(e.time_limit is None for e in experiments):
        raise SpecError(f"--time-limit: nothing in {names} is cut off by time; leave it out")


def _chosen(
    experiment: "Experiment", seeds: int | None, time_limit: float | None
) -> tuple[int, float]:
    """Return the runs of an entry, and the seconds of a search."""
    runs = experiment.runs if seeds is None or experiment.runs is None else seeds
    limit = experiment.time_limit if time_limit is None else time_limit
    return 1 if runs is None else runs, math.inf if limit is None else limit


def _run(work: "Work") -> bool:
    """Run an experiment; tell whether it came to its end."""
    try:
        with _progress(work.experiment.name) as told:
            work.told = told
            work.experiment.work(work)
    except KeyboardInterrupt:
        return False
    return True


def _write(work: "Work", folder: Path) -> None:
    from syncfabric.sim.reproduce.files import write

    for file in write(work, folder):
        typer.echo(f"wrote {file}", err=True)


def _show(work: "Work", as_json: bool, whole: bool) -> None:
    if as_json:
        print_json(work.to_json())
        return
    from syncfabric.cli.tables import Titled, print_table

    rows = [
        [claim.text, *map(_words, (claim.paper, claim.ours, claim.ratio))] for claim in work.claims
    ]
    experiment = work.experiment
    title = f"{experiment.name}: {experiment.title} ({experiment.place})"
    rest = "" if whole else "; interrupted, so not whole"
    table = _table(["claim"], ["paper", "ours", "ratio"], rows)
    print_table(console(), Titled(title + rest, table, _terms(experiment, work)))


def _table(words: list[str], numbers: list[str], rows: list[list[str]]) -> "Table":
    """Return a table whose columns of numbers are at the right."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True)
    for head in words:
        table.add_column(head, no_wrap=True)
    for head in numbers:
        table.add_column(head, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _terms(experiment: "Experiment", work: "Work") -> str:
    """Say how many runs there are, and how long they may take."""
    parts = []
    if experiment.runs is not None:
        parts.append(f"{work.runs} runs of an entry, seeds from {work.seed}")
    if experiment.time_limit is not None:
        parts.append(f"a run is cut off after {work.time_limit:g} s")
    return "; ".join(parts)


def _words(value: "Value") -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:,.3g}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else value


def _list(experiments: list["Experiment"], as_json: bool) -> None:
    heads = ("name", "title", "place", "runs", "time_limit")
    if as_json:
        print_json([{head: getattr(e, head) for head in heads} for e in experiments])
        return
    from syncfabric.cli.tables import Titled, print_table

    rows = [[e.name, e.title, e.place, *map(_words, (e.runs, e.time_limit))] for e in experiments]
    table = _table(["experiment", "what it shows", "where"], ["runs", "limit, s"], rows)
    print_table(console(), Titled("experiments", table))


@contextmanager
def _progress(name: str) -> Iterator[Callable[[str], None]]:
    """Show on standard error what is being done: a moving line on a terminal, else now and then."""
    if sys.stderr.isatty():
        from rich.console import Console

        with Console(stderr=True).status(name) as status:
            yield lambda words: status.update(f"{name}: {words}")
        return
    due = 0.0

    def tell(words: str) -> None:
        nonlocal due
        if time.monotonic() >= due:
            due = time.monotonic() + EACH
            typer.echo(f"{name}: {words}", err=True)

    yield tell
