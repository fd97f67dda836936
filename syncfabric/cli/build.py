"""``syncfabric build``."""

from typing import Annotated

import typer

from syncfabric.cli.options import BlockKeys, Design, Folder, Json, keys, print_json


def build(
    design: Design,
    output: Folder,
    front: Annotated[
        str | None,
        typer.Option(metavar="axi|uart", help="Add software registers behind AXI4-Lite or a UART."),
    ] = None,
    meters: Annotated[int, typer.Option(help="Groups measured at a time.")] = 1,
    bit_cycles: Annotated[int, typer.Option(help="With --front uart: clock cycles of a bit.")] = 25,
    prefix: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Prefix of modules and C names, by default the network's name; of a block "
            "also of files and top.",
        ),
    ] = "",
    split: Annotated[bool, typer.Option("--split", help="Write a file per module.")] = False,
    macro: Annotated[
        str,
        typer.Option(metavar="router", help="Write router and constraints apart."),
    ] = "",
    sva: Annotated[
        bool,
        typer.Option("--sva", help="Write SystemVerilog assertions to bind."),
    ] = False,
    parameters: BlockKeys = None,
    as_json: Json = False,
) -> None:
    """Write Verilog, and all files around it."""
    from syncfabric.cli.progress import progress_display
    from syncfabric.fpga.blocks import BLOCKS
    from syncfabric.fpga.designs import build_block
    from syncfabric.models.errors import SpecError
    from syncfabric.sim.front import Front
    from syncfabric.sim.network import Network

    given = keys(parameters, "set")
    if design in BLOCKS:
        for name, value in (("front", front), ("split", split), ("macro", macro), ("sva", sva)):
            if value:
                raise SpecError(
                    f"{name}: {design} is a block, and it is for networks; leave it out"
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
            written = network.build(
                output,
                front=chosen,
                prefix=prefix,
                split=split,
                macro=macro,
                sva=sva,
                progress=progress,
            )
        name = network.name
    paths = [str(path) for path in written]
    if as_json:
        print_json({"block" if design in BLOCKS else "network": name, "files": paths})
        return
    for path in paths:
        typer.echo(path)
