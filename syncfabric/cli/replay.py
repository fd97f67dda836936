"""``syncfabric replay``."""

from typing import TYPE_CHECKING, Annotated

import typer

from syncfabric.cli.options import WRONG, Json, ScheduleFile, Simulator, emit
from syncfabric.cli.schedules import print_first, task_words

if TYPE_CHECKING:
    from syncfabric.sim.replay.chunks import ReplayedChunks
    from syncfabric.sim.replay.packets import Packets
    from syncfabric.sim.replay.replay import Replayed


SHOWN = 20
"""Steps and waits that are printed; ``--json`` has all."""


def replay(
    file: ScheduleFile,
    size: Annotated[
        int | None,
        typer.Option("--bytes", metavar="N", help="Bytes of a message, 4 a flit; by default 64."),
    ] = None,
    ports: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="K", help="In chunks: ports of a rank; by default one a channel."
        ),
    ] = None,
    sim: Simulator = "verilator",
    as_json: Json = False,
) -> None:
    """Simulate a schedule on routers.

    Exit code 1: data are wrong, or a packet of a step waits.
    """
    from syncfabric.cli.progress import progress_display
    from syncfabric.models.collectives.chunks.files import load_any
    from syncfabric.models.collectives.schedule import Schedule
    from syncfabric.models.errors import SpecError
    from syncfabric.sim.replay.chunks import replay_chunks
    from syncfabric.sim.replay.replay import replay

    schedule = load_any(file)
    played: Replayed | ReplayedChunks
    with progress_display() as progress:
        if isinstance(schedule, Schedule):
            if ports is not None:
                raise SpecError("--ports: it is of schedules in chunks; leave it out")
            played = replay(schedule, size=64 if size is None else size, sim=sim, progress=progress)
            emit(played, as_json, _print)
        else:
            if size is not None:
                raise SpecError("--bytes: a schedule in chunks has its own; leave it out")
            played = replay_chunks(schedule, ports=ports, sim=sim, progress=progress)
            emit(played, as_json, _print_chunks)
    if not played.ok:
        raise typer.Exit(WRONG)


def _print_chunks(played: "ReplayedChunks") -> None:
    packets, exchange = played.packets, played.exchange
    typer.echo(
        f"{exchange.kind} on {packets.fabric.topology.name}, {exchange.ranks} ranks,"
        f" {exchange.size:,} bytes each, {exchange.parts:,} chunks of a share"
    )
    _print_network(packets)
    if packets.rerouted:
        typer.echo(f"           {packets.rerouted:,} go by up/down routes, as they could deadlock")
    typer.echo(f"in all     {_cycles(played.cycles)}")
    if played.bound:
        typer.echo(f"bound      {played.bound:,} cycles for the data alone, by the file's cut")
    outcome, compared = played.outcome, played.simulator != "model"
    if played.failure:
        verdict = f"failed: {played.failure}"
    elif outcome.broken:
        verdict = f"the schedule is wrong: {outcome.wrong[0]}"
    else:
        agree = "; hardware and model agree in every cycle" * compared
        verdict = f"right: all packets have come{agree}"
    typer.echo(f"verdict    {verdict}")


def _print_network(packets: "Packets") -> None:
    irregular, channels = packets.fabric.irregular, packets.channels
    typer.echo(
        f"network    {irregular.switches:,} switches of {irregular.ports} ports, "
        f"{len(irregular.nodes):,} ports of {packets.fabric.topology.nodes:,} processors, "
        f"{channels} virtual channel{'s' * (channels > 1)}; collective engines"
    )
    flits = f"{packets.flits:,} flit{'s' * (packets.flits > 1)}"
    route = f"a route in {packets.flit_bits} bits"
    typer.echo(f"messages   {len(packets.replays[0].sends):,}, {flits} each behind {route}")


def _print(played: "Replayed") -> None:
    packets = played.packets
    typer.echo(task_words(played.verdict.schedule))
    _print_network(packets)
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
        "flits, and the path"
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
