"""Costs that differ from those back."""

import random

import numpy as np
import pytest

from syncfabric.models.broadcast.balanced_path import least_cost
from syncfabric.models.broadcast.costs import Floats, Ints, MatrixCosts
from syncfabric.models.broadcast.tree import Policy, Tree
from syncfabric.models.errors import SpecError
from tests.models.broadcast.golden import balanced_path, tree_cost

NODES = 13


def _square(seed: int) -> Floats:
    return np.random.default_rng(seed).integers(0, 20, (NODES, NODES)).astype(np.float64)


@pytest.mark.parametrize("seed", range(3))
def test_events_on_a_matrix_and_on_a_function(seed: int) -> None:
    square, draw = _square(seed), random.Random(seed)
    known = square.copy()

    def function(one: Ints, other: Ints) -> Floats:
        found: Floats = square[one, other]
        return found

    policy = Policy(fall="path", new_root=True)
    trees = [
        Tree(costs, nodes=range(9), root=2, one_way=True, policy=policy)
        for costs in (square, function)
    ]

    # The reference asks for the cost between a parent and its child, in this order or in the other.
    def between(child: int, above: int) -> float:
        return float(known[above, child])

    built = balanced_path(range(9), 2, lambda above, node: float(known[above, node]))
    assert list(trees[0].nodes) == built
    for _ in range(60):
        kind = draw.choice(["link", "join", "leave"])
        there = trees[0].nodes
        gone = [node for node in range(NODES) if node not in there]
        if kind == "link" and len(there) > 1:
            node = draw.choice(there[1:])
            above = trees[0].parent(node)
            assert above is not None
            one, other = (node, above) if draw.random() < 0.3 else (above, node)
            known[one, other] = cost = draw.randint(0, 30)
            changes = [tree.update_cost(one, other, cost) for tree in trees]
        elif kind == "join" and gone:
            node = draw.choice(gone)
            to = {other: draw.randint(0, 20) for other in there}
            back = {other: draw.randint(0, 20) for other in there}
            for other in there:
                known[other, node], known[node, other] = to[other], back[other]
            changes = [tree.join(to, node, back) for tree in trees]
        elif kind == "leave" and len(there) > 2:
            node = draw.choice(there)
            changes = [tree.leave(node) for tree in trees]
        else:
            continue
        assert changes[0] == changes[1]
        assert changes[0].cost <= changes[0].raised  # a swap is carried out only if it helps
        assert trees[0].nodes == trees[1].nodes
        assert trees[0].cost == tree_cost(trees[0].nodes, between)


def test_a_link_back_is_not_in_the_tree() -> None:
    tree = Tree([[0, 1, 5], [9, 0, 2], [9, 9, 0]], order=range(3), one_way=True)
    assert tree.paths() == {1: 1, 2: 5}
    assert tree.update_cost(2, 0, 50).raised == 5
    assert tree.update_cost(0, 2, 7).before == 5


def test_the_best_tree_uses_the_path_down() -> None:
    square = _square(4)[:4, :4]
    trees = [Tree(square, order=[0, *rest], one_way=True).cost for rest in _orders([1, 2, 3])]
    assert least_cost(MatrixCosts(square, one_way=True), 0) == min(trees)


def _orders(nodes: list[int]) -> list[list[int]]:
    if len(nodes) < 2:
        return [nodes]
    return [[x, *rest] for x in nodes for rest in _orders([y for y in nodes if y != x])]


def test_costs_back_go_with_one_way_costs() -> None:
    with pytest.raises(SpecError, match="one_way given"):
        Tree(_square(1))
    with pytest.raises(SpecError, match="costs back"):
        Tree([[0.0]]).join({0: 1}, 1, {0: 1})
    with pytest.raises(SpecError, match="costs back"):
        Tree([[0.0]], one_way=True).join({0: 1}, 1)
