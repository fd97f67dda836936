"""``syncfabric load``."""

from pathlib import Path
from typing import Annotated

import typer

from syncfabric.cli.options import PATTERNS, Json, Net, Seed, emit, show
from syncfabric.cli.progress import doing


def load(
    net: Net,
    pattern: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help=f"Where packets go: {PATTERNS}.")
    ] = None,
    rates: Annotated[
        str | None,
        typer.Option(
            metavar="FROM:TO", help="Loads, flits a node a cycle; by default up to saturation."
        ),
    ] = None,
    points: Annotated[
        int, typer.Option(min=1, max=1000, metavar="N", help="Loads of a curve.")
    ] = 10,
    seed: Seed = 1,
    draw: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the curves, as .svg or .png.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE.csv", help="Write the points.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Measure latency and accepted throughput of packets against the offered load.

    In hardware under Verilator, on all processors; results are kept, as those of reproduce.
    """
    from syncfabric.sim.draw.page import format_of, picture
    from syncfabric.sim.experiments.frame import Work
    from syncfabric.sim.experiments.jobs import pool
    from syncfabric.sim.load import LOAD, rates_of
    from syncfabric.sim.load import load as measure
    from syncfabric.sim.network import Network
    from syncfabric.sim.output import check_file, write_file

    spec = Network.load(net).spec
    asked = rates_of(rates, points) if rates else []
    for file in filter(None, (draw, output)):
        check_file(file)
    kind = format_of(draw) if draw else ""
    with pool() as made, doing("load") as display:
        work = Work(LOAD, pool=made, told=display.show, counted=display.count)
        result = measure(work, spec, pattern or ["uniform"], asked, points=points, seed=seed)
    if draw:
        write_file(draw, picture(result.figure(), kind))
    if output:
        write_file(output, result.to_csv())
    emit(result, as_json, lambda result: show(*result.parts()))
