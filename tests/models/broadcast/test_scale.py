"""Large trees: how little of one an event looks at."""

import numpy as np
import pytest

from syncfabric.models.broadcast.costs import Floats, Ints
from syncfabric.models.broadcast.layout import Layout
from syncfabric.models.broadcast.strategies import trials
from syncfabric.models.broadcast.tree import Policy, Strategy, Tree

NODES = (1 << 16) + 20_000


class _Plane:
    """Nodes in a plane, and how many costs were asked for."""

    def __init__(self, nodes: int) -> None:
        self.places = np.random.default_rng(1).random((nodes, 2))
        self.asked = 0

    def __call__(self, one: Ints, other: Ints) -> Floats:
        self.asked += len(one)
        away: Floats = np.hypot(*(self.places[one] - self.places[other]).T)
        return away


@pytest.mark.parametrize("place", [1 << 15, 3 << 14, 77_770, NODES - 1])
def test_an_event_looks_at_few_links(place: int) -> None:
    plane = _Plane(NODES)
    tree = Tree(plane, order=range(NODES))
    plane.asked = 0
    node = tree.nodes[place]
    parent = tree.parent(node)
    assert parent is not None
    change = tree.update_cost(node, parent, 1000)
    # At most 2 · 16 swaps on a path, each with the links of two nodes of up to 17.
    assert change.steps > 0
    assert plane.asked < 32 * 2 * 17
    again = Layout(tree.layout.costs, tree.nodes)
    assert tree.cost == again.cost


def test_joins_and_leaves_look_at_few_links() -> None:
    plane = _Plane(2 * NODES)
    tree = Tree(plane, order=range(NODES), policy=Policy(join="path", most=50))
    draw = np.random.default_rng(4)
    for _ in range(100):
        plane.asked = 0
        if draw.random() < 0.5:
            tree.leave(int(draw.choice(tree.nodes[1:])))
        else:
            tree.join()
        assert plane.asked < 40 * 2 * 17
    assert tree.cost == Layout(tree.layout.costs, tree.nodes).cost


@pytest.mark.parametrize("strategy", ["leaf", "position"])
def test_a_search_ends_after_most_trials(strategy: Strategy) -> None:
    layout = Tree(_Plane(5_000), order=range(5_000)).layout
    for most in (1, 70):
        assert sum(len(p) for p, _ in trials(strategy, layout, 8, 12, most)) == most


def test_the_lowest_free_number_joins() -> None:
    tree = Tree(_Plane(100), order=[0, 1, 2, 5, 7])
    assert [tree.join().node for _ in range(3)] == [3, 4, 6]
    for node in (5, 1, 3):
        tree.leave(node)
    tree.join(node=3)
    assert [tree.join().node for _ in range(3)] == [1, 5, 8]


@pytest.mark.nightly
def test_a_million_nodes() -> None:
    plane = _Plane(1_000_000)
    tree = Tree(plane, order=range(1_000_000))
    draw = np.random.default_rng(2)
    for number in range(200):
        node = tree.nodes[int(draw.integers(1, 1_000_000))]
        parent = tree.parent(node)
        assert parent is not None
        before = plane.asked
        tree.update_cost(node, parent, 100.0 * number)
        assert plane.asked - before < 40 * 2 * 21
    assert tree.cost == Layout(tree.layout.costs, tree.nodes).cost
