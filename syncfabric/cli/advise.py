"""``syncfabric advise``."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from syncfabric.cli.options import Json, emit, show

if TYPE_CHECKING:
    from syncfabric.sim.advise import Advice


def advise(
    nodes: Annotated[str, typer.Option(metavar="WxH", help="Size of the mesh.")] = "8x8",
    members: Annotated[int, typer.Option(metavar="N", help="Members of a group.")] = 16,
    groups: Annotated[int, typer.Option(metavar="N", help="Groups at one time.")] = 1,
    data: Annotated[int, typer.Option(metavar="BITS", help="Bits to combine.")] = 0,
    vector: Annotated[bool, typer.Option("--vector", help="Reduce vectors, too.")] = False,
    dynamic: Annotated[bool, typer.Option("--dynamic", help="Set groups up by packets.")] = False,
    faults: Annotated[
        bool, typer.Option("--faults", help="Detect lost and corrupt flits.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, metavar="S", help="Random seed.")] = 1,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE.toml", help="Write the best network."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Plan barriers in every variant, and compare time, area and clock.

    Area and clock are of 16 groups without data, on an ECP5. Exit code 1: no hardware fits.
    """
    from syncfabric.models.errors import SpecError
    from syncfabric.sim.advise import Asked
    from syncfabric.sim.advise import advise as work_out
    from syncfabric.sim.output import check_file, write_file

    size = re.fullmatch(r"(\d{1,6})x(\d{1,6})", nodes)
    if size is None:
        raise SpecError(f'--nodes: it must be columns and rows, as 8x8, not "{nodes}"')
    where = int(size[1]), int(size[2])
    asked = Asked(where, members, groups, data, vector, dynamic, faults, seed)
    if output is not None:
        check_file(output)
    advice = work_out(asked)
    if output is not None and advice.best is not None:
        write_file(output, advice.best.file)
    emit(advice, as_json, _print)
    if advice.best is None:
        raise typer.Exit(1)


def _print(advice: "Advice") -> None:
    show(*advice.parts())
