"""Trees over ports: what is one, joined and pruned, and what of it is known."""

from typing import Any

import numpy as np
import pytest

from syncfabric.models.errors import PlanError
from syncfabric.models.networks import reader
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.models.planning.btm import Tree
from syncfabric.models.planning.port_tree import PortTree
from tests.models.planning.checker import mesh

ROW = Irregular(3, 3, (((0, 1), (1, 0)), ((1, 1), (2, 0))), ((0, 2), (1, 2), (2, 2)))


def test_a_tree_is_one() -> None:
    nodes = [(0, 2), (2, 2)]
    tree = PortTree.of(ROW, {0: 1, 1: -1, 2: 0}, nodes)
    assert (tree.root, tree.height, tree.radius) == (1, 1, 1)
    assert tree.child_mask.tolist() == [4, 3, 4]
    assert [tree.children(i) for i in range(3)] == [(2,), (0, 1), (2,)]
    assert tree.edges == [(0, 1), (2, 1)]
    assert tree.member_positions.tolist() == [0, 2]


@pytest.mark.parametrize(
    ("ports", "nodes", "words"),
    [
        ({0: 1, 1: 1, 2: 0}, [(0, 2)], "Tree must have one root, not 0"),
        ({0: -1, 1: -1}, [(0, 2), (1, 2)], "Tree must have one root, not 2"),
        ({0: -1, 1: 2}, [(0, 2), (1, 2)], "Tree goes by port 2 of 1, which has no link"),
        ({0: -1, 1: 1}, [(0, 2), (1, 2)], "Tree goes from 1 to 2, which is not in it"),
        ({0: -1, 1: 1, 2: 0}, [(0, 2), (1, 2)], "Tree must have one root that every member"),
        ({0: -1, 1: 0}, [(0, 2), (2, 2)], r"Tree must lead to a node at \(2, 2\), and does not"),
        ({0: -1, 1: 0}, [(0, 2), (1, 1)], r"Tree must lead to a node at \(1, 1\), and does not"),
        ({0: -1, 1: 0}, [(0, 2)], "Tree must end at members"),
        ({0: -1}, [(0, 2), (0, 2)], "Tree must use each port of a router for one child"),
    ],
)
def test_what_is_no_tree(ports: dict[int, int], nodes: list[Any], words: str) -> None:
    with pytest.raises(PlanError, match=f"^{words}"):
        PortTree.of(ROW, ports, nodes)


CROSSED = Irregular(
    ports=4, switches=2, links=(((0, 0), (1, 3)), ((0, 1), (1, 2))), nodes=((0, 2), (1, 0))
)
"""Two links, in another order at either end."""


def figure() -> Irregular:
    network = reader.load("cluster-fig1").network
    assert isinstance(network, IrregularSpec)
    return network.topology


def figure_tree() -> PortTree:
    """Paper BTIN's Fig. 3, by the parent of each switch."""
    switches, parents = [0, 1, 3, 4, 5, 6, 7], [3, 3, -1, 1, 1, 3, 3]
    return PortTree.spanned(figure(), np.array(switches), np.array(parents))


def test_joining_parents_gives_the_tree() -> None:
    tree = figure_tree()
    assert tree.routers.tolist() == [0, 1, 3, 4, 5, 6, 7]
    assert tree.edges == [(0, 3), (1, 3), (4, 1), (5, 1), (6, 3), (7, 3)]
    assert tree.parent_port.tolist() == [5, 7, -1, 7, 7, 6, 6]
    assert tree.far_port.tolist() == [0, 1, -1, 5, 4, 3, 6]


def test_a_tree_knows_its_root_and_its_depths() -> None:
    tree = figure_tree()
    assert (len(tree), tree.root, tree.height) == (7, 3, 2)
    assert tree.depth.tolist() == [1, 1, 0, 2, 2, 1, 1]
    assert tree.child_count.tolist() == [0, 2, 4, 0, 0, 0, 0]
    assert [tree.position[router] for router in (7, 0, 3)] == [6, 0, 2]


def test_of_two_links_the_parents_lowest_port_counts() -> None:
    graph, both = CROSSED, np.arange(2)
    below = PortTree.spanned(graph, both, np.array([-1, 0]))
    assert (below.parent_port.tolist(), below.far_port.tolist()) == ([-1, 3], [-1, 0])
    above = PortTree.spanned(graph, both, np.array([1, -1]))
    assert (above.parent_port.tolist(), above.far_port.tolist()) == ([1, -1], [2, -1])


def test_pruning_keeps_the_paths_to_members_and_no_more() -> None:
    graph = figure()
    parents = graph.spanning(3)
    tree = PortTree.pruned(graph, parents, np.array([0, 3, 4, 5, 6, 7]))
    assert tree.edges == figure_tree().edges
    assert tree.parent_port.tolist() == figure_tree().parent_port.tolist()
    assert tree.far_port.tolist() == figure_tree().far_port.tolist()
    path = PortTree.pruned(graph, parents, np.array([4]))
    assert path.routers.tolist() == [1, 3, 4]
    assert path.edges == [(1, 3), (4, 1)]


def test_a_root_alone_is_a_tree() -> None:
    graph = figure()
    parents = graph.spanning(8)
    tree = PortTree.pruned(graph, parents, np.array([8]))
    assert (len(tree), tree.root, tree.height, tree.edges) == (1, 8, 0, [])


def test_a_routed_child_is_where_its_port_leads() -> None:
    def tree(port: int) -> Tree:
        x, y, parent, ports = np.array([[1, 2], [1, 3], [-1, 0], [4, port]])
        return Tree(np.stack([x, y], axis=1), parent, ports)

    graph = mesh(4, 4).topology.graph
    routed = PortTree.routed(tree(0), graph)
    assert routed.hops.tolist() == [0, 3]
    assert routed.parent_port.tolist() == [-1, 3]
    assert routed.path_links() == [(5, 0), (6, 1), (10, 1), (14, 3), (10, 3), (6, 2)]
    assert PortTree.routed(tree(1), graph).parent_port.tolist() == [-1, 2]
    with pytest.raises(PlanError, match=r"^Tree must reach each child by a port that leads"):
        PortTree.routed(tree(2), graph)
