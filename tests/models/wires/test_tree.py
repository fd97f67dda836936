"""Small trees: every shape once, and every set of members without idle leaves."""

from typing import Any

import networkx as nx
import pytest

from syncfabric.models.wires.tree import Tree, trees


def graph(tree: Tree) -> Any:
    pairs = enumerate(tree.parents)
    return nx.DiGraph([(parent, unit) for unit, parent in pairs if parent != unit])


@pytest.mark.parametrize(("units", "shapes"), [(1, 1), (2, 1), (3, 2), (4, 4), (5, 9), (6, 20)])
def test_there_are_as_many_shapes_as_rooted_trees(units: int, shapes: int) -> None:
    found = {tree.parents for tree in trees(units)}
    assert len(found) == shapes
    graphs = [graph(Tree(parents, 0)) for parents in found]
    # Rooted shapes of one unrooted one are told apart by where the root is.
    for place, one in enumerate(graphs):
        for other in graphs[:place]:
            assert not nx.is_isomorphic(one, other)


def test_leaves_are_members_and_inner_units_may_be() -> None:
    for tree in trees(5):
        leaves = sum(1 << unit for unit, kids in enumerate(tree.kids) if not kids)
        assert tree.members & leaves == leaves
        assert tree.root == 1
    stars = {tree.members for tree in trees(4) if tree.parents == (0, 0, 0, 0)}
    assert stars == {0b1110, 0b1111}
    assert {tree.depth for tree in trees(5)} == {1, 2, 3, 4}
