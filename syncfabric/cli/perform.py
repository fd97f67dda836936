"""``syncfabric perform``."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from syncfabric.cli.options import WRONG, Hostfile, Json, PayloadSeed, Ranks, ScheduleFile, emit
from syncfabric.cli.schedules import print_first, task_words

if TYPE_CHECKING:
    from syncfabric.models.collectives.chunks.schedule import Schedule as InChunks
    from syncfabric.models.collectives.schedule import Schedule
    from syncfabric.sim.ranks.payloads import Times
    from syncfabric.sim.ranks.perform import Performed


def perform(
    file: ScheduleFile,
    size: Annotated[
        int | None,
        typer.Option(
            "--bytes", min=1, max=2**30, metavar="N", help="Bytes of a message; by default 1024."
        ),
    ] = None,
    repeat: Annotated[
        int, typer.Option(min=1, metavar="R", help="Repetitions of each measurement.")
    ] = 20,
    seed: PayloadSeed = 1,
    ranks: Ranks = None,
    hostfile: Hostfile = None,
    as_json: Json = False,
) -> None:
    """Run a schedule between MPI ranks.

    Start it by mpiexec, or with --ranks. Exit code 1: a byte is wrong.
    """
    from syncfabric.models.ranks import mpi
    from syncfabric.sim.ranks.launch import all_end, relaunch

    relaunch(ranks, sys.argv[1:], hostfile=hostfile)
    world = mpi().COMM_WORLD

    from syncfabric.sim.ranks.perform import perform

    def load() -> "Schedule | InChunks":
        from syncfabric.models.collectives.chunks.files import load_any

        return load_any(file)

    with all_end(world):
        done = perform(world, load, size=size, repeat=repeat, seed=seed)
    right = world.bcast(None if done is None else done.right, 0)
    if done is not None:
        emit(done, as_json, _print)
    if not right:
        raise typer.Exit(WRONG)


def _print(done: "Performed") -> None:
    from syncfabric.models.collectives.schedule import Schedule

    schedule, nodes = done.schedule, done.schedule.topology.nodes
    if isinstance(schedule, Schedule):
        typer.echo(task_words(schedule))
        steps = len(schedule.steps)
        messages = f"{schedule.messages:,} in {steps:,} step{'s' * (steps != 1)}"
        messages += f", {done.size:,} bytes each"
    else:
        from syncfabric.cli.chunked import head_of

        typer.echo(head_of(schedule.topology, schedule.exchange))
        size = int(schedule.exchange.piece)
        messages = f"{len(schedule.sends):,} of {size:,} bytes"
    processors = f"{done.processors} processor{'s' * (done.processors > 1)}"
    typer.echo(f"ranks      {nodes} on {processors}; {done.mpi}")
    typer.echo(f"messages   {messages}")
    typer.echo(f"schedule   {_words(done.carried)}")
    typer.echo(f"library    {_words(done.library)} by {done.library.name}")
    print_first("wrong", [wrong.words() for wrong in done.wrong], done.wrong_count)
    if done.right:
        typer.echo(f"verdict    all {done.checked:,} bytes right, on every rank")
    else:
        typer.echo(f"verdict    wrong: {done.wrong_count:,} blocks")


def _words(times: "Times") -> str:
    from statistics import median

    seconds = times.seconds
    return f"{_time(median(seconds))} (median of {len(seconds)}), {_time(min(seconds))} at best"


def _time(seconds: float) -> str:
    return f"{seconds * 1e6:,.1f} µs"
