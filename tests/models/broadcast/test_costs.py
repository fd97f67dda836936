import random
from functools import partial

import numpy as np
import pytest

from syncfabric.models.broadcast import costs
from syncfabric.models.broadcast.costs import (
    Floats,
    FunctionCosts,
    Ints,
    MatrixCosts,
    Pairs,
)
from syncfabric.models.broadcast.tree import Policy, Tree
from syncfabric.models.errors import SpecError
from tests.models.broadcast.events import Events, broken, drawn_costs


def test_too_many_nodes_for_a_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "MATRIX_NODES", 4)
    with pytest.raises(SpecError, match="5 nodes are more than 4; give a function"):
        MatrixCosts(np.ones((5, 5)))


def _far(one: Ints, other: Ints) -> Floats:
    assert (one < other).all()
    return ((one * 7 + other * 13) % 11 + 1).astype(np.float64)


@pytest.mark.parametrize("seed", range(4))
def test_a_function_does_as_its_matrix(seed: int) -> None:
    square = np.array(drawn_costs(random.Random(seed), 12, 9), dtype=np.float64)

    def function(low: Ints, high: Ints) -> Floats:
        assert (low < high).all()
        return np.array([square[pair] for pair in zip(low, high, strict=True)])

    policy = Policy(fall="path", new_root=True)
    pairs = [
        Events(Tree(known, nodes=range(12), policy=policy), random.Random(seed))
        for known in (square, function)
    ]
    for _ in range(150):
        changes = [events.step() for events in pairs]
        assert changes[0] == changes[1]
        assert pairs[0].tree.nodes == pairs[1].tree.nodes
    assert broken(pairs[1].tree) is None


def test_changes_stand_in_for_the_function() -> None:
    known = FunctionCosts(_far)
    pairs = [(a, b) for a in range(30) for b in range(a)]
    random.Random(1).shuffle(pairs)
    kept = {}
    for number, (a, b) in enumerate(pairs[:200]):
        known.change(a, {b: number})
        kept[a, b] = float(number)
    known.change(3, {1: 500, 2: 501})
    kept |= {(3, 1): 500, (3, 2): 501}
    one, other = np.array(pairs).T
    usual = _far(other, one)
    found = known.between(one, other)
    assert found.tolist() == [
        kept.get(pair, value) for pair, value in zip(pairs, usual.tolist(), strict=True)
    ]


def test_a_function_that_fails_leaves_the_tree_whole() -> None:
    broken_down = False

    def function(one: Ints, other: Ints) -> Floats:
        return np.full(len(one), np.nan) if broken_down else _far(one, other)

    tree = Tree(function, order=range(9), policy=Policy(new_root=True))
    nodes, paths = tree.nodes, tree.paths()
    broken_down = True
    events = (partial(tree.leave, 3), partial(tree.leave, 0), partial(tree.join, node=20))
    for event in events:
        with pytest.raises(SpecError, match="finite"):
            event()
        assert (tree.nodes, tree.paths()) == (nodes, paths)
    broken_down = False
    assert broken(tree) is None
    tree.leave(3)
    assert broken(tree) is None


def test_drawn_costs_are_symmetric() -> None:
    drawn = drawn_costs(random.Random(1), 5, 9)
    assert drawn == [list(column) for column in zip(*drawn, strict=True)]


def test_as_a_dictionary() -> None:
    draw, table, known = random.Random(1), Pairs(), dict[tuple[int, int], float]()
    asked = [(a, b) for a in range(30) for b in range(30)]
    for number in range(3_000):
        one, other = draw.randrange(30), draw.randrange(30)
        if draw.random() < 0.05:
            table.drop(one)
            known = {pair: value for pair, value in known.items() if one not in pair}
        else:
            table.put(one, other, number)
            known[one, other] = number
        assert len(table) == len(known)
        if number % 100 == 0:
            found = table.find(*np.array(asked).T)
            right = [known.get(pair, np.nan) for pair in asked]
            np.testing.assert_array_equal(found, right)


def test_a_pair_has_an_order() -> None:
    table = Pairs()
    table.put(2, 1, 7.0)
    found = table.find(np.array([2, 1]), np.array([1, 2]))
    np.testing.assert_array_equal(found, [7, np.nan])
