"""Multicast trees over directed links."""

import random

import pytest

from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.planning.btm import local_root
from syncfabric.models.planning.multicast_tree import best_tree
from tests.models.planning.static_paths import edges_of, leaves, tree_hops


@pytest.mark.parametrize(("side", "depth"), [(2, 2), (4, 4), (8, 8), (16, 16), (5, 4)])
def test_all_members_of_a_mesh(side: int, depth: int) -> None:
    mesh = Mesh(side, side)
    tree = best_tree(mesh.graph, mesh.nodes)
    assert tree is not None
    assert tree.height == tree.least == depth
    assert tree.root == local_root(mesh.nodes)
    assert (
        len(tree_hops(mesh, tree.root, edges_of(mesh, tree.edges), mesh.nodes)) == side * side - 1
    )


def test_random_members() -> None:
    rng = random.Random(1)
    for _ in range(100):
        mesh = Mesh(rng.randint(1, 8), rng.randint(1, 8))
        members = rng.sample(mesh.nodes, rng.randint(1, len(mesh.nodes)))
        tree = best_tree(mesh.graph, members)
        assert tree is not None
        tree_hops(mesh, tree.root, edges_of(mesh, tree.edges), members)
        far = {root: max(mesh.hops(root, member) for member in members) for root in members}
        assert tree.height == far[tree.root] == min(far.values())


def test_the_path_round_a_link_that_is_taken() -> None:
    mesh = Mesh(3, 2)
    members = [(0, 0), (1, 0)]
    both = leaves(mesh, [((0, 0), (1, 0)), ((1, 0), (0, 0))])
    tree = best_tree(mesh.graph, members, both)
    assert tree is not None
    assert (tree.height, tree.least, tree.excess) == (3, 1, 2)
    hops = tree_hops(mesh, tree.root, edges_of(mesh, tree.edges), members)
    assert set(leaves(mesh, hops)).isdisjoint(both)


def test_the_root_may_move() -> None:
    mesh = Mesh(4, 1)
    taken = leaves(mesh, [((2, 0), (3, 0))])
    tree = best_tree(mesh.graph, [(2, 0), (3, 0)], taken)
    assert tree is not None
    assert (tree.root, tree.height) == ((3, 0), 1)
    assert (
        best_tree(mesh.graph, [(2, 0), (3, 0)], [*taken, *leaves(mesh, [((3, 0), (2, 0))])]) is None
    )
