"""``syncfabric load``."""

from pathlib import Path
from typing import Annotated

import typer

from syncfabric.cli.options import PATTERNS, Json, emit, show
from syncfabric.cli.progress import doing


def load(
    nets: Annotated[
        list[str],
        typer.Argument(metavar="NET...", help="Network files, or names of ready-made networks."),
    ],
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
    seeds: Annotated[
        int, typer.Option(min=1, max=1000, metavar="N", help="Curves of so many seeds.")
    ] = 1,
    seed: Annotated[
        int, typer.Option(metavar="S", help="Seed of all that is random; of the first curve.")
    ] = 1,
    draw: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the curves, as .svg or .png.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE.csv", help="Write the points.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Measure latency and accepted throughput of packets against the offered load.

    In hardware under Verilator. Curves of all networks, patterns and seeds are measured side by
    side on all processors, or under mpiexec on all ranks; results are kept, as those of reproduce.
    With several networks or seeds --json prints a line of each.
    """
    from syncfabric.sim.draw.page import format_of, picture
    from syncfabric.sim.experiments.frame import Work
    from syncfabric.sim.experiments.jobs import pool
    from syncfabric.sim.load import LOAD, figure, rates_of, to_csv
    from syncfabric.sim.load import load as measure
    from syncfabric.sim.network import Network
    from syncfabric.sim.output import check_file, write_file

    asked = rates_of(rates, points) if rates else []
    for file in filter(None, (draw, output)):
        check_file(file)
    kind = format_of(draw) if draw else ""
    specs = [Network.load(net).spec for net in dict.fromkeys(nets)]
    with pool() as made:
        if made is None:  # a rank that has worked for the first one
            return
        with doing("load") as display:
            work = Work(LOAD, pool=made, told=display.show, counted=display.count)
            known, every = pattern or ["uniform"], range(seed, seed + seeds)
            results = measure(work, specs, known, asked, points=points, seeds=every)
    if draw:
        write_file(draw, picture(figure(results), kind))
    if output:
        write_file(output, to_csv(results))
    for each in results:
        emit(each, as_json, lambda result: show(*result.parts(seeded=seeds > 1)))
