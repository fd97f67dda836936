"""The terms of the bound, by hand; whether it is true, the golden model says in tests/sim/drive."""

import numpy as np
import pytest

from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.planning.bounds import bound_cycles
from syncfabric.models.planning.btm import build_tree
from syncfabric.models.planning.tree import Tree, coordinates


@pytest.mark.parametrize(
    ("keys", "bound"),
    [
        ({"barrier_pipeline": 0}, 22),
        ({}, 30),
        ({"sync_links": "own"}, 30),
        ({"operations": "all"}, 31),
    ],
)
def test_the_bound_of_a_complete_mesh(keys: dict[str, object], bound: int) -> None:
    """L 10, h 4; one at a time, one wait."""
    network = MeshSpec.model_validate({"kind": "mesh", "width": 8, "height": 8, **keys})
    assert bound_cycles(build_tree(Mesh(8, 8).nodes), network) == bound


def test_the_way_up_with_the_longest_waits_need_not_be_the_longest_way_down() -> None:
    """Up from (0, 1): 2 hops, 2 tree nodes, 2 waits for its sisters, which is 6.

    Up from (7, 1): 5 and 1, so one of the two waits for the other.
    """
    x, y = coordinates([(2, 1), (1, 1), (0, 1), (1, 2), (1, 0), (7, 1)])
    tree = Tree(x, y, np.array([-1, 0, 1, 1, 1, 0]), np.array([4, 2, 2, 1, 3, 0]))
    network = MeshSpec(kind="mesh", width=8, height=3, operations="all")
    assert (tree.longest_path, tree.height) == (5, 2)
    assert bound_cycles(tree, network) == 2 * 5 + 2 + 2 * 2 + (7 - 6)
