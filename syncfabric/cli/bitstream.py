"""``syncfabric bitstream``."""

from typing import TYPE_CHECKING, Annotated

import typer

from syncfabric.cli.options import WRONG, Folder, Json, Net, print_json, show

if TYPE_CHECKING:
    from syncfabric.fpga.bitstream import Bitstream


def bitstream(
    net: Net,
    output: Folder,
    board: Annotated[str, typer.Option(metavar="BOARD", help="Board.")] = "ulx3s-85f",
    freq: Annotated[
        float | None,
        typer.Option(metavar="MHZ", help="Clock of the network; by default the board's."),
    ] = None,
    baud: Annotated[int, typer.Option(metavar="N", help="Bits a second.")] = 1_000_000,
    meters: Annotated[int, typer.Option(help="Groups measured at a time.")] = 1,
    seeds: Annotated[
        int, typer.Option(metavar="N", help="Placements until one reaches the clock.")
    ] = 1,
    fast: Annotated[bool, typer.Option("--fast", help="Map for speed, not area.")] = False,
    as_json: Json = False,
) -> None:
    """Make a board's bitstream."""
    from syncfabric.cli.progress import progress_display
    from syncfabric.fpga.bitstream import BoardBuild, make_bitstream
    from syncfabric.fpga.boards.board import board_named
    from syncfabric.sim.network import Network
    from syncfabric.sim.output import check_folder, write_folder

    check_folder(output)
    build = BoardBuild(Network.load(net), board_named(board), freq, baud, meters, fast)
    with progress_display() as progress:
        made = make_bitstream(build, seeds=seeds, progress=progress)
    written = [str(path) for path in write_folder(output, made.files())] if made.bits else []
    if as_json:
        print_json(made.to_json() | {"files": written})
    else:
        _print(made)
        for path in written:
            typer.echo(path)
    if not made.bits:
        typer.echo(
            f"the clock of {build.pll.clock:g} MHz is not reached, but {made.reached:.1f} is: "
            f"nothing is written; --freq {made.possible} would be met",
            err=True,
        )
        raise typer.Exit(WRONG)


def _print(made: "Bitstream") -> None:
    from syncfabric.sim.tables import Titled

    build, area = made.build, made.area
    heads = ["LUT4", "FF", "block RAM", "LUT RAM", "MHz", "reached", "baud"]
    row = [
        f"{area.lut4:,} of {build.device.luts:,}",
        f"{area.ff:,}",
        f"{area.block_ram:,} of {build.device.block_rams:,}",
        f"{area.distributed_ram:,}",
        f"{build.pll.clock:.4g}",
        f"{made.reached:.1f}",
        f"{build.baud:,}",
    ]
    name = f"{build.network.name} on {build.board.name}, for {build.device.aim}"
    show(Titled(name, (heads, [row])))
