"""``syncfabric reproduce``."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from syncfabric.cli.group import INTERRUPTED
from syncfabric.cli.options import Json, emit, print_json, settings, show
from syncfabric.cli.progress import doing, interrupts

if TYPE_CHECKING:
    from syncfabric.sim.experiments.frame import Experiment, Work
    from syncfabric.sim.experiments.jobs import Pool


def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME...", help="Experiments (--list), or all.", show_default=""),
    ] = None,
    show_list: Annotated[
        bool, typer.Option("--list", help="List experiments and parameters.")
    ] = False,
    seeds: Annotated[
        int | None,
        typer.Option(
            min=1, max=10**6, metavar="N", help="Runs of an entry; by default the paper's number."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=10**9, metavar="N", help="First seed.")] = 1,
    time_limit: Annotated[
        float | None,
        typer.Option(metavar="T", help="Seconds of a run; by default as of --list."),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Set a parameter, as t_rm=60."),
    ] = None,
    rtl: Annotated[bool, typer.Option("--rtl", help="Also measure on the hardware.")] = False,
    clock: Annotated[
        float | None,
        typer.Option(metavar="MHZ", help="Clock of the hardware; by default 100."),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Ignore cached results.")] = False,
    as_json: Json = False,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FOLDER", help="Write CSV, SVG and PNG."),
    ] = None,
) -> None:
    """Reproduce the papers' experiments.

    Uses all processors, or mpiexec's ranks. Ctrl-C saves finished jobs; the same command resumes.
    """
    from syncfabric.sim.experiments.choice import chosen, experiments, works_of
    from syncfabric.sim.experiments.jobs import pool
    from syncfabric.sim.output import check_folder

    with pool(fresh=fresh) as made:
        if made is None:  # a rank that has worked for the first one
            return
        if show_list:
            _list(list(experiments().values()), as_json)
            return
        works = works_of(
            chosen(names or []),
            runs=seeds,
            seed=seed,
            time_limit=time_limit,
            settings=settings(set_, "--set"),
            rtl=rtl,
            clock_mhz=clock,
        )
        if output is not None:
            check_folder(output)
        _run_all(works, made, as_json, output)


def _run_all(works: list["Work"], pool: "Pool", as_json: bool, output: Path | None) -> None:
    from syncfabric.sim.experiments.claim import summary

    done, whole = {}, True
    with interrupts() as stop:
        for work in works:
            done[work.experiment.name] = work.claims
            work.pool, work.stop = pool, stop
            whole = _run(work)
            emit(work, as_json, partial(_print, whole=whole))
            if output is not None:
                _write(work, output)
            _say_kept(work, whole)
            if not whole:
                break
    if not as_json:
        typer.echo(summary(done))
    if not whole:
        raise typer.Exit(INTERRUPTED)


def _run(work: "Work") -> bool:
    """Run an experiment; return whether it came to its end."""
    try:
        with doing(work.experiment.name) as display:
            work.progress, work.counted = display.show, display.count
            work.experiment.function(work)
    except KeyboardInterrupt:
        return False
    return True


def _write(work: "Work", folder: Path) -> None:
    from syncfabric.sim.experiments.output import write

    for file in write(work, folder):
        typer.echo(f"wrote {file}", err=True)


def _say_kept(work: "Work", whole: bool) -> None:
    """Say on standard error what was kept from before, or is kept for the next time."""
    name, tally = work.experiment.name, work.tally
    if tally.kept:
        typer.echo(
            f"{name}: {tally.kept:,} of {tally.jobs:,} jobs kept from before; "
            "--fresh does them again",
            err=True,
        )
    if not whole and tally.done:
        typer.echo(
            f"{name}: {tally.done:,} of {tally.jobs:,} jobs are kept: the same command goes on",
            err=True,
        )


def _print(work: "Work", whole: bool) -> None:
    """Print an experiment's claims, and whether it came to its end."""
    from syncfabric.sim.experiments.claim import words
    from syncfabric.sim.tables import Titled

    rows = [[c.text, *map(words, (c.paper, c.ours, c.ratio)), c.standing] for c in work.claims]
    experiment = work.experiment
    title = f"{experiment.name}: {experiment.title} ({experiment.place})"
    rest = "" if whole else "; interrupted, so not whole"
    content = ["claim", "paper", "ours", "ratio", "verdict"], rows
    show(Titled(title + rest, content, _terms(work), ("claim", "verdict")))


def _list(experiments: list["Experiment"], as_json: bool) -> None:
    """Print the experiments, and the parameters of each."""
    from syncfabric.sim.experiments.claim import words
    from syncfabric.sim.tables import Titled

    if as_json:
        print_json([experiment.to_json() for experiment in experiments])
        return
    rows = [
        [e.name, e.title, e.place, "yes" if e.rtl else "", *map(words, (e.runs, e.time_limit))]
        for e in experiments
    ]
    heads = ["experiment", "what it shows", "where", "--rtl", "runs", "limit, s"]
    show(Titled("experiments", (heads, rows), words=tuple(heads[:4])))
    rows = [
        [e.name, p.name, p.words, *map(words, (p.value, p.least, p.most))]
        for e in experiments
        for p in e.parameters
    ]
    if rows:
        heads = ["experiment", "parameter", "what it is", "default", "least", "most"]
        show(Titled("parameters, for --set", (heads, rows), words=tuple(heads[:3])))


def _terms(work: "Work") -> str:
    """Say how many runs there are, how long they may take, and what was set."""
    experiment, parts = work.experiment, []
    if experiment.runs is not None:
        parts.append(f"{work.runs} runs of an entry, seeds from {work.seed}")
    if experiment.time_limit is not None:
        parts.append(f"a run is cut off after {work.time_limit:g} s")
    parts += [f"{name} = {value:,}" for name, value in work.chosen.items()]
    if work.rtl:
        parts.append(f"hardware at {work.clock_mhz:g} MHz")
    return "; ".join(parts)
