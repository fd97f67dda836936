"""Trees of switches: the two ways to make one, and what it says of itself."""

import numpy as np

from syncfabric.models.networks import reader
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.models.planning.graph import LinkGraph
from syncfabric.models.planning.port_tree import PortTree

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
    return PortTree.spanned(LinkGraph(figure()), np.array(switches), np.array(parents))


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
    graph, both = LinkGraph(CROSSED), np.arange(2)
    below = PortTree.spanned(graph, both, np.array([-1, 0]))
    assert (below.parent_port.tolist(), below.far_port.tolist()) == ([-1, 3], [-1, 0])
    above = PortTree.spanned(graph, both, np.array([1, -1]))
    assert (above.parent_port.tolist(), above.far_port.tolist()) == ([1, -1], [2, -1])


def test_pruning_keeps_the_ways_to_members_and_no_more() -> None:
    graph = LinkGraph(figure())
    parents, _ = graph.spanning(3)
    tree = PortTree.pruned(graph, parents, np.array([0, 3, 4, 5, 6, 7]))
    assert tree.edges == figure_tree().edges
    assert tree.parent_port.tolist() == figure_tree().parent_port.tolist()
    assert tree.far_port.tolist() == figure_tree().far_port.tolist()
    way = PortTree.pruned(graph, parents, np.array([4]))
    assert way.routers.tolist() == [1, 3, 4]
    assert way.edges == [(1, 3), (4, 1)]


def test_a_root_alone_is_a_tree() -> None:
    graph = LinkGraph(figure())
    parents, _ = graph.spanning(8)
    tree = PortTree.pruned(graph, parents, np.array([8]))
    assert (len(tree), tree.root, tree.height, tree.edges) == (1, 8, 0, [])
