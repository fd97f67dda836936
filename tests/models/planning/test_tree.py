"""The tree's arrays and what is read from them."""

import numpy as np
import pytest

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.mesh import Port, Turn
from syncfabric.models.planning.btm import build_tree
from syncfabric.models.planning.tree import Tree, coordinates, distribute_turn

MEMBERS = [(0, 0), (1, 0), (1, 1), (2, 2)]
TREE = build_tree(MEMBERS)


def test_a_small_tree() -> None:
    assert TREE.edges == [[[0, 0], [1, 1]], [[1, 0], [1, 1]], [[2, 2], [1, 1]]]
    assert TREE.root == (1, 1)
    assert TREE.children_of((1, 1)) == ((2, 2), None, (0, 0), (1, 0))
    assert TREE.parent_of((1, 1)) is None
    assert [TREE.parent_of(node) for node in ((0, 0), (1, 0), (2, 2))] == [(1, 1)] * 3


def test_a_distribution_leaves_by_the_axis_of_its_port() -> None:
    for port in (Port.EAST, Port.WEST):
        assert distribute_turn(port) is Turn.X_FIRST
    for port in (Port.NORTH, Port.SOUTH):
        assert distribute_turn(port) is Turn.Y_FIRST


def test_path_sums_count_both_ends() -> None:
    assert TREE.path_sums(np.array([1, 10, 100, 1000])).tolist() == [101, 110, 100, 1100]
    assert TREE.depth.tolist() == [1, 1, 0, 1]
    assert TREE.hops.tolist() == [2, 1, 0, 2]


def test_trees_compare_by_their_arrays() -> None:
    again = Tree.from_edges(MEMBERS, TREE.edges, TREE.port)
    assert again == TREE
    assert again != build_tree(MEMBERS[:3])
    assert TREE != "tree"
    assert repr(TREE) == "Tree(members=4, root=(1, 1), height=1)"


def test_what_is_no_tree_is_refused() -> None:
    x, y = coordinates([(0, 0), (1, 0), (2, 0)])
    loop = Tree(x, y, np.array([-1, 2, 1]), np.array([4, 0, 2]))
    rule = r"^Tree must have one root that every member leads to$"
    with pytest.raises(PlanError, match=rule):
        _ = loop.height


def test_empty_and_doubled_groups_are_refused() -> None:
    with pytest.raises(PlanError, match=r"^Barrier must have at least 1 member, not 0$"):
        build_tree([])
    with pytest.raises(PlanError, match=r"^Barrier members must be different nodes$"):
        build_tree([(1, 2), (0, 0), (1, 2)])
