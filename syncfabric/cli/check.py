"""``syncfabric check``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from syncfabric.cli.options import Json, print_json
from syncfabric.cli.schedules import (
    Bytes,
    StartUp,
    TimeOfByte,
    print_bounds,
    print_times,
    task_words,
)

if TYPE_CHECKING:
    from syncfabric.models.collectives.verdict import Costs, Verdict

__all__ = ["check"]

WRONG = 1


def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A schedule file, in JSON.")],
    ts: StartUp = 1000,
    t1: TimeOfByte = 1,
    length: Bytes = 1024,
    as_json: Json = False,
) -> None:
    """Check a schedule: who is served, what is contended for, and could it be shorter.

    Exit code 0 if it is right, 1 if it is wrong.
    """
    from syncfabric.models.collectives.files import load_schedule
    from syncfabric.models.collectives.schedule import collector_off
    from syncfabric.models.collectives.verdict import Costs, examine

    costs = Costs(ts, t1, length)
    with collector_off():
        verdict = examine(load_schedule(file))
        if as_json:
            print_json(verdict.to_json(costs))
        else:
            _print(verdict, costs)
    if not verdict.right:
        raise typer.Exit(WRONG)


def _print(verdict: "Verdict", costs: "Costs") -> None:
    schedule, report = verdict.schedule, verdict.report
    typer.echo(task_words(schedule))
    routing = "minimal" if report.detour == 0 else f"up to {report.detour} hops longer than minimal"
    typer.echo(
        f"steps      {len(schedule.steps)}; {schedule.messages:,} messages, {report.served:,} of "
        f"{report.required:,} served; routing {routing}"
    )
    print_times(schedule, costs)
    print_bounds(verdict.bounds)
    own = schedule.certificate
    if own is not None:
        said = "does not hold: " + verdict.unproved if verdict.unproved else "holds"
        typer.echo(f"certified  {own.value}: {own.argument.words()}; {said}")
    for conflict in report.conflicts:
        typer.echo(f"wrong      {conflict.words()}")
    if report.count > len(report.conflicts):
        typer.echo(f"           and {report.count - len(report.conflicts):,} more")
    if not verdict.right:
        typer.echo(f"verdict    wrong: {_why(verdict)}")
    elif verdict.optimal:
        typer.echo("verdict    right, and optimal: a bound is met")
    else:
        typer.echo("verdict    right; not proved optimal")


def _why(verdict: "Verdict") -> str:
    if verdict.report.right:
        return "its certificate does not hold"
    count = verdict.report.count
    return f"{count:,} rule{'' if count == 1 else 's'} broken"
