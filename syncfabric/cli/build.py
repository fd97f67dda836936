"""``syncfabric build``."""

from typing import Annotated

import typer

from syncfabric.cli.options import BlockKeys, Design, Folder, Json, keys, print_json


def build(
    design: Design,
    output: Folder,
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
    split: Annotated[
        bool, typer.Option("--split", help="Write a file for each module, named like it.")
    ] = False,
    macro: Annotated[
        str,
        typer.Option(
            metavar="router", help="Give the router's module a file of its own, and constraints."
        ),
    ] = "",
    sva: Annotated[
        bool,
        typer.Option(
            "--sva", help="Write assertions to bind: links, messages, packets, ports, groups."
        ),
    ] = False,
    parameters: BlockKeys = None,
    as_json: Json = False,
) -> None:
    """Write Verilog, test bench, set-up, plan, headers, register maps, core file of a network.

    Of a block: Verilog and core file.
    """
    from syncfabric.cli.progress import progress_display
    from syncfabric.fpga.block_files import build_block
    from syncfabric.fpga.blocks import BLOCKS
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
