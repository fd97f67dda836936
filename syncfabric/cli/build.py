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
    as_json: Json = False,
) -> None:
    """Write a network's Verilog, plan, register images and C header."""
    from syncfabric.cli.progress import progress_display
    from syncfabric.sim.network import Network

    network = Network.load(net)
    with progress_display() as progress:
        written = [str(path) for path in network.build(output, progress=progress)]
    if as_json:
        print_json({"network": network.name, "files": written})
        return
    for path in written:
        typer.echo(path)
