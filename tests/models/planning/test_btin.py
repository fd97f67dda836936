"""Planner btin: the figure, and the rule written out; reference trees are in test_planners."""

import random
from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

from syncfabric.models.networks import reader
from syncfabric.models.networks.irregular import Irregular, Place
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.models.planning.graph import least_eccentric, shapes
from syncfabric.models.planning.plan import make_plan
from syncfabric.models.planning.updown import btin_tree
from tests.models.planning.irregular import check_tree, clusters, draw_network, member_switches


def test_figure_1() -> None:
    """Three switches have height 2; pruned, that of 0 has an edge more than those of 3 and 6."""
    spec = reader.load("cluster-fig1")
    wanted = spec.groups[0].model_copy(update={"planner": "btin"})
    plan = make_plan(spec.model_copy(update={"groups": (wanted,)}))
    (group,) = (group.to_json() for group in plan.groups)
    assert group["planner"] == "btin"
    assert (group["root_switch"], group["root_node"], group["height"]) == (3, [3, 4], 2)
    assert group["edges"] == [[0, 3], [1, 3], [4, 1], [5, 1], [6, 3], [7, 3]]
    assert isinstance(spec.network, IrregularSpec)
    network, named = spec.network, spec.groups[0].members
    assert (network.ports, network.switches, len(network.nodes)) == (8, 9, 26)
    assert (len(network.links), len(named)) == (12, 14)
    assert {switch for switch, _ in network.nodes} == set(range(9))
    assert [node for node in named if node[0] == 3] == [(3, 4), (3, 5)]
    members = member_switches(spec.groups[0].members)
    graph = spec.network.topology
    nearest, height = least_eccentric(graph, members, members)
    assert (nearest.tolist(), height) == ([0, 3, 6], 2)
    edges, leaves = shapes(graph, nearest, members)
    assert (edges.tolist(), leaves.tolist()) == ([7, 6, 6], [5, 5, 5])


def reference_root(topology: Irregular, members: set[int]) -> int:
    """Build every member's whole tree, prune it leaf by leaf, compare."""
    graph = nx.Graph((a[0], b[0]) for a, b in topology.links)
    graph.add_nodes_from(range(topology.switches))
    ranks = []
    for root in sorted(members):
        level = nx.single_source_shortest_path_length(graph, root)
        parent = {
            switch: min(n for n in graph[switch] if level[n] == level[switch] - 1)
            for switch in graph
            if switch != root
        }
        while spare := set(parent) - set(parent.values()) - members:
            for switch in spare:
                del parent[switch]
        height = max((level[switch] for switch in parent), default=0)
        leaves = len({root, *parent} - set(parent.values()))
        ranks.append((height, len(parent), leaves, root))
    return min(ranks)[3]


@settings(max_examples=150, deadline=None)
@given(clusters())
def test_the_root_is_that_of_the_rule_written_out(drawn: tuple[Irregular, list[Place]]) -> None:
    topology, members = drawn
    switches = member_switches(members)
    graph = topology
    assert btin_tree(graph, switches).root == reference_root(topology, set(switches.tolist()))
    tree = btin_tree(graph, switches)
    check_tree(topology, tree, members)
    whole = nx.Graph((a[0], b[0]) for a, b in topology.links)
    for switch, depth in zip(tree.routers.tolist(), tree.depth.tolist(), strict=True):
        assert depth == (nx.shortest_path_length(whole, tree.root, switch) if depth else 0)


@pytest.mark.parametrize("seed", range(4))
def test_the_root_of_larger_networks(seed: int) -> None:
    """More member switches than are measured at once, and ties between many."""
    rng = random.Random(seed)
    topology = draw_network(rng, 200, 20 if seed % 2 else 240, 500)
    members = set(rng.sample(range(200), 160 if seed < 2 else 200))
    found = btin_tree(topology, np.array(sorted(members))).root
    assert found == reference_root(topology, members)


@pytest.mark.parametrize(
    ("pairs", "members", "root"),
    [
        # Height 2 with 5 edges and 3 leaves; 2 has a lower number, 4 edges, 2 leaves and height 3.
        ("04 05 12 14 15 25 34", [2, 3, 4, 5], 4),
        # Of height 2 are 2, 3 and 4: 6, 5 and 5 edges. 2 has a lower number and fewer leaves.
        ("03 12 15 23 24 34 45 46", [0, 2, 3, 4, 5, 6], 3),
        # All have height 2 and 4 edges; 1 and 4 have 2 leaves, the others 3.
        ("03 04 12 13 23 24", [0, 1, 2, 3, 4], 1),
        # All is equal.
        ("02 12 13 23", [1, 3], 1),
    ],
    ids=["height", "edges", "leaves", "number"],
)
def test_what_decides(pairs: str, members: list[int], root: int) -> None:
    topology = joined([(int(pair[0]), int(pair[1])) for pair in pairs.split()])
    assert reference_root(topology, set(members)) == root
    assert btin_tree(topology, np.array(members)).root == root


def joined(pairs: list[tuple[int, int]]) -> Irregular:
    """Link pairs of switches, each by its lowest free port."""
    free: Counter[int] = Counter()
    links = []
    for a, b in pairs:
        links.append(((a, free[a]), (b, free[b])))
        free.update((a, b))
    return Irregular(8, len(free), tuple(links), ())


def test_of_parallel_links_the_parents_lowest_port_is_taken() -> None:
    links = (((0, 3), (1, 0)), ((0, 1), (1, 2)), ((1, 1), (0, 2)))
    topology = Irregular(5, 2, links, ((0, 4), (1, 3)))
    tree = btin_tree(topology, np.array([0, 1]))
    assert tree.root == 0
    assert (tree.far_port.tolist(), tree.parent_port.tolist()) == ([-1, 1], [-1, 2])
