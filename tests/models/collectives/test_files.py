"""Topologies from files."""

import json
from pathlib import Path

import networkx as nx
import pytest

from syncfabric.models.collectives.bounds import lower_bounds
from syncfabric.models.collectives.certificate import verify
from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.cuts import figures
from syncfabric.models.collectives.files import load_topology, topology_from_json
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.task import Task
from syncfabric.models.errors import SpecError


def write(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_name_needs_no_file() -> None:
    assert load_topology("octagon-8") == named("octagon-8")


def test_an_edge_list_is_a_direct_network(tmp_path: Path) -> None:
    found = load_topology(write(tmp_path, "three.txt", "2 0 # comment\n0 1\n"))
    assert found.name == "three"
    assert (found.nodes, found.switches) == (3, 0)
    assert found.channels == ((2, 0), (0, 2), (0, 1), (1, 0))
    assert all(found.routers)


def test_graphml_with_equal_nodes_is_slim_and_else_has_processors(tmp_path: Path) -> None:
    graph = nx.path_graph(3)
    nx.write_graphml(graph, tmp_path / "slim.graphml")
    slim = load_topology(str(tmp_path / "slim.graphml"))
    assert (slim.nodes, slim.switches) == (3, 0)
    nx.set_node_attributes(graph, {0: 2, 1: 0, 2: 1}, "nodes")
    nx.write_graphml(graph, tmp_path / "fat.graphml")
    fat = load_topology(str(tmp_path / "fat.graphml"))
    assert (fat.nodes, fat.switches) == (3, 3)
    assert fat.successors[:3] == ((3,), (3,), (5,))
    assert fat.distances[0, 2] == 4


def test_graphml_with_nodes_of_their_own(tmp_path: Path) -> None:
    graph = nx.Graph([("a", "s"), ("b", "t"), ("s", "t")])
    nx.set_node_attributes(graph, {"a": "node", "b": "node"}, "kind")
    nx.write_graphml(graph, tmp_path / "own.graphml")
    found = load_topology(str(tmp_path / "own.graphml"))
    assert (found.nodes, found.switches) == (2, 2)
    assert found.distances[0, 1] == 3


def test_a_crossbar_is_one_switch_with_processors(tmp_path: Path) -> None:
    graph = nx.empty_graph(1)
    nx.set_node_attributes(graph, {0: 4}, "nodes")
    nx.write_graphml(graph, tmp_path / "crossbar.graphml")
    found = load_topology(str(tmp_path / "crossbar.graphml"))
    assert (found.nodes, found.switches, len(found.channels)) == (4, 1, 8)
    shown = figures(found)
    assert (shown.diameter, shown.bisection) == (2, None)
    assert shown.words()[-1] == "–"
    task = Task(found, collective("AAS", found))
    assert [bound.value for bound in lower_bounds(task)] == [3, 3, 3]
    assert all(verify(task, bound) is None for bound in lower_bounds(task))


@pytest.mark.parametrize("name", ["octagon-8", "fat-octagon-16", "fat-tree-2x2"])
def test_json_comes_back_equal(tmp_path: Path, name: str) -> None:
    text = json.dumps(named(name).to_json())
    assert load_topology(write(tmp_path, "t.json", text)) == named(name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a b c\n", 'graph, line 1: "a b c" is not an edge; write two labels'),
        ("", "there is no edge in it"),
        ("0 1\n2 3\n", "it is not connected: node 2 cannot be reached from node 0, and 1 more"),
        ("0 1\n1 0\n", 'there are two edges between "1" and "0"; remove one'),
        ("0 1\n1 1\n", 'an edge leads from "1" to itself; remove it'),
        ("<graphml", "graph: not XML"),
        ('{"name": "t",', "line 1, column 14: not JSON"),
        ('{"name": "t", "nodes": 2}', "topology: switches: field required"),
        (
            '{"name": "t", "nodes": 2, "switches": 0, "channels": [[0, 1], [1]]}',
            "topology: channels[1][1]: field required",
        ),
        (
            '{"name": "t", "nodes": 2.5, "switches": 0, "channels": []}',
            "topology: nodes: input should be a valid integer",
        ),
    ],
)
def test_a_malformed_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    file = write(tmp_path, "t.txt", text)
    with pytest.raises(SpecError) as caught:
        load_topology(file)
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"{file}: ")
    assert "\n" not in str(caught.value)


def test_a_drawing_without_nodes_is_refused(tmp_path: Path) -> None:
    graph = nx.path_graph(2)
    nx.set_node_attributes(graph, {0: 0, 1: 0}, "nodes")
    nx.write_graphml(graph, tmp_path / "none.graphml")
    with pytest.raises(SpecError, match="there is no node in it, only switches"):
        load_topology(str(tmp_path / "none.graphml"))


def test_json_values_are_refused_by_place() -> None:
    values = {**named("ring-3").to_json(), "more": 1}
    with pytest.raises(SpecError, match=r"^topology: more: "):
        topology_from_json(values)
