"""``syncfabric load``."""

from pathlib import Path
from typing import Annotated

import typer

from syncfabric.cli.options import Json, Seed, emit, show
from syncfabric.cli.progress import doing


def load(
    nets: Annotated[
        list[str],
        typer.Argument(metavar="NET...", help="Network files or names."),
    ],
    pattern: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Destinations of packets, as of run.")
    ] = None,
    rates: Annotated[
        str | None,
        typer.Option(
            metavar="FROM:TO",
            help="Loads, flits a node a cycle; by default to saturation.",
        ),
    ] = None,
    points: Annotated[
        int, typer.Option(min=1, max=1000, metavar="N", help="Points of a curve.")
    ] = 10,
    seeds: Annotated[
        int, typer.Option(min=1, max=1000, metavar="N", help="Curves, a seed each.")
    ] = 1,
    seed: Seed = 1,
    draw: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw it as .svg or .png.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE.csv", help="Write CSV.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Measure packet latency against load.

    Uses Verilator, on all processors or mpiexec's ranks.
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
            work = Work(LOAD, pool=made, progress=display.show, counted=display.count)
            known, every = pattern or ["uniform"], range(seed, seed + seeds)
            results = measure(work, specs, known, asked, points=points, seeds=every)
    if draw:
        write_file(draw, picture(figure(results), kind))
    if output:
        write_file(output, to_csv(results))
    for each in results:
        emit(each, as_json, lambda result: show(*result.parts(seeded=seeds > 1)))
