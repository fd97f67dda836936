"""Any graph from a file: GraphML, an edge list, or the topology of a schedule file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.topology import Topology, both_ways
from syncfabric.models.errors import SpecError
from syncfabric.models.files import read_bytes, reading
from syncfabric.models.networks.graph import is_whole
from syncfabric.models.networks.graph_formats import Drawing, parse_edges, parse_graphml
from syncfabric.models.parsed import parse_json

__all__ = ["load_topology", "place_of", "topology_from_json"]


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class _File:
    """A topology as a schedule file holds it."""

    name: str
    nodes: Annotated[int, Field(strict=True)]
    switches: Annotated[int, Field(strict=True)]
    channels: list[tuple[int, int]]


_FILE = TypeAdapter(_File)


def load_topology(name_or_path: str) -> Topology:
    """Return a topology by its name, or from a file.

    What is in a file is JSON if it begins with ``{``, GraphML if it begins with ``<``, else a list
    of edges, two labels a line. Links of GraphML and of edge lists lead both ways. If each switch
    of the drawing has one node, the nodes have routers of their own; else every node is a
    processor behind its switch. Vertices are numbered in the order of the file, or by their
    labels if all of them are whole numbers.

    Raises
    ------
    SpecError
        There is no such name or file, or it is no graph, or it is not connected.
    """
    path = Path(name_or_path)
    if os.path.isdir(path):
        return named(name_or_path)
    try:
        with reading(name_or_path, or_name=True):
            return _of_text(path.stem, read_bytes(path))
    except FileNotFoundError:
        return named(name_or_path)


def _of_text(name: str, data: bytes) -> Topology:
    text = data.decode("utf-8")
    if text.lstrip().startswith("{"):
        return topology_from_json(parse_json(text))
    if text.lstrip().startswith("<"):
        return _topology(name, parse_graphml("graph", data))
    return _topology(name, parse_edges("graph", text))


def topology_from_json(values: Any, subject: str = "topology") -> Topology:
    """Return the topology that ``Topology.to_json`` wrote.

    Parameters
    ----------
    values : Any
    subject : str
        What errors call it.

    Raises
    ------
    SpecError
        The values have not its shape; the message names the place.
    """
    try:
        file = _FILE.validate_python(values)
    except ValidationError as error:
        raise SpecError(f"{subject}: {place_of(error)}") from None
    return Topology(file.name, file.nodes, file.switches, tuple(file.channels))


def place_of(error: ValidationError) -> str:
    """Return the first place that a validation error names, and what is wrong there."""
    first = error.errors()[0]
    place = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in first["loc"]).lstrip(".")
    message = first["msg"][:1].lower() + first["msg"][1:]
    return f"{place}: {message}" if place else message


def _topology(name: str, drawing: Drawing) -> Topology:
    slim = not drawing.nodes and set(drawing.switches.values()) == {1}
    routers = _sorted(drawing.switches)
    owners = [label for label in routers for _ in range(drawing.switches[label])]
    owners += [drawing.nodes[label] for label in _sorted(drawing.nodes)]
    nodes = len(owners)
    if nodes == 0:
        raise SpecError("graph: there is no node in it, only switches")
    seen: set[frozenset[str]] = set()
    for a, b in drawing.links:
        if a == b:
            raise SpecError(f'graph: an edge leads from "{a}" to itself; remove it')
        if frozenset((a, b)) in seen:
            raise SpecError(
                f'graph: there are two edges between "{a}" and "{b}"; remove one, for a path '
                "of vertices could not tell which of them it takes"
            )
        seen.add(frozenset((a, b)))
    first = 0 if slim else nodes
    number = {label: first + i for i, label in enumerate(routers)}
    local = [] if slim else [(p, number[label]) for p, label in enumerate(owners)]
    links = [(number[a], number[b]) for a, b in drawing.links]
    return Topology(name, nodes, 0 if slim else len(routers), both_ways([*local, *links]))


def _sorted(labels: dict[str, Any]) -> list[str]:
    """Return labels by number if all of them are whole numbers, else in their own order."""
    if all(map(is_whole, labels)):
        return sorted(labels, key=int)
    return list(labels)
