"""``syncfabric check``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from syncfabric.cli.options import Json, print_json

if TYPE_CHECKING:
    from syncfabric.models.collectives.verdict import Costs, Verdict

__all__ = ["check"]

WRONG = 1


def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A schedule file, in JSON.")],
    ts: Annotated[float, typer.Option("--ts", min=0, help="Start-up of a step, in ns.")] = 1000,
    t1: Annotated[
        float, typer.Option("--t1", min=0, help="Time of a byte on a channel, in ns.")
    ] = 1,
    length: Annotated[float, typer.Option("--bytes", min=0, help="Bytes of a message.")] = 1024,
    as_json: Json = False,
) -> None:
    """Check a schedule: who is served, what is contended for, and could it be shorter.

    Exit code 0 if it is right, 1 if it is wrong.
    """
    from syncfabric.models.collectives.schedule_file import load_schedule
    from syncfabric.models.collectives.verdict import Costs, examine

    verdict = examine(load_schedule(file))
    costs = Costs(ts, t1, length)
    if as_json:
        print_json(verdict.to_json(costs))
    else:
        _print(verdict, costs)
    if not verdict.right:
        raise typer.Exit(WRONG)


def _print(verdict: "Verdict", costs: "Costs") -> None:
    schedule, report = verdict.schedule, verdict.report
    rules, steps = schedule.rules, len(schedule.steps)
    ports = "all ports" if rules.ports == "all" else f"ports {rules.ports}"
    typer.echo(
        f"{schedule.collective.kind} on {schedule.topology.name}, {ports}, {rules.one_port}, "
        f"{rules.switching}"
    )
    routing = "minimal" if report.detour == 0 else f"up to {report.detour} hops longer than minimal"
    typer.echo(
        f"steps      {steps}; {schedule.messages:,} messages, {report.served:,} of "
        f"{report.required:,} served; routing {routing}"
    )
    once = schedule.time_pipelined(costs.ts, costs.t1, costs.length)
    each = schedule.time(costs.ts, costs.t1, costs.length)
    typer.echo(
        f"time       {once:,.0f} ns by eq. (3), {each:,.0f} ns if each step pays for its message "
        f"(ts {costs.ts:g} ns, t1 {costs.t1:g} ns a byte, {costs.length:g} bytes)"
    )
    for place, bound in enumerate(verdict.bounds):
        head = "bounds" if place == 0 else ""
        typer.echo(f"{head:10} {bound.value}: {bound.argument.words()}")
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
