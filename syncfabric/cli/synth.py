"""``syncfabric synth``."""

from typing import TYPE_CHECKING, Annotated

import typer

from syncfabric.cli.options import Json, console, print_json

if TYPE_CHECKING:
    from syncfabric.fpga.synth import SynthResult

__all__ = ["synth"]


def synth(
    design: Annotated[
        str,
        typer.Argument(
            metavar="NET|BLOCK",
            help="A network, or a block of the hardware (see: syncfabric synth --list).",
        ),
    ] = "",
    device: Annotated[
        str, typer.Option(metavar="DEVICE", help="ecp5-25k, -45k, -85k, ice40-hx8k or -up5k.")
    ] = "ecp5-45k",
    freq: Annotated[
        float, typer.Option(metavar="MHZ", help="Clock that placement aims at.")
    ] = 100.0,
    seeds: Annotated[int, typer.Option(metavar="N", help="Placements that are tried.")] = 3,
    fast: Annotated[
        bool, typer.Option("--fast", help="Go for speed; it takes area (ECP5 only).")
    ] = False,
    listing: Annotated[bool, typer.Option("--list", help="Print the blocks and end.")] = False,
    as_json: Json = False,
) -> None:
    """Synthesize, place and route for an FPGA; print area, speed and the critical path."""
    from syncfabric.cli.progress import progress_display
    from syncfabric.fpga.blocks import BLOCKS, block_design, network_design
    from syncfabric.fpga.devices import device_named
    from syncfabric.fpga.synth import synthesize
    from syncfabric.sim.network import Network

    if listing:
        blocks = {name: block.about for name, block in BLOCKS.items()}
        if as_json:
            print_json(blocks)
        for name, about in () if as_json else blocks.items():
            typer.echo(f"{name:22} {about}")
        return
    if not design:
        raise typer.BadParameter(
            "name a network or a block; syncfabric synth --list has the blocks"
        )
    chosen = device_named(device, fast=fast)
    if design in BLOCKS:
        emitted = block_design(design)
    else:
        network = Network.load(design)
        emitted = network_design(network.spec.network, network.name)
    with progress_display() as progress:
        result = synthesize(
            emitted, chosen, frequency=freq, seeds=range(1, seeds + 1), progress=progress
        )
    if as_json:
        print_json(result.to_json())
    else:
        _print(result)


def _print(result: "SynthResult") -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    values = result.to_json()
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    heads = ("LUT4", "FF", "block RAM", "LUT RAM", "MHz least", "median", "most")
    for head in heads:
        table.add_column(head, justify="right")
    area = ("lut4", "ff", "block_ram", "distributed_ram")
    speeds = values["fmax_mhz"]
    table.add_row(
        *(f"{values[name]:,}" for name in area), *(f"{mhz:.1f}" for mhz in speeds.values())
    )
    screen = console()
    screen.print(f"{result.design} on {result.device}, for {result.aim}", style="bold")
    screen.print(table)
    screen.print("critical path: " + " > ".join(result.critical_path), style="dim italic")
