"""Named topologies are what their sources say."""

from itertools import combinations
from typing import Any

import networkx as nx
import pytest

from syncfabric.models.collectives.cuts import figures
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.topology import Topology
from syncfabric.models.errors import SpecError
from syncfabric.models.networks.families import FAMILIES


def graph(topology: Topology) -> Any:
    assert {(b, a) for a, b in topology.channels} == set(topology.channels)
    return nx.Graph(list(topology.channels))


@pytest.mark.parametrize(
    ("name", "nodes", "degree", "diameter"),
    [
        ("ring-9", 9, (2, 2), 4),
        ("mesh-4x4", 16, (2, 4), 6),
        ("mesh-3x4x5", 60, (3, 6), 9),
        ("torus-5x5", 25, (4, 4), 4),
        ("torus-2x3", 6, (3, 3), 2),
        ("hypercube-128", 128, (7, 7), 7),
        ("k-ring-16", 16, (5, 5), 2),
        ("k-ring-32", 32, (6, 6), 3),
        ("octagon-8", 8, (3, 3), 2),
        ("octagon-12", 12, (3, 3), 3),
        ("octagon-8x8", 64, (6, 6), 4),
        ("octagon-bridged-15", 15, (3, 6), 4),
        ("octagon-bridged-22", 22, (3, 6), 5),
        ("twisted-ladder-16", 16, (3, 3), 4),
        ("twisted-ladder-10", 10, (3, 3), 3),
        ("amp-5", 5, (4, 4), 1),
        ("amp-13", 13, (4, 4), 2),
        ("amp-32", 32, (4, 4), 4),
        ("moore-petersen", 10, (3, 3), 2),
        ("moore-hoffman-singleton", 50, (7, 7), 2),
        ("star-9", 9, (1, 8), 2),
    ],
)
def test_nodes_degree_and_diameter(
    name: str, nodes: int, degree: tuple[int, int], diameter: int
) -> None:
    shown = figures(named(name))
    assert shown.nodes == nodes
    assert shown.switches == 0
    assert (shown.least_degree, shown.greatest_degree) == degree
    assert shown.diameter == diameter
    assert shown.channels == 2 * graph(named(name)).number_of_edges()


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("hypercube-16", nx.hypercube_graph(4)),
        ("torus-4x4", nx.hypercube_graph(4)),
        ("mesh-3x5", nx.grid_2d_graph(3, 5)),
        ("torus-5x6", nx.grid_2d_graph(5, 6, periodic=True)),
        ("moore-petersen", nx.petersen_graph()),
        ("moore-hoffman-singleton", nx.hoffman_singleton_graph()),
        ("octagon-8", nx.circulant_graph(8, [1, 4])),
        ("twisted-ladder-8", nx.circulant_graph(8, [1, 4])),
        ("octagon-8x8", nx.cartesian_product(*[nx.circulant_graph(8, [1, 4])] * 2)),
    ],
)
def test_it_is_the_graph_known_by_that_name(name: str, other: Any) -> None:
    if len(other) <= 30:
        assert nx.is_isomorphic(graph(named(name)), other)
    else:
        assert nx.faster_could_be_isomorphic(graph(named(name)), other)


def test_moore_graphs_meet_the_moore_bound() -> None:
    for name, degree in (("moore-petersen", 3), ("moore-hoffman-singleton", 7)):
        assert named(name).nodes == 1 + degree * degree
        assert nx.girth(graph(named(name))) == 5


@pytest.mark.parametrize("nodes", [*range(5, 34), 50])
def test_amp_has_the_least_distances_of_rings_with_chords(nodes: int) -> None:
    mean = nx.average_shortest_path_length
    best = min(
        mean(chords)
        for steps in combinations(range(1, (nodes + 1) // 2), 2)
        if nx.is_connected(chords := nx.circulant_graph(nodes, list(steps)))
    )
    assert mean(graph(named(f"amp-{nodes}"))) == pytest.approx(best)


def test_bridges_are_opposite_each_other() -> None:
    near = named("octagon-bridged-22").successors
    bridges = [v for v in range(22) if len(near[v]) == 6]
    assert bridges == [4, 11]
    assert near[4] == (0, 3, 5, 8, 11, 14)


def test_the_coated_mesh_has_two_processors_on_a_corner() -> None:
    coated = named("coated-mesh-4x4")
    assert (coated.nodes, coated.switches) == (16, 16)
    owners = [coated.successors[p] for p in range(16)]
    assert all(len(switches) == 1 for switches in owners)
    each = [sum(owner[0] == 16 + s for owner in owners) for s in range(16)]
    assert each == [2, 1, 1, 2, 1, 0, 0, 1, 1, 0, 0, 1, 2, 1, 1, 2]
    assert not any(coated.routers[:16])


def test_the_fat_octagon_has_two_processors_a_router() -> None:
    fat = named("fat-octagon-16")
    assert [fat.successors[p] for p in range(16)] == [(16 + p // 2,) for p in range(16)]
    assert figures(fat).diameter == 4


@pytest.mark.parametrize(("arity", "levels"), [(2, 2), (2, 4), (4, 2), (3, 3)])
def test_a_fat_tree_has_full_bisection(arity: int, levels: int) -> None:
    tree = named(f"fat-tree-{arity}x{levels}")
    assert tree.nodes == arity**levels
    assert tree.switches == levels * arity ** (levels - 1)
    assert figures(tree).diameter == 2 * levels
    inner = graph(tree)
    half = set(range(tree.nodes // arity))
    flow: Any = nx.DiGraph([(a, b, {"capacity": 1}) for a, b in tree.channels])
    flow.add_edges_from([(-1, v) for v in half])
    flow.add_edges_from([(v, -2) for v in range(tree.nodes) if v not in half])
    assert nx.maximum_flow_value(flow, -1, -2) == len(half)
    roots = range(tree.nodes, tree.nodes + arity ** (levels - 1))
    assert {inner.degree[root] for root in roots} == {arity}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("rin-8", 'topology: "rin-8" is unknown; did you mean "ring"?'),
        ("ring", 'size of "ring" must be 3 nodes or more; for example ring-8'),
        ("ring-2", 'size of "ring-2" must be 3 nodes'),
        ("hypercube-12", "must be a power of two, 2 or more; for example hypercube-16"),
        ("octagon-10", "must be a multiple of 4, 8 or more, or 8 a dimension"),
        ("octagon-bridged-16", "must be 1 more than a multiple of 7"),
        ("torus-4x0", "must be a side a dimension, as 4x4; for example torus-4x4"),
        ("fat-tree-16", "must be arity and levels, as 2x4"),
        ("moore-petersen-10", 'topology: "moore-petersen" has one size; leave it out'),
        ("ring-5000", '"ring-5000" has more than 4,096 nodes'),
        ("fat-tree-2x999999999", "more than 4,096 nodes"),
        ("mesh-4x", 'topology: "mesh-4x" is unknown; did you mean "mesh"?'),
    ],
)
def test_a_wrong_name_is_refused(name: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        named(name)
    assert message in str(caught.value)


def test_bisections() -> None:
    wide = {family.example: figures(named(family.example)) for family in FAMILIES.values()}
    exact = {"ring-8": 4, "mesh-4x4": 8, "torus-4x4": 16, "hypercube-16": 16, "octagon-8": 8}
    for name, channels in {**exact, "fat-octagon-16": 8, "coated-mesh-4x4": 8}.items():
        assert (wide[name].bisection, wide[name].bisection_exact) == (channels, True)
    assert not wide["moore-hoffman-singleton"].bisection_exact
    assert figures(named("torus-8x8")).bisection == 32
    assert figures(named("hypercube-64")).bisection == 64
    # The middle of four Octagons is a bridge, with three links on either side.
    assert figures(named("octagon-bridged-29")).bisection == 6
    # Nine switches with three processors each have no halves.
    assert figures(named("fat-tree-3x3")).words()[-1] == "–"
