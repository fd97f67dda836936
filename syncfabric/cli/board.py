"""``syncfabric board``."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from syncfabric.cli.options import (
    WRONG,
    Episodes,
    Json,
    Net,
    Seed,
    StreamKind,
    StreamOp,
    StreamWords,
    Traffic,
    emit,
    show,
    vectors,
)

if TYPE_CHECKING:
    from syncfabric.fpga.host.link import Link
    from syncfabric.fpga.host.measure import BoardResult
    from syncfabric.sim.board import SimulatedBoard
    from syncfabric.sim.network import Network
    from syncfabric.sim.progress import Progress


TIMEOUT = 60.0
"""Seconds for an answer of a simulated board."""


def board(
    net: Net,
    port: Annotated[str | None, typer.Option(metavar="PORT", help="Serial port.")] = None,
    baud: Annotated[int, typer.Option(metavar="N", help="Bits a second.")] = 1_000_000,
    episodes: Episodes = 100,
    traffic: Traffic = 0.0,
    seed: Seed = 1,
    stream: StreamKind = None,
    words: StreamWords = 256,
    op: StreamOp = "add.i32",
    simulate: Annotated[
        bool, typer.Option("--simulate", help="Simulate the board, without port.")
    ] = False,
    serve: Annotated[
        bool, typer.Option("--serve", help="Simulate it for other programs, until Ctrl-C.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Measure barriers on a board.

    Exit code 1: a latency exceeds its bound, or a barrier or stream is missing or wrong.
    """
    from syncfabric.cli.progress import progress_display
    from syncfabric.fpga.host.link import serial_library
    from syncfabric.fpga.host.measure import check_request
    from syncfabric.models.errors import SpecError
    from syncfabric.sim.network import Network

    if (port is None) != (simulate or serve):
        raise SpecError("give the --port of a board, or --simulate one")
    network = Network.load(net)
    network.check()
    plan = network.plan()
    if serve:
        _serve(network)
        return
    check_request(plan, episodes, traffic, seed)
    wanted = vectors(stream, words, op)
    if wanted:
        wanted.check(network.spec)
    serial_library()
    with progress_display() as progress, _linked(network, port, baud, progress) as link:
        from syncfabric.fpga.host.host import Host
        from syncfabric.fpga.host.measure import measure

        result = measure(
            Host(link),
            plan,
            episodes=episodes,
            traffic=traffic,
            seed=seed,
            stream=wanted,
            simulated=port is None,
            progress=progress,
        )
    emit(result, as_json, _print)
    for line in result.wrong:
        typer.echo(f"wrong: {line}", err=True)
    if result.wrong:
        raise typer.Exit(WRONG)


def _serve(network: "Network") -> None:
    """Keep a simulated board until Ctrl-C."""
    from syncfabric.cli.progress import progress_display
    from syncfabric.models.errors import ToolError

    with progress_display() as progress:
        made = _simulated(network, progress)
    with made as simulated:
        typer.echo(f"{network.name} listens at {simulated.port}; Ctrl-C ends it")
        try:
            code = simulated.wait()
        except KeyboardInterrupt:
            return
    raise ToolError(f"the simulated board ended by itself, with exit code {code}")


@contextmanager
def _linked(
    network: "Network", port: str | None, baud: int, progress: "Progress"
) -> Iterator["Link"]:
    """Give the link to a board, or to a simulated one."""
    from syncfabric.fpga.host.link import Link

    if port is not None:
        with Link(port, baud) as link:
            yield link
        return
    with (
        _simulated(network, progress) as simulated,
        Link(simulated.port, timeout=TIMEOUT) as link,
    ):
        yield link


def _simulated(network: "Network", progress: "Progress") -> "SimulatedBoard":
    from syncfabric.sim.board import SimulatedBoard, build_board

    return SimulatedBoard(build_board(network.spec.network, progress=progress))


def _print(result: "BoardResult") -> None:
    from syncfabric.fpga.host.measure import board_rows
    from syncfabric.sim.stream_result import stream_rows
    from syncfabric.sim.tables import Titled

    where = "a simulated board" if result.simulated else "the board"
    show(Titled(f"{result.network} on {where}", board_rows(result)))
    if result.streams:
        show(Titled(f"{result.streams[0].kind} by streams", stream_rows(result.streams)))
    if counts := result.traffic:
        show(
            f"traffic: offered {result.rate:g} flits a node a cycle; {counts.created:,} packets "
            f"created, {counts.lost:,} lost at full sources, {counts.received:,} received, "
            f"{counts.wrong:,} flits wrong; greatest latency {counts.latency:,} cycles"
        )
    right = "all barriers counted, and right"
    if result.rate == 0:
        right += ", none above its bound"
    said = "not as it must be" if result.wrong else right
    show(f"{said}; {result.cycles:,} cycles since reset")
