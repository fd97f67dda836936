"""Growing a tree from a root: always a valid tree, and within the target where there is room."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncfabric.models.networks.mesh import Mesh, Node
from syncfabric.models.planning.growth import PARTINGS, far, grow, least_heights
from syncfabric.models.planning.segments import Segments
from syncfabric.models.planning.tree import coordinates
from tests.models.planning.laws import check_tree, groups


@given(groups(), st.integers(0, 1), st.integers(0, 30), st.randoms(use_true_random=False))
def test_any_root_and_target_give_a_tree(
    members: list[Node], pipeline: int, target: int, rng: object
) -> None:
    x, y = coordinates(members)
    root = target % len(members)
    tree = grow(x, y, root, pipeline, target)
    check_tree(tree, members)
    assert tree.root == members[root]


@pytest.mark.parametrize("k", [3, 8, 13])
def test_a_complete_mesh_is_grown_on_shortest_paths(k: int) -> None:
    mesh = Mesh(k, k)
    x, y = coordinates(mesh.nodes)
    tree = grow(x, y, mesh.index((k // 2, k // 2)), 0, 2 * (k // 2))
    assert tree.longest_path == 2 * (k // 2)


@pytest.mark.parametrize("parting", PARTINGS)
def test_a_parting_sends_each_offset_by_a_port_that_faces_it(parting: object) -> None:
    assert callable(parting)
    side = range(-4, 5)
    offsets = [(a, b) for a in side for b in side if a or b]
    dx, dy = np.array(offsets).T
    for (a, b), port in zip(offsets, parting(dx, dy).tolist(), strict=True):
        assert [a > 0, b > 0, a < 0, b < 0][port], (a, b, port)


def test_least_heights() -> None:
    sizes = np.array([1, 2, 5, 6, 21, 22, 85, 86, 2**20])
    assert least_heights(sizes).tolist() == [0, 1, 1, 2, 2, 3, 3, 4, 10]


@given(groups())
def test_far_is_the_distance_to_the_farthest(members: list[Node]) -> None:
    x, y = coordinates(members)
    runs = Segments(np.zeros(1, np.int64), len(members))
    expected = [max(abs(a - c) + abs(b - d) for c, d in members) for a, b in members]
    assert far(x, y, runs).tolist() == expected
