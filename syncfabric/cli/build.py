"""``syncfabric build``."""

from pathlib import Path
from typing import Annotated

import typer

from syncfabric.cli.options import Json, Net, print_json

__all__ = ["build"]


def build(
    net: Net,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="Folder to write into.")
    ],
    front: Annotated[
        str | None,
        typer.Option(metavar="axi|uart", help="Put registers for software in front of it."),
    ] = None,
    meters: Annotated[
        int, typer.Option(help="With a front: groups that can be measured at the same time.")
    ] = 1,
    bit_cycles: Annotated[
        int, typer.Option(help="With front uart: clock cycles of a bit on its lines.")
    ] = 25,
    as_json: Json = False,
) -> None:
    """Write a network's Verilog, plan, register images and C header."""
    from syncfabric.cli.progress import progress_display
    from syncfabric.sim.front import Front
    from syncfabric.sim.network import Network

    chosen = None if front is None else Front(front, meters, bit_cycles)
    network = Network.load(net)
    with progress_display() as progress:
        written = [str(path) for path in network.build(output, front=chosen, progress=progress)]
    if as_json:
        print_json({"network": network.name, "files": written})
        return
    for path in written:
        typer.echo(path)
