"""Hanging subtrees elsewhere keeps a tree a tree, and never makes it worse."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from syncfabric.models.networks.mesh import Node
from syncfabric.models.planning.btm import build_tree
from syncfabric.models.planning.shortest import greatest_cost, rehang
from syncfabric.models.planning.tree import Tree, coordinates
from tests.models.planning.laws import check_tree, groups


@given(groups(), st.sampled_from([0, 1]))
def test_still_a_tree_and_no_worse(members: list[Node], pipeline: int) -> None:
    first = build_tree(members)
    tree = rehang(first, pipeline)
    check_tree(tree, members)
    assert greatest_cost(tree, pipeline) <= greatest_cost(first, pipeline)


def test_a_detour_is_taken_out() -> None:
    """(0, 4) hangs below (3, 0), three links out of its way; the root's north port is free."""
    x, y = coordinates([(0, 0), (3, 0), (0, 4)])
    detour = Tree(x, y, np.array([-1, 0, 1]), np.array([4, 0, 1]))
    assert greatest_cost(detour, 1) == 12
    straight = rehang(detour, 1)
    assert straight.parent.tolist() == [-1, 0, 0]
    assert straight.port.tolist() == [4, 0, 1]
    assert greatest_cost(straight, 1) == 5
