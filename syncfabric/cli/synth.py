"""``syncfabric synth``."""

import math
from typing import TYPE_CHECKING, Annotated

import typer

from syncfabric.cli.lists import columns
from syncfabric.cli.options import BlockKeys, Design, Json, emit, keys, print_json, show

if TYPE_CHECKING:
    from syncfabric.fpga.synth import SynthResult


MOST_SEEDS = 1000


def synth(
    design: Design = "",
    device: Annotated[
        str, typer.Option(metavar="DEVICE", help="ecp5-25k, -45k, -85k, ice40-hx8k, -up5k, gates.")
    ] = "ecp5-45k",
    freq: Annotated[float, typer.Option(metavar="MHZ", help="Clock to aim at.")] = 100.0,
    seeds: Annotated[int, typer.Option(metavar="N", help="Number of placements.")] = 3,
    fast: Annotated[bool, typer.Option("--fast", help="Map for speed, not area.")] = False,
    delay: Annotated[
        int | None,
        typer.Option(metavar="PS", help="Cell delay to aim at in mapping (ECP5)."),
    ] = None,
    area: Annotated[
        bool, typer.Option("--area", help="Report area only, without placement.")
    ] = False,
    macro: Annotated[
        bool, typer.Option("--macro", help="Map a block apart, as a macro (ECP5).")
    ] = False,
    parameters: BlockKeys = None,
    listing: Annotated[bool, typer.Option("--list", help="List blocks.")] = False,
    as_json: Json = False,
) -> None:
    """Synthesize, place and route for an FPGA."""
    from syncfabric.cli.progress import progress_display
    from syncfabric.fpga.blocks import BLOCKS
    from syncfabric.fpga.designs import block_design, network_design
    from syncfabric.fpga.devices import device_named
    from syncfabric.fpga.synth import synthesize
    from syncfabric.models.errors import SpecError, check_range
    from syncfabric.sim.network import Network

    if listing:
        blocks = {name: block.about for name, block in BLOCKS.items()}
        if as_json:
            print_json(blocks)
        else:
            columns({name: f"{about}." for name, about in blocks.items()})
        return
    if not design:
        raise typer.BadParameter(
            "name a network or a block; syncfabric synth --list has the blocks"
        )
    chosen = device_named(device, fast=fast, delay=delay)
    if not 0 < freq < math.inf:
        raise SpecError(f"freq must be above 0 MHz, not {freq:g}")
    check_range("seeds", seeds, 1, MOST_SEEDS)
    given = keys(parameters, "set")
    if design in BLOCKS:
        emitted = block_design(design, given, macro=macro)
    elif macro:
        raise SpecError("macro: it is for blocks; a network has build --macro router")
    elif given:
        raise SpecError("set: it is for blocks; write the keys of a network into its file")
    else:
        network = Network.load(design)
        emitted = network_design(network.spec.network, network.name)
    with progress_display() as progress:
        tried = () if area else range(1, seeds + 1)
        result = synthesize(emitted, chosen, frequency=freq, seeds=tried, progress=progress)
    emit(result, as_json, _print)


def _print(result: "SynthResult") -> None:
    from syncfabric.sim.tables import Titled

    values = result.to_json()
    names = {"lut4": "LUT4", "ff": "FF", "block_ram": "block RAM", "distributed_ram": "LUT RAM"}
    area = {"gates": "gates", "ff": "FF"} if result.area.gates else names
    heads = [*area.values(), *(["MHz least", "median", "most"] if result.fmax else [])]
    speeds = values["fmax_mhz"] or {}
    row = [*(f"{values[name]:,}" for name in area), *(f"{mhz:.1f}" for mhz in speeds.values())]
    title = f"{result.design} on {result.device}, for {result.aim}"
    path = "critical path: " + " > ".join(result.critical_path) if result.fmax else ""
    show(Titled(title, (heads, [row]), path))
