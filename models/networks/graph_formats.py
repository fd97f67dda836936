"""Graph files: GraphML, and lists of edges."""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import ParseError

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.explain import show

__all__ = ["Drawing", "parse_edges", "parse_graphml"]

HEAD = b'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'


@dataclass(frozen=True)
class Drawing:
    """A network by labels.

    Parameters
    ----------
    switches : dict
        How many nodes are counted on each switch, in the order of the file.
    links : list of (label, label)
        Between switches, in the order of the file.
    nodes : dict
        Nodes that are vertices of their own, and the switch that each is attached to.
    """

    switches: dict[str, int]
    links: list[tuple[str, str]]
    nodes: dict[str, str]


def parse_edges(subject: str, text: str) -> Drawing:
    """Read two labels a line; ``#`` begins a comment. Every switch has one node.

    Raises
    ------
    SpecError
        A line has not two labels, or there is none at all.
    """
    links = []
    for number, line in enumerate(text.splitlines(), 1):
        # networkx writes an edge's attributes behind its ends, as a dictionary.
        words = line.partition("#")[0].partition("{")[0].split()
        if len(words) not in (0, 2):
            raise SpecError(
                f"{subject}, line {number}: {show(line.strip())} is not an edge; write two labels"
            )
        if words:
            links.append((words[0], words[1]))
    if not links:
        raise SpecError(f"{subject}: there is no edge in it; write two labels a line")
    return Drawing({label: 1 for link in links for label in link}, links, {})


def parse_graphml(subject: str, data: bytes) -> Drawing:
    """Read an undirected graph whose vertices are switches, or some of them nodes.

    A vertex with the attribute ``kind`` = ``node`` is a node, attached to a switch by its one edge;
    the others are switches, with as many nodes as their attribute ``nodes`` says: by default 1,
    or 0 if there are vertices of kind node.

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
    links = [(a, b) for a, b in edges if a in switches and b in switches]
    attached: dict[str, list[str]] = {v: [] for v in kinds if v not in switches}
    for a, b in edges:
        for vertex, other in ((a, b), (b, a)):
            if vertex in attached:
                attached[vertex].append(other)
    for vertex, others in attached.items():
        if len(others) != 1 or others[0] not in switches:
            raise SpecError(
                f'{subject}: node "{vertex}" must have one edge, to a switch; '
                f"it has {len(others)} to {', '.join(map(show, others)) or 'none'}"
            )
    return Drawing(switches, links, {vertex: others[0] for vertex, others in attached.items()})


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


def _graph(subject: str, data: bytes) -> tuple[Any, list[tuple[str, str]]]:
    """Return networkx's graph, and the edges in the order of the file, which it forgets."""
    # networkx takes a while to import, which a mesh need not wait for.
    import networkx as nx

    # As networkx's own read_graphml does: a file by hand often lacks the name space.
    data = data.replace(b"<graphml>", HEAD, 1)
    edges: list[tuple[str, str]] = []

    class Reader(nx.readwrite.graphml.GraphMLReader):
        def add_edge(self, G: Any, edge_element: Any, graphml_keys: Any) -> None:
            ends = str(edge_element.get("source")), str(edge_element.get("target"))
            for end in ends:
                if end not in G:
                    raise SpecError(
                        f"{subject}: an edge leads to {show(end)}, which is no vertex of it"
                    )
            super().add_edge(G, edge_element, graphml_keys)
            edges.append(ends)

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
