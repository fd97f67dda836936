"""``syncfabric cores``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from syncfabric.cli.options import WRONG, Json, emit, show

if TYPE_CHECKING:
    from syncfabric.sim.cores.result import CoresResult


def cores(
    program: Annotated[Path, typer.Argument(metavar="PROGRAM.c", help="Program of every core.")],
    network: Annotated[
        str,
        typer.Option(metavar="NET", help="Network file or name."),
    ],
    cores: Annotated[
        int | None,
        typer.Option(metavar="N", help="Cores at the first nodes; by default all, at most 64."),
    ] = None,
    barrier: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="engine, reflex, reflex-tree; reflex-software, reflex-tree-software; "
            "central, tree, dissemination, tournament.",
        ),
    ] = None,
    sim: Annotated[str, typer.Option(metavar="SIM", help="verilator or icarus.")] = "verilator",
    memory: Annotated[int, typer.Option(metavar="KIB", help="Memory of a core.")] = 32,
    limit: Annotated[int, typer.Option(metavar="CYCLES", help="Stop after CYCLES.")] = 10_000_000,
    trace: Annotated[
        Path | None, typer.Option(metavar="FILE.svg", help="Draw the cores' activity.")
    ] = None,
    begin: Annotated[
        int,
        typer.Option("--from", min=0, metavar="CYCLE", help="With --trace: first cycle."),
    ] = 0,
    end: Annotated[
        int | None,
        typer.Option("--to", metavar="CYCLE", help="With --trace: end before CYCLE."),
    ] = None,
    define: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="Define a macro.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Run a C program on simulated cores."""
    from syncfabric.cli.progress import progress_display
    from syncfabric.sim.cores.run import CoresJob
    from syncfabric.sim.network import Network

    job = CoresJob(
        spec=Network.load(network, fences=True).spec,
        source=program,
        cores=cores,
        barrier=barrier,
        sim=sim,
        memory_kib=memory,
        limit=limit,
        trace=trace,
        begin=begin,
        end=end,
        defines=tuple(define or ()),
    )
    with progress_display() as progress:
        result = job.run(progress)
    emit(result, as_json, _print)
    if not result.ok:
        from syncfabric.sim.cores.result import complaints

        for line in complaints(result):
            typer.echo(line, err=True)
        raise typer.Exit(WRONG)


def _print(result: "CoresResult") -> None:
    from syncfabric.sim.cores.result import console_lines, core_rows, group_rows
    from syncfabric.sim.tables import Titled

    show(*(f"note: {change}" for change in result.changes), *console_lines(result))
    show(Titled(f"{result.cores} cores on {result.network}", core_rows(result)))
    if result.groups:
        show(Titled("barriers in hardware", group_rows(result)))
    show(f"{result.cycles:,} cycles")
