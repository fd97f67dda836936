"""Networks drawn as graphs: switches, ports and nodes numbered from a file's labels and links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from importlib.resources.abc import Traversable
from pathlib import Path

from syncfabric.models.errors import SpecError
from syncfabric.models.files import read_bytes
from syncfabric.models.networks.graph_formats import Drawing, parse_edges, parse_graphml
from syncfabric.models.networks.irregular import Irregular, Link, Place

__all__ = ["is_whole", "read_beside", "read_graph", "text_beside"]

MOST_PORTS = 16
MOST_DIGITS = 18
"""Of a label that is a number; what is longer is a name."""


def read_graph(folder: Traversable, name: str, ports: int) -> Irregular:
    """Read a GraphML file, or an edge list.

    Switches are numbered in the order of the file, or by their labels if all of them are whole
    numbers. The ports of a switch are numbered in the order of the file's links, then its nodes.

    Parameters
    ----------
    folder : Traversable
        The network file's own.
    name : str
        The path from there. What ends in ``.graphml`` or ``.xml``, or begins with ``<``, is
        GraphML, else an edge list.
    ports : int
        Ports of every switch.

    Raises
    ------
    SpecError
        The file cannot be read, or is no such graph, or a switch has too few ports for it.
    """
    subject = f"network: graph {name}"
    data = read_beside(folder, name, "graph")
    if name.endswith((".graphml", ".xml")) or data.lstrip().startswith(b"<"):
        drawing = parse_graphml(subject, data)
    else:
        drawing = parse_edges(subject, text_beside(folder, name, "graph"))
    return _numbered(subject, drawing, ports)


def _numbered(subject: str, drawing: Drawing, ports: int) -> Irregular:
    number = {label: i for i, label in enumerate(_sorted(drawing.switches))}
    used = Counter[int]()

    def port(label: str) -> Place:
        switch = number[label]
        used[switch] += 1
        return switch, used[switch] - 1

    for a, b in drawing.links:
        if a == b:
            raise SpecError(f'{subject}: an edge leads from "{a}" to itself; remove it')
    links: tuple[Link, ...] = tuple((port(a), port(b)) for a, b in drawing.links)
    counted = (label for label in number for _ in range(drawing.switches[label]))
    attached = (drawing.nodes[label] for label in _sorted(drawing.nodes))
    nodes = tuple(port(label) for label in (*counted, *attached))
    _check_ports(subject, list(number), used, ports)
    return Irregular(ports, len(number), links, nodes)


def _sorted(labels: Iterable[str]) -> list[str]:
    """Return labels by number if all are whole numbers, else as they come."""
    listed = list(labels)
    return sorted(listed, key=int) if all(map(is_whole, listed)) else listed


def is_whole(label: str) -> bool:
    """Return whether a label is a number to sort by."""
    return label.isascii() and label.isdigit() and len(label) <= MOST_DIGITS


def _check_ports(subject: str, labels: list[str], used: Counter[int], ports: int) -> None:
    if not used:
        return
    switch, most = used.most_common(1)[0]
    if most <= ports:
        return
    remedy = f"set ports = {most}" if most <= MOST_PORTS else f"at most {MOST_PORTS} can be built"
    raise SpecError(
        f'{subject}: "{labels[switch]}" (switch {switch}) needs {most} ports for its links and '
        f"nodes, but ports = {ports}; {remedy}"
    )


def read_beside(folder: Traversable, name: str, key: str) -> bytes:
    """Return what is in a file.

    Parameters
    ----------
    folder : Traversable
        The network file's own.
    name : str
        The path from there, or an absolute one.
    key : str
        The key of ``[network]`` that names it.

    Raises
    ------
    SpecError
        There is no such file, or it cannot be read.
    """
    try:
        place = folder.joinpath(name)
        return read_bytes(place) if isinstance(place, Path) else place.read_bytes()
    except FileNotFoundError:
        raise SpecError(
            f"network: {key} {name} does not exist; give its path from the network file's folder"
        ) from None
    except OSError as error:
        raise SpecError(f"network: {key} {name} cannot be read: {error.strerror}") from None


def text_beside(folder: Traversable, name: str, key: str) -> str:
    """Return the text in a file; raises SpecError as ``read_beside``, or if it is not UTF-8."""
    try:
        return read_beside(folder, name, key).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise SpecError(f"network: {key} {name}: not a text file in UTF-8") from None
