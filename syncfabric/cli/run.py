"""``syncfabric run``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from syncfabric.cli.names_of_010 import with_old_fields
from syncfabric.cli.options import (
    PATTERNS,
    WRONG,
    Episodes,
    Json,
    Net,
    Seed,
    Simulator,
    StreamKind,
    StreamOp,
    StreamWords,
    Threads,
    Traffic,
    print_json,
    show,
    vectors,
)

if TYPE_CHECKING:
    from syncfabric.sim.results import RunResult

SHOWN = 5
"""Mismatches that are printed; ``--json`` has all that the run kept."""


def run(
    net: Net,
    sim: Simulator = "verilator",
    episodes: Episodes = 100,
    seed: Seed = 1,
    background: Traffic = 0.0,
    pattern: Annotated[
        str, typer.Option(metavar="NAME", help=f"Destinations of packets: {PATTERNS}.")
    ] = "uniform",
    waves: Annotated[bool, typer.Option("--waves", help="Write a waveform.")] = False,
    log: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", help="Write all packets and messages.")
    ] = None,
    heat: Annotated[
        Path | None, typer.Option(metavar="FILE.svg", help="Draw the channels' load.")
    ] = None,
    draw: Annotated[Path | None, typer.Option(metavar="FILE.svg", help="Draw --stream.")] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="DIR", help="Write Verilog, registers and pictures."
        ),
    ] = None,
    churn: Annotated[
        int, typer.Option(metavar="N", help="Also set up and tear down N groups.")
    ] = 0,
    jitter: Annotated[
        int | None, typer.Option(metavar="N", help="Delay one member by N cycles, each in turn.")
    ] = None,
    long: Annotated[
        bool, typer.Option("--long", help="Run traffic and checks inside the design (faster).")
    ] = False,
    netlist: Annotated[
        str | None,
        typer.Option(metavar="FPGA", help="Simulate the netlist of Yosys: ecp5, with icarus."),
    ] = None,
    threads: Threads = None,
    stream: StreamKind = None,
    words: StreamWords = 256,
    op: StreamOp = "add.i32",
    as_json: Json = False,
) -> None:
    """Simulate barriers, compared with the golden model."""
    from syncfabric.cli.progress import progress_display
    from syncfabric.sim.network import Network

    network = Network.load(net)
    mapped = None
    if netlist is not None:
        from syncfabric.fpga.designs import netlist_named

        mapped = netlist_named(netlist)
    with progress_display() as progress:
        result = network.run(
            sim,
            episodes,
            seed,
            background,
            waves=waves,
            log=log,
            heat=heat,
            output=output,
            long=long,
            churn=churn,
            jitter=jitter,
            netlist=mapped,
            stream=vectors(stream, words, op),
            draw=draw,
            pattern=pattern,
            threads=threads,
            progress=progress,
        )
    if as_json:
        print_json(with_old_fields("run", result.to_json()))
    else:
        _print(result)
    if not result.ok:
        _complain(result)
        raise typer.Exit(WRONG)


def _print(result: "RunResult") -> None:
    from syncfabric.sim.results import result_parts

    show(*result_parts(result))


def _complain(result: "RunResult") -> None:
    """Say on standard error where hardware and model differ, and how to see it again."""
    from syncfabric.sim.results import describe

    typer.echo(f"{result.verdict}: {result.reason or 'not all is as it must be'}", err=True)
    for mismatch in result.mismatches[:SHOWN]:
        typer.echo(f"  {describe(mismatch)}", err=True)
    if (rest := len(result.mismatches) - SHOWN) > 0:
        typer.echo(f"  and {rest} more", err=True)
    if result.repeat:
        typer.echo(f"repeat it with: {result.repeat}", err=True)
