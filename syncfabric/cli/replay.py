"""``syncfabric replay``."""

from typing import TYPE_CHECKING, Annotated

import typer

from syncfabric.cli.options import WRONG, Json, ScheduleFile, Simulator, emit
from syncfabric.cli.schedules import print_first, task_words

if TYPE_CHECKING:
    from syncfabric.sim.replay.replay import Replayed


SHOWN = 20
"""Steps and waits told in words; ``--json`` has all."""


def replay(
    file: ScheduleFile,
    size: Annotated[
        int, typer.Option("--bytes", metavar="N", help="Bytes of a message, 4 a flit.")
    ] = 64,
    sim: Simulator = "verilator",
    as_json: Json = False,
) -> None:
    """Play a schedule on routers with collective engines, with hardware barriers between its steps.

    Exit code 0 if it is right and no packet waits, 1 if one does.
    """
    from syncfabric.cli.progress import progress_display
    from syncfabric.models.collectives.files import load_schedule
    from syncfabric.sim.replay.replay import replay

    schedule = load_schedule(file)
    with progress_display() as progress:
        played = replay(schedule, size=size, sim=sim, progress=progress)
    emit(played, as_json, _print)
    if not played.ok:
        raise typer.Exit(WRONG)


def _print(played: "Replayed") -> None:
    packets = played.packets
    schedule, irregular = packets.schedule, packets.ground.irregular
    flits = f"{packets.flits:,} flit{'s' * (packets.flits > 1)}"
    typer.echo(task_words(schedule))
    typer.echo(
        f"network    {irregular.switches:,} switches of {irregular.ports} ports, "
        f"{len(irregular.nodes):,} ports of {schedule.topology.nodes:,} processors, "
        f"{packets.channels} virtual channel{'s' * (packets.channels > 1)}; collective engines"
    )
    route = f"a route in {packets.flit_bits} bits"
    typer.echo(f"messages   {schedule.messages:,}, {flits} each behind {route}")
    for number, step in enumerate(played.steps[:SHOWN], 1):
        barrier = f", barrier {step.barrier}" if step.barrier else ""
        name = f"step {number}"
        typer.echo(f"{name:10} {step.cycles:,} cycles, {step.messages:,} messages{barrier}")
    print_first("", (), len(played.steps) - SHOWN, "steps more")
    barriers = sum(step.barrier for step in played.steps)
    typer.echo(f"in all     {played.cycles:,} cycles, {barriers:,} of them for barriers")
    typer.echo(f"no barrier {_cycles(played.unbarred)} for the schedule without them")
    typer.echo(f"at once    {_cycles(played.at_once)} for the same messages with no schedule")
    if packets.rerouted:
        typer.echo(
            f"           in these two {packets.rerouted:,} messages go by up/down routes: on the "
            "schedule's paths they could deadlock with the virtual channels that switches have"
        )
    typer.echo(
        f"bound      {played.bound:,} cycles: {played.bound_steps:,} times {packets.flits + 1:,} "
        "flits, and the way"
    )
    print_first("waits", [wait.words() for wait in played.waits[:SHOWN]], len(played.waits))
    typer.echo(f"verdict    {_verdict(played)}")


def _cycles(cycles: int | None) -> str:
    return "none" if cycles is None else f"{cycles:,} cycles"


def _verdict(played: "Replayed") -> str:
    if played.failure:
        return f"failed: {played.failure}"
    report = played.verdict.report
    if played.waits and report.right:
        return "packets wait, but by the checker they need not: the checker or a switch is wrong"
    if played.waits:
        return f"packets wait, and the checker finds {report.count:,} rules broken"
    if not report.right:
        first = report.conflicts[0].words()
        return f"no packet waits, but the schedule is wrong: {first}"
    compared = "" if played.simulator == "model" else "; hardware and model agree in every cycle"
    return f"no packet waits a cycle{compared}"
