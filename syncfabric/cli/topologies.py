"""``syncfabric topologies``."""

from typing import TYPE_CHECKING, Annotated

import typer

from syncfabric.cli.options import Json, print_json

if TYPE_CHECKING:
    from syncfabric.models.collectives.cuts import Figures
    from syncfabric.models.collectives.topology import Topology

__all__ = ["topologies"]


def topologies(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[TOPOLOGY]", help="Show this one: a name with its size, or a graph's file."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the topologies that collectives are scheduled on, or show one of them."""
    from syncfabric.models.collectives.cuts import figures
    from syncfabric.models.collectives.files import load_topology
    from syncfabric.models.collectives.library import FAMILIES, named

    if name is not None:
        topology = load_topology(name)
        shown = figures(topology)
        if as_json:
            print_json({"topology": topology.to_json(), **shown.to_json()})
        else:
            _print(topology, shown)
        return
    found = [(key, family, figures(named(family.example))) for key, family in FAMILIES.items()]
    if as_json:
        print_json(
            [
                {
                    "family": key,
                    "example": family.example,
                    "size": family.size,
                    "description": family.text,
                    **shown.to_json(),
                }
                for key, family, shown in found
            ]
        )
        return
    heads = ["example", "nodes", "switches", "channels", "degree", "diameter", "bisection"]
    rows = [[family.example, *shown.words()] for _, family, shown in found]
    widths = [max(len(row[i]) for row in [heads, *rows]) for i in range(len(heads))]
    for row, text in zip(
        [heads, *rows], ["what it is", *(family.text for _, family, _ in found)], strict=True
    ):
        first, *others = [
            f"{cell:{width}}" if i == 0 else f"{cell:>{width}}"
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        typer.echo("  ".join([first, *others, text]))


def _print(topology: "Topology", shown: "Figures") -> None:
    typer.echo(topology.name)
    heads = ("nodes", "switches", "channels", "degree", "diameter", "bisection")
    for head, word in zip(heads, shown.words(), strict=True):
        typer.echo(f"  {head:10} {word}")
    for vertex, near in enumerate(topology.successors):
        if vertex >= topology.nodes:
            kind = "switch"
        else:
            kind = "node" if topology.routers[vertex] else "processor"
        typer.echo(f"  {kind} {vertex}: {', '.join(map(str, near))}")
