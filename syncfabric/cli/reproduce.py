"""``syncfabric reproduce``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from syncfabric.cli.group import INTERRUPTED
from syncfabric.cli.interrupts import interrupts
from syncfabric.cli.options import Json, print_json
from syncfabric.cli.settings import settings

if TYPE_CHECKING:
    from syncfabric.sim.reproduce.choice import Choice
    from syncfabric.sim.reproduce.crew import Crew
    from syncfabric.sim.reproduce.experiment import Experiment, Work

__all__ = ["reproduce"]


def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME...", help="Experiments (see --list), or all.", show_default=""
        ),
    ] = None,
    show_list: Annotated[
        bool, typer.Option("--list", help="List the experiments and their parameters.")
    ] = False,
    seeds: Annotated[
        int | None,
        typer.Option(
            min=1, max=10**6, metavar="N", help="Runs of an entry; by default as many as the paper."
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, max=10**9, metavar="N", help="Seed of the first run.")
    ] = 1,
    time_limit: Annotated[
        float | None,
        typer.Option(metavar="T", help="Seconds of a run; by default as --list says."),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Set a parameter, as t_rm=60."),
    ] = None,
    rtl: Annotated[bool, typer.Option("--rtl", help="Measure on the hardware, too.")] = False,
    clock: Annotated[
        float | None,
        typer.Option(metavar="MHZ", help="The hardware's clock; by default 100."),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Leave results aside that were kept before.")
    ] = False,
    as_json: Json = False,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FOLDER", help="Write CSV, SVG and PNG."),
    ] = None,
) -> None:
    """Run the papers' experiments again: ours beside the paper's, and whether each claim holds.

    Takes all processors, or under mpiexec all ranks. With --json each experiment is one line.
    Ctrl-C keeps what is done, and the same command goes on from there.
    """
    from syncfabric.sim.output import check_folder
    from syncfabric.sim.reproduce.choice import Choice
    from syncfabric.sim.reproduce.crew import crew
    from syncfabric.sim.reproduce.registry import EXPERIMENTS, chosen

    with crew(fresh=fresh) as made:
        if made is None:  # a rank that has worked for the first one
            return
        if show_list:
            from syncfabric.cli.experiments import list_experiments

            list_experiments(list(EXPERIMENTS.values()), as_json)
            return
        experiments = chosen(names or [])
        choice = Choice(seeds, seed, time_limit, settings(set_ or [], "--set"), rtl, clock)
        choice.check(experiments)
        if output is not None:
            check_folder(output)
        _run_all(experiments, choice, made, as_json, output)


def _run_all(
    experiments: list["Experiment"],
    choice: "Choice",
    crew: "Crew",
    as_json: bool,
    output: Path | None,
) -> None:
    from syncfabric.cli.experiments import print_work
    from syncfabric.sim.reproduce.claim import summary

    works, whole = [], True
    with interrupts() as stop:
        for experiment in experiments:
            work = choice.work(experiment, stop)
            works.append(work)
            work.crew = crew
            whole = _run(work)
            if as_json:
                print_json(work.to_json())
            else:
                print_work(work, whole)
            if output is not None:
                _write(work, output)
            _say_kept(work, whole)
            if not whole:
                break
    if not as_json:
        typer.echo(summary({work.experiment.name: work.claims for work in works}))
    if not whole:
        raise typer.Exit(INTERRUPTED)


def _run(work: "Work") -> bool:
    """Run an experiment; tell whether it came to its end."""
    from syncfabric.cli.doing import doing

    try:
        with doing(work.experiment.name) as display:
            work.told, work.counted = display.tell, display.count
            work.experiment.work(work)
    except KeyboardInterrupt:
        return False
    return True


def _write(work: "Work", folder: Path) -> None:
    from syncfabric.sim.reproduce.files import write

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
