"""``syncfabric build``."""

from pathlib import Path
from typing import Annotated

import typer

from syncfabric.cli.options import Json, print_json

__all__ = ["build"]


def build(
    design: Annotated[
        str,
        typer.Argument(
            metavar="NET|BLOCK",
            help="A network, or a block of the hardware (see: syncfabric synth --list).",
        ),
    ],
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
    prefix: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Begin the names of modules and of all in C with NAME_, not the network's name_; "
            "of a block, those of its files and its top module too.",
        ),
    ] = "",
    parameters: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Of a block: a key of [network] in place of the block's own, as data_bits=8.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Write Verilog, test bench, set-up, plan, headers, register maps, core file of a network.

    Of a block: Verilog and core file.
    """
    from syncfabric.cli.progress import progress_display
    from syncfabric.cli.settings import keys
    from syncfabric.fpga.block_files import build_block
    from syncfabric.fpga.blocks import BLOCKS
    from syncfabric.models.errors import SpecError
    from syncfabric.sim.front import Front
    from syncfabric.sim.network import Network

    given = keys(parameters or (), "set")
    if design in BLOCKS:
        if front is not None:
            raise SpecError(
                f"front: {design} is a block, and fronts are for networks; leave it out"
            )
        with progress_display() as progress:
            written = build_block(design, output, given, prefix=prefix, progress=progress)
        name = design
    else:
        if given:
            raise SpecError("set: it is for blocks; write the keys of a network into its file")
        chosen = None if front is None else Front(front, meters, bit_cycles)
        network = Network.load(design)
        with progress_display() as progress:
            written = network.build(output, front=chosen, prefix=prefix, progress=progress)
        name = network.name
    paths = [str(path) for path in written]
    if as_json:
        print_json({"block" if design in BLOCKS else "network": name, "files": paths})
        return
    for path in paths:
        typer.echo(path)
