"""Networks drawn as graphs, in GraphML or as edges: labels and links, and numbers from them."""

from __future__ import annotations

import io
import itertools
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from typing import Any, TypeAlias
from xml.etree.ElementTree import Element, ParseError, SubElement, indent, tostring

from syncfabric.models.errors import SpecError
from syncfabric.models.files import read_beside, text_beside
from syncfabric.models.networks.explain import show
from syncfabric.models.networks.irregular import Irregular, Link, Place

MOST_PORTS = 16
MOST_DIGITS = 18
"""Of a label that is a number; what is longer is a name."""


def read_graph(
    folder: Traversable, name: str, ports: int | None = None, interfaces: bool | None = None
) -> Irregular:
    """Read a GraphML file, or an edge list.

    Switches are numbered in the order of the file, or by their labels if all of them are whole
    numbers. Ports that the file does not give are a switch's lowest ones in the order of the
    file's links, then its nodes.

    Parameters
    ----------
    folder : Traversable
        The network file's own.
    name : str
        The path from there. What ends in ``.graphml`` or ``.xml``, or begins with ``<``, is
        GraphML, else an edge list.
    ports : int, optional
        Ports of every switch; by default as many as are needed.
    interfaces : bool, optional
        Nodes are at the far end of a link, or in the switches; by default as the file says.

    Raises
    ------
    SpecError
        The file cannot be read, or is no such graph, or a switch has too few ports for it, or not
        one node where nodes are in the switches.
    """
    subject = f"network: graph {name}"
    data = read_beside(folder, name, "graph")
    if name.endswith((".graphml", ".xml")) or data.lstrip().startswith(b"<"):
        drawing = parse_graphml(subject, data)
    else:
        drawing = parse_edges(subject, text_beside(folder, name, "graph"))
    network = _numbered(subject, drawing, ports)
    if interfaces is None:
        interfaces = drawing.interfaces
    return network if interfaces else network.inside()


def _numbered(subject: str, drawing: Drawing, ports: int | None) -> Irregular:
    number = {label: i for i, label in enumerate(_sorted(drawing.switches))}
    for (a, _), (b, _) in drawing.links:
        if a == b:
            raise SpecError(f'{subject}: an edge leads from "{a}" to itself; remove it')
    ends = [*(end for link in drawing.links for end in link), *drawing.nodes.values()]
    given = {*ends}
    lowest = {label: itertools.count() for label in number}

    def place(end: End) -> Place:
        label, port = end
        while port is None:
            port = next(lowest[label])
            port = None if (label, port) in given else port
        return number[label], port

    links: tuple[Link, ...] = tuple((place(a), place(b)) for a, b in drawing.links)
    counted = ((label, None) for label in number for _ in range(drawing.switches[label]))
    attached = (drawing.nodes[label] for label in _sorted(drawing.nodes))
    nodes = tuple(place(end) for end in (*counted, *attached))
    used = dict.fromkeys(range(len(number)), 0)
    for switch, port in (*(end for link in links for end in link), *nodes):
        used[switch] = max(used[switch], port + 1)
    _check_ports(subject, list(number), used, ports or MOST_PORTS)
    least = max(2, *used.values())
    return Irregular(ports or least, len(number), links, nodes, family=drawing.family)


def _sorted(labels: Iterable[str]) -> list[str]:
    """Return labels by number if all are whole numbers, else as they come."""
    listed = list(labels)
    return sorted(listed, key=int) if all(map(is_whole, listed)) else listed


def is_whole(label: str) -> bool:
    """Return whether a label is a number to sort by."""
    return label.isascii() and label.isdigit() and len(label) <= MOST_DIGITS


def _check_ports(subject: str, labels: list[str], used: dict[int, int], ports: int) -> None:
    switch = max(used, key=lambda switch: used[switch])
    most = used[switch]
    if most <= ports:
        return
    remedy = f"set ports = {most}" if most <= MOST_PORTS else f"at most {MOST_PORTS} can be built"
    raise SpecError(
        f'{subject}: "{labels[switch]}" (switch {switch}) needs {most} ports for its links and '
        f"nodes, but ports = {ports}; {remedy}"
    )


ENDS = ("source", "target")
HEAD = b'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'


End: TypeAlias = tuple[str, int | None]
"""The label of a switch, and its port; None: the file does not say."""


@dataclass(frozen=True)
class Drawing:
    """A network by labels.

    Parameters
    ----------
    switches : dict
        How many nodes are counted on each switch, in the order of the file.
    links : list of (End, End)
        Between switches, in the order of the file.
    nodes : dict
        Nodes that are vertices of their own, and the end at the switch that each is attached to.
    interfaces : bool
        Nodes are at the far end of a link.
    family : str
        The topology that it is, by name.
    """

    switches: dict[str, int]
    links: list[tuple[End, End]]
    nodes: dict[str, End]
    interfaces: bool = True
    family: str = ""


def parse_edges(subject: str, text: str) -> Drawing:
    """Read two labels a line; ``#`` begins a comment. Every switch has one node.

    Raises
    ------
    SpecError
        A line has not two labels, or there is none at all.
    """
    links: list[tuple[End, End]] = []
    for number, line in enumerate(text.splitlines(), 1):
        # networkx writes an edge's attributes behind its ends, as a dictionary.
        words = line.partition("#")[0].partition("{")[0].split()
        if len(words) not in (0, 2):
            raise SpecError(
                f"{subject}, line {number}: {show(line.strip())} is not an edge; write two labels"
            )
        if words:
            links.append(((words[0], None), (words[1], None)))
    if not links:
        raise SpecError(f"{subject}: there is no edge in it; write two labels a line")
    return Drawing({label: 1 for link in links for label, _ in link}, links, {})


def parse_graphml(subject: str, data: bytes) -> Drawing:
    """Read an undirected graph whose vertices are switches, or some of them nodes.

    A vertex with the attribute ``kind`` = ``node`` is a node, attached to a switch by its one edge;
    the others are switches, with as many nodes as their attribute ``nodes`` says: by default 1,
    or 0 if there are vertices of kind node. The graph's attributes ``interfaces`` and ``topology``
    are those of a network; ``sourceport`` and ``targetport`` of an edge are ports of switches.

    Raises
    ------
    SpecError
        It is not GraphML, or not such a graph.
    """
    graph, edges = _graph(subject, data)
    defaults = graph.graph["node_default"]
    given: dict[str, dict[str, Any]] = {v: {**defaults, **graph.nodes[v]} for v in graph.nodes}
    kinds = {vertex: _kind(subject, vertex, values) for vertex, values in given.items()}
    usual = 0 if "node" in kinds.values() else 1
    switches = {
        vertex: _count(subject, vertex, given[vertex].get("nodes", usual))
        for vertex, kind in kinds.items()
        if kind == "switch"
    }
    if not switches:
        raise SpecError(f"{subject}: there is no switch in it")
    links = [(a, b) for a, b in edges if a[0] in switches and b[0] in switches]
    attached: dict[str, list[End]] = {v: [] for v in kinds if v not in switches}
    for a, b in edges:
        for (vertex, _), other in ((a, b), (b, a)):
            if vertex in attached:
                attached[vertex].append(other)
    for vertex, others in attached.items():
        if len(others) != 1 or others[0][0] not in switches:
            names = ", ".join(show(label) for label, _ in others)
            raise SpecError(
                f'{subject}: node "{vertex}" must have one edge, to a switch; '
                f"it has {len(others)} to {names or 'none'}"
            )
    nodes = {vertex: others[0] for vertex, others in attached.items()}
    said = graph.graph
    return Drawing(
        switches, links, nodes, said.get("interfaces", True), str(said.get("topology", ""))
    )


def _kind(subject: str, vertex: str, values: dict[str, Any]) -> str:
    kind = values.get("kind", "switch")
    if kind not in ("switch", "node"):
        raise SpecError(
            f'{subject}: kind of "{vertex}" must be "switch" or "node", not {show(kind)}'
        )
    return str(kind)


def _count(subject: str, vertex: str, value: object) -> int:
    text = str(value).strip()
    if not (text.isascii() and text.isdigit()) or len(text) > 4:
        raise SpecError(
            f'{subject}: nodes of "{vertex}" must be a whole number, 0 or more, not {show(value)}'
        )
    return int(text)


def _port(subject: str, edge: Any, key: str) -> int | None:
    text = edge.get(key)
    if text is not None and not is_whole(text):
        raise SpecError(f"{subject}: {key} of an edge must be a whole number, not {show(text)}")
    return None if text is None else int(text)


def _graph(subject: str, data: bytes) -> tuple[Any, list[tuple[End, End]]]:
    """Return networkx's graph, and the edges in the order of the file, which it forgets."""
    # networkx takes a while to import, which a mesh need not wait for.
    import networkx as nx

    # As networkx's own read_graphml does: a file by hand often lacks the name space.
    data = data.replace(b"<graphml>", HEAD, 1)
    edges: list[tuple[End, End]] = []

    class Reader(nx.readwrite.graphml.GraphMLReader):
        def add_edge(self, G: Any, edge_element: Any, graphml_keys: Any) -> None:
            ends = [str(edge_element.get(end)) for end in ENDS]
            for end in ends:
                if end not in G:
                    raise SpecError(
                        f"{subject}: an edge leads to {show(end)}, which is no vertex of it"
                    )
            super().add_edge(G, edge_element, graphml_keys)
            first, second = (_port(subject, edge_element, f"{end}port") for end in ENDS)
            edges.append(((ends[0], first), (ends[1], second)))

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            graph = next(Reader(force_multigraph=True)(path=io.BytesIO(data)), None)
    except SpecError:
        raise
    except ParseError as error:
        raise SpecError(f"{subject}: not XML: {error}") from None
    except (nx.NetworkXException, LookupError, ValueError, TypeError, AttributeError) as error:
        raise SpecError(f"{subject}: not GraphML: {error}") from None
    if graph is None:
        raise SpecError(f"{subject}: not GraphML: there is no graph in it")
    if graph.is_directed():
        raise SpecError(
            f'{subject}: it is directed, but links lead both ways; set edgedefault="undirected"'
        )
    return graph, edges


def to_graphml(network: Irregular) -> str:
    """Return a network as GraphML, which ``read_graph`` reads again as the same network."""
    root = Element("graphml", xmlns="http://graphml.graphdrawing.org/xmlns")
    said = {"topology": network.family, "interfaces": str(not network.own).lower()}
    for key, kind in (("topology", "string"), ("interfaces", "boolean")):
        SubElement(root, "key", {"id": key, "for": "graph", "attr.name": key, "attr.type": kind})
    SubElement(
        root, "key", {"id": "kind", "for": "node", "attr.name": "kind", "attr.type": "string"}
    )
    graph = SubElement(root, "graph", edgedefault="undirected")
    for key, value in said.items():
        SubElement(graph, "data", key=key).text = value
    # Nodes of their own first, as a schedule numbers them.
    nodes = () if network.own else network.nodes
    for number in range(len(nodes) + network.switches):
        vertex = SubElement(graph, "node", id=str(number))
        if number < len(nodes):
            SubElement(vertex, "data", key="kind").text = "node"
    for number, (switch, port) in enumerate(nodes):
        ends = {"source": str(number), "target": str(len(nodes) + switch), "targetport": str(port)}
        SubElement(graph, "edge", ends)
    for link in network.links:
        edge = SubElement(graph, "edge")
        for end, (switch, port) in zip(ENDS, link, strict=True):
            edge.set(end, str(len(nodes) + switch))
            edge.set(f"{end}port", str(port))
    indent(root)
    return f"{tostring(root, encoding='unicode')}\n"
