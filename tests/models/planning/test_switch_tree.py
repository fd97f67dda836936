"""Trees of switches: the two ways to make one, and what it says of itself."""

import numpy as np

from syncfabric.models.networks import reader
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.models.planning.switch_graph import SwitchGraph
from syncfabric.models.planning.switch_tree import SwitchTree

CROSSED = Irregular(
    ports=4, switches=2, links=(((0, 0), (1, 3)), ((0, 1), (1, 2))), nodes=((0, 2), (1, 0))
)
"""Two links, in another order at either end."""


def figure() -> Irregular:
    network = reader.load("cluster-fig1").network
    assert isinstance(network, IrregularSpec)
    return network.topology


def figure_tree() -> SwitchTree:
    """Paper BTIN's Fig. 3, by the parent of each switch."""
    switches, parents = [0, 1, 3, 4, 5, 6, 7], [3, 3, -1, 1, 1, 3, 3]
    return SwitchTree.of(SwitchGraph.of(figure()), np.array(switches), np.array(parents))


def test_joining_parents_gives_the_tree() -> None:
    tree = figure_tree()
    assert tree.switches.tolist() == [0, 1, 3, 4, 5, 6, 7]
    assert tree.edges == [[0, 3], [1, 3], [4, 1], [5, 1], [6, 3], [7, 3]]
    assert tree.up_port.tolist() == [5, 7, -1, 7, 7, 6, 6]
    assert tree.down_port.tolist() == [0, 1, -1, 5, 4, 3, 6]


def test_a_tree_knows_its_root_and_its_depths() -> None:
    tree = figure_tree()
    assert (len(tree), tree.root_position, tree.root, tree.height) == (7, 2, 3, 2)
    assert tree.depth.tolist() == [1, 1, 0, 2, 2, 1, 1]
    assert tree.child_count.tolist() == [0, 2, 4, 0, 0, 0, 0]
    assert tree.positions(np.array([7, 0, 3])).tolist() == [6, 0, 2]


def test_of_two_links_the_parents_lowest_port_counts() -> None:
    graph, both = SwitchGraph.of(CROSSED), np.arange(2)
    below = SwitchTree.of(graph, both, np.array([-1, 0]))
    assert (below.up_port.tolist(), below.down_port.tolist()) == ([-1, 3], [-1, 0])
    above = SwitchTree.of(graph, both, np.array([1, -1]))
    assert (above.up_port.tolist(), above.down_port.tolist()) == ([1, -1], [2, -1])


def test_pruning_keeps_the_ways_to_members_and_no_more() -> None:
    graph = SwitchGraph.of(figure())
    parents, _ = graph.spanning(3)
    tree = SwitchTree.pruned(graph, parents, np.array([0, 3, 4, 5, 6, 7]))
    assert tree.edges == figure_tree().edges
    assert tree.up_port.tolist() == figure_tree().up_port.tolist()
    assert tree.down_port.tolist() == figure_tree().down_port.tolist()
    way = SwitchTree.pruned(graph, parents, np.array([4]))
    assert way.switches.tolist() == [1, 3, 4]
    assert way.edges == [[1, 3], [4, 1]]


def test_a_root_alone_is_a_tree() -> None:
    graph = SwitchGraph.of(figure())
    parents, _ = graph.spanning(8)
    tree = SwitchTree.pruned(graph, parents, np.array([8]))
    assert (len(tree), tree.root, tree.height, tree.edges) == (1, 8, 0, [])
