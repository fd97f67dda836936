"""``syncfabric plan``."""

from pathlib import Path
from typing import Annotated

import typer

from syncfabric.cli.names_of_010 import with_old_fields
from syncfabric.cli.options import Json, Net, print_json, show


def plan(
    net: Net,
    draw: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw it as .svg or .png."),
    ] = None,
    registers: Annotated[
        bool, typer.Option("--registers", help="Print every entry or route.")
    ] = False,
    without: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LINK_OR_NODE",
            help="Avoid a link or node: x,y or x,y-x,y on a mesh; else switch, switch,port or "
            "switch,port-switch,port. Repeatable.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Plan barrier trees or rings, with latency bounds."""
    from syncfabric.sim.network import Network

    network = Network.load(net)
    planned = network.plan_without(*without) if without else network.plan()
    if draw is not None:
        planned.draw(draw)
    if as_json:
        print_json(with_old_fields("plan", planned.to_json()))
        return
    from syncfabric.sim.tables import plan_parts

    show(*plan_parts(planned, whole=registers))
    if draw is not None:
        show(f"wrote {draw}")
