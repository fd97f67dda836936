"""Topologies by name as networks: routers, ports, nodes, files; families of other packages."""

import re
from pathlib import Path

import networkx as nx
import pytest

from syncfabric.models.collectives.files import load_topology
from syncfabric.models.collectives.library import named as to_schedule
from syncfabric.models.errors import SpecError
from syncfabric.models.networks import reader
from syncfabric.models.networks.families import FAMILIES, named
from syncfabric.models.networks.graph import read_graph, to_graphml
from syncfabric.models.networks.spec import IrregularSpec

HEAD = 'name = "a"\n[network]\nkind = "irregular"\n'
EXAMPLES = [family.example for family in FAMILIES.values()]


def network(keys: str) -> IrregularSpec:
    spec = reader.loads(f"{HEAD}{keys}\n").network
    assert isinstance(spec, IrregularSpec)
    return spec


@pytest.mark.parametrize("name", [*EXAMPLES, "mesh-4x1x2", "torus-2x3x4", "dragonfly-1x2x1"])
def test_routers_are_joined_as_in_a_schedule(name: str) -> None:
    made, other = named(name).network(), to_schedule(name)
    routers = [v for v in range(other.vertices) if other.routers[v]]
    first = routers[0]
    ours = sorted(
        (a[0] + first, b[0] + first) for link in made.links for a, b in (link, link[::-1])
    )
    assert ours == sorted((a, b) for a, b in other.channels if min(a, b) >= first)
    assert made.switches == len(routers)
    assert len({end for link in made.links for end in link} | {*made.nodes}) == (
        2 * len(made.links) + other.nodes
    )
    homes = [other.successors[p][0] - first for p in range(other.nodes)] if first else routers
    assert [switch for switch, _ in made.nodes] == homes
    assert made.own == (homes == [*range(made.switches)])


@pytest.mark.parametrize(("name", "degree"), [("complete-5", 4), ("dragonfly-2x4x2", 5)])
def test_degree_and_diameter_of_the_new_ones(name: str, degree: int) -> None:
    made = named(name).network()
    graph = nx.Graph([(a[0], b[0]) for a, b in made.links])
    assert {count for _, count in graph.degree} == {degree}
    assert nx.diameter(graph) == (1 if degree == 4 else 3)  # local, global, local


def test_groups_of_a_dragonfly_are_joined_by_one_link_a_pair() -> None:
    made = named("dragonfly-1x3x2").network()
    groups = [(a[0] // 3, b[0] // 3) for a, b in made.links]
    across = sorted(pair for pair in groups if pair[0] != pair[1])
    assert across == [(a, b) for a in range(7) for b in range(a + 1, 7)]
    assert groups.count((0, 0)) == 3


@pytest.mark.parametrize(
    ("name", "here", "there"),
    [
        ("torus-4x3", (0, 0), (1, 2)),
        ("torus-4x3", (3, 0), (0, 2)),
        ("torus-4x3", (9, 1), (1, 3)),
        ("mesh-3x3x3", (4, 2), (13, 5)),
        ("mesh-4x1x2", (1, 1), (5, 1)),
        ("mesh-2x4", (2, 1), (4, 2)),
        ("hypercube-16", (5, 1), (7, 1)),
        ("ring-5", (4, 0), (0, 1)),
        ("coated-mesh-3x3", (4, 3), (1, 1)),
        ("star-5", (0, 3), (4, 0)),
    ],
)
def test_ports_follow_the_dimensions_or_the_order_of_links(
    name: str, here: tuple[int, int], there: tuple[int, int]
) -> None:
    made = named(name).network()
    assert made.across(*here) == there
    assert made.across(*there) == here


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_file_is_read_as_the_same_network(name: str, tmp_path: Path) -> None:
    made = named(name).network()
    (tmp_path / "it.graphml").write_text(to_graphml(made))
    assert read_graph(tmp_path, "it.graphml") == made
    again = load_topology(str(tmp_path / "it.graphml"))
    ours = to_schedule(name)
    assert (again.nodes, again.switches) == (ours.nodes, ours.switches)
    assert {*again.channels} == {*ours.channels}


def test_a_file_keeps_nodes_and_ports_of_any_network(tmp_path: Path) -> None:
    made = named("mesh-3x2").network(2, ports=9)
    assert made.nodes[:3] == ((0, 3), (0, 4), (1, 3))
    (tmp_path / "it.graphml").write_text(to_graphml(made))
    assert read_graph(tmp_path, "it.graphml", 9) == made
    text = HEAD + f'graph = "{tmp_path}/it.graphml"\n'
    assert reader.loads(text).network.topology == named("mesh-3x2").network(2)


@pytest.mark.parametrize(
    ("keys", "ports", "own"),
    [
        ('topology = "torus-4x4"', 5, True),
        ('topology = "torus-4x4"\nports = 8', 8, True),
        ('topology = "torus-4x4"\ninterfaces = true', 5, False),
        ('topology = "torus-4x4"\nnodes_per_switch = 3', 7, False),
        ('topology = "fat-tree-2x2"', 4, False),
        ('topology = "fat-octagon-8"', 4, True),
        ("links = [[[0, 0], [1, 0]]]\nnodes = [[0, 1], [1, 1]]\ninterfaces = false", 2, True),
        ("links = [[[0, 0], [1, 0]]]\nnodes = [[0, 3], [1, 1]]", 4, False),
    ],
)
def test_where_nodes_are(keys: str, ports: int, own: bool) -> None:
    spec = network(keys)
    assert spec.ports == spec.topology.ports == ports
    assert spec.shape.router.own == spec.topology.own == own
    assert spec.shape.router.links == ports - own
    assert spec.topology.own_links == 1 - own
    if own:
        assert spec.topology.nodes == tuple((s, ports - 1) for s in range(spec.switches))
    assert IrregularSpec(**spec.model_dump()) == spec


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ('topology = "toris-4x4"', 'topology: "toris-4x4" is unknown; did you mean "torus"?'),
        (
            'topology = "torus-4x4"\nports = 4',
            "topology torus-4x4: switch 0 needs 5 ports for its links and nodes, more than 4; set "
            "ports = 5, or leave it out",
        ),
        ('topology = "star-20"', "switch 0 needs 20 ports .* more than 16; at most 16 can be"),
        (
            'topology = "fat-tree-2x2"\nnodes_per_switch = 2',
            "topology fat-tree-2x2 says itself where nodes are; remove nodes_per_switch",
        ),
        (
            'topology = "ring-4"\nnodes_per_switch = 2\ninterfaces = false',
            "interfaces = false puts a node into every switch, but switch 0 has 2; remove it",
        ),
        ('topology = "ring-4"\nnodes = [[0, 1]]', "nodes goes with links; topology says it"),
        ('graph = "a"\nnodes_per_switch = 2', "nodes_per_switch goes with topology; graph says"),
        (
            "links = [[[0, 0], [1, 0]]]\nnodes = [[0, 1], [1, 2]]\ninterfaces = false",
            re.escape("at the last port: nodes must be [[0, 2], [1, 2]]"),
        ),
        (
            "ports = 4\nrandom = {switches = 2, nodes = 2, connectivity = 1, seed = 1}\n"
            "interfaces = false",
            "set ports, and leave interfaces out",
        ),
        ("random = {switches = 2, nodes = 2, connectivity = 1, seed = 1}", "set ports, and leave"),
        ('nodes = [[0, 0]]\nlinks = []\nrouting = "dimension"', "is for routers with coordin"),
        (
            'topology = "torus-4x4"\nrouting = "adaptive"\nchannels = 2',
            "network: channels must be at least 3 .* not 2: packets go by dimension order in",
        ),
        (
            'topology = "mesh-4x4"\nrouting = "adaptive"\nchannels = 1',
            "network: channels must be at least 2 .* not 1: packets go by dimension order in",
        ),
        (
            'topology = "ring-4"\nrouting = "adaptive"\nchannels = 0\nsetup = "local"',
            "network: channels must be at least 3 .* not 0: packets go by dimension order in",
        ),
        ('topology = "torus-4x4"\ndatelines = [[0, 4]]', "dateline .0, 4. is not at a link"),
    ],
)
def test_refused(keys: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        network(keys)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('<data key="topology">ring-3<', '<data key="topology">ring-4<', "not those of topology"),
        ('sourceport="0"', 'sourceport="x"', "sourceport of an edge must be a whole number"),
        ('sourceport="0"', 'sourceport="1"', "port 1 of switch 0 is used twice"),
        ('sourceport="0"', 'sourceport="17"', "needs 18 ports"),
        ('<node id="0" />', '<node id="0"><data key="n">2</data></node>', "switch 0 has 2"),
    ],
)
def test_a_file_that_was_changed_is_refused(
    old: str, new: str, message: str, tmp_path: Path
) -> None:
    text = to_graphml(named("ring-3").network())
    assert old in text
    key = '<key id="n" for="node" attr.name="nodes" attr.type="int" />\n<graph '
    text = text.replace(old, new, 1).replace("<graph ", key, 1)
    (tmp_path / "it.graphml").write_text(text)
    with pytest.raises(SpecError, match=message):
        network(f'graph = "{tmp_path}/it.graphml"')


@pytest.mark.parametrize(
    ("keys", "routing", "channels", "lines"),
    [
        ('topology = "torus-4x3"', "dimension", 2, 2 * 3 + 2 * 4),
        ('topology = "torus-4x2"', "dimension", 2, 2 * 2),
        ('topology = "torus-4x3"\nchannels = 4', "dimension", 4, 14),
        ('topology = "torus-4x3"\nchannels = 0\nsetup = "local"', "source", 0, 0),
        ('topology = "torus-4x3"\nrouting = "table"', "table", 1, 0),
        ('topology = "torus-4x3"\nrouting = "source"\nsetup = "local"', "source", 1, 0),
        ('topology = "torus-2x2"', "dimension", 1, 0),
        ('topology = "mesh-4x3"', "dimension", 1, 0),
        ('topology = "mesh-4x3"\nnodes_per_switch = 2', "dimension", 1, 0),
        ('topology = "hypercube-8"', "dimension", 1, 0),
        ('topology = "ring-5"\ninterfaces = true', "dimension", 2, 2),
        ('topology = "star-5"', "table", 1, 0),
        ('topology = "torus-4x3"\nrouting = "adaptive"', "adaptive", 3, 14),
        ('topology = "torus-4x3"\nrouting = "adaptive"\nchannels = 4', "adaptive", 4, 14),
        ('topology = "torus-2x2"\nrouting = "adaptive"', "adaptive", 2, 0),
        ('topology = "hypercube-8"\nrouting = "adaptive"', "adaptive", 2, 0),
        ('topology = "coated-mesh-3x3"\nrouting = "adaptive"', "adaptive", 2, 0),
    ],
)
def test_how_packets_are_routed(keys: str, routing: str, channels: int, lines: int) -> None:
    spec = network(keys)
    assert (spec.shape.router.routing, spec.channels) == (routing, channels)
    assert len(spec.datelines) == lines
    for here in spec.datelines:
        there = spec.topology.across(*here)
        assert there
        assert abs(here[0] - there[0]) in {(s - 1) * p for s, p in ((4, 1), (3, 4), (5, 1))}


@pytest.mark.parametrize("name", ["torus-4x3x2", "mesh-2x5", "hypercube-16"])
@pytest.mark.parametrize("nodes", [1, 2])
def test_headers_name_each_node(name: str, nodes: int) -> None:
    shape = network(f'topology = "{name}"\nnodes_per_switch = {nodes}').shape
    headers = [shape.header_of(place) for place in shape.nodes]
    assert len({*headers}) == len(headers) == nodes * shape.routers
    assert [shape.node_of(header) for header in headers] == [*range(len(headers))]
    assert shape.manager_headers == (headers[0] | 1 << shape.header.offsets["reply"],)
    sides = 1 << sum(shape.router.grid.bits if shape.router.grid else ())
    outside = [h for h in range(sides) if h not in {header % sides for header in headers}]
    assert all(shape.node_of(header) is None for header in outside)
