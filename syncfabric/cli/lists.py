"""``syncfabric networks``, ``syncfabric schema`` and ``syncfabric topologies``."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from syncfabric.cli.options import Json, print_json

if TYPE_CHECKING:
    from syncfabric.models.collectives.cuts import Figures
    from syncfabric.models.collectives.topology import Topology

HEADS = ("nodes", "switches", "channels", "degree", "diameter", "bisection")


def networks(as_json: Json = False) -> None:
    """List ready-made networks."""
    from syncfabric.models.networks.reader import ready_made

    found = ready_made()
    if as_json:
        print_json([{"name": name, "description": text} for name, text in found.items()])
    else:
        columns(found)


def columns(texts: dict[str, str]) -> None:
    """Print names, and what each is."""
    width = max(map(len, texts), default=0)
    for name, text in texts.items():
        typer.echo(f"{name:{width}}  {text}")


def schema(
    results: Annotated[
        bool, typer.Option("--results", help="Print the schema of run --json.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Print the JSON Schema of network files."""
    from syncfabric.models.networks.schema import file_schema
    from syncfabric.sim.results import results_schema

    chosen = results_schema() if results else file_schema()
    typer.echo(json.dumps(chosen, indent=None if as_json else 2))


def topologies(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[TOPOLOGY]", help="A name with its size, or a graph file."),
    ] = None,
    graphml: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write it as GraphML."),
    ] = None,
    as_json: Json = False,
) -> None:
    """List topologies, or show one."""
    from syncfabric.models.collectives.cuts import figures
    from syncfabric.models.collectives.files import load_topology
    from syncfabric.models.collectives.library import MACHINES, named
    from syncfabric.models.networks.families import families

    if graphml is not None:
        _write(name, graphml)
    if name is not None:
        topology = load_topology(name)
        shown = figures(topology)
        if as_json:
            print_json({"topology": topology.to_json(), **shown.to_json()})
        else:
            _print(topology, shown)
        return
    listed = [(key, f.example, f.size, f.text) for key, f in families().items()]
    listed += [(key, key, "", text) for key, text in MACHINES.items()]
    found = [(*known, figures(named(known[1]))) for known in listed]
    if as_json:
        keys = ("family", "example", "size", "description")
        print_json([{**dict(zip(keys, words, strict=True)), **f.to_json()} for *words, f in found])
        return
    rows = [["example", *HEADS], *([example, *f.words()] for _, example, _, _, f in found)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    texts = ("what it is", *(text for _, _, _, text, _ in found))
    for row, text in zip(rows, texts, strict=True):
        others = (f"{cell:>{wide}}" for cell, wide in zip(row[1:], widths[1:], strict=True))
        typer.echo("  ".join([f"{row[0]:{widths[0]}}", *others, text]))


def _write(name: str | None, file: Path) -> None:
    from syncfabric.models.errors import SpecError
    from syncfabric.models.networks.families import named
    from syncfabric.models.networks.graph import to_graphml
    from syncfabric.sim.output import check_file, write_file

    if name is None:
        raise SpecError("--graphml: name the topology that is to be written")
    check_file(file)
    write_file(file, to_graphml(named(name).network()))


def _print(topology: "Topology", shown: "Figures") -> None:
    typer.echo(topology.name)
    for head, word in zip(HEADS, shown.words(), strict=True):
        typer.echo(f"  {head:10} {word}")
    for vertex, near in enumerate(topology.successors):
        if vertex >= topology.nodes:
            kind = "switch"
        else:
            kind = "node" if topology.routers[vertex] else "processor"
        typer.echo(f"  {kind} {vertex}: {', '.join(map(str, near))}")
