"""``syncfabric check``."""

from typing import TYPE_CHECKING, Annotated

import typer

from syncfabric.cli.options import (
    WRONG,
    Bytes,
    Json,
    ScheduleFile,
    StartUp,
    TimeOfByte,
    print_json,
)
from syncfabric.cli.schedules import (
    print_bounds,
    print_first,
    print_times,
    task_words,
)

if TYPE_CHECKING:
    from syncfabric.models.collectives.verdict import Costs, Verdict


def check(
    file: ScheduleFile,
    ts: StartUp = 1000,
    t1: TimeOfByte = 1,
    length: Bytes = 1024,
    topology: Annotated[
        str | None,
        typer.Option(metavar="TOPOLOGY", help="Of an XML program; by default fully connected."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Check a schedule.

    Also MSCCL programs (FILE.xml, on --topology), and msccl-tools' algorithms in JSON. Exit code 1:
    it is wrong.
    """
    from dataclasses import replace

    from syncfabric.models.collectives.chunks.files import read_any
    from syncfabric.models.collectives.chunks.msccl_json import is_msccl
    from syncfabric.models.collectives.schedule import Schedule, collector_off
    from syncfabric.models.collectives.verdict import Costs, examine
    from syncfabric.models.errors import SpecError
    from syncfabric.models.files import read_text, reading
    from syncfabric.models.parsed import parse_json

    costs = Costs(ts, t1, length)
    if file.suffix == ".xml":
        from syncfabric.cli.chunked import check_program

        if not check_program(file, topology, costs, as_json=as_json):
            raise typer.Exit(WRONG)
        return
    if topology is not None:
        raise SpecError(f"--topology: {file} has one of its own; leave it out")
    with collector_off():
        with reading(file):
            values = parse_json(read_text(file))
        if is_msccl(values):
            from syncfabric.cli.chunked import check_msccl

            if not check_msccl(file, values, costs, as_json=as_json):
                raise typer.Exit(WRONG)
            return
        with reading(file):
            found = replace(read_any(values), source=str(file))
        if isinstance(found, Schedule):
            verdict = examine(found)
            right = verdict.right
            if as_json:
                print_json(verdict.to_json(costs))
            else:
                _print(verdict, costs)
        else:
            from syncfabric.cli.chunked import check_chunks

            right = check_chunks(found, as_json=as_json)
    if not right:
        raise typer.Exit(WRONG)


def _print(verdict: "Verdict", costs: "Costs") -> None:
    from syncfabric.sim.words import steps_words

    schedule, report = verdict.schedule, verdict.report
    typer.echo(task_words(schedule))
    typer.echo(f"steps      {len(schedule.steps)}; {steps_words(verdict)}")
    print_times(schedule, costs)
    print_bounds(verdict.bounds)
    own = schedule.certificate
    if own is not None:
        said = "does not hold: " + verdict.unproved if verdict.unproved else "holds"
        typer.echo(f"certified  {own.value}: {own.argument.words()}; {said}")
    print_first("wrong", [conflict.words() for conflict in report.conflicts], report.count)
    said = "right, and optimal: a bound is met" if verdict.optimal else "right; not proved optimal"
    if report.right and not verdict.right:
        said = "wrong: its certificate does not hold"
    elif not verdict.right:
        said = f"wrong: {report.count:,} rule{'' if report.count == 1 else 's'} broken"
    typer.echo(f"verdict    {said}")
