import random
from itertools import permutations

import numpy as np
import pytest

from syncfabric.models.broadcast.balanced_path import (
    arrivals_ns,
    balanced_path,
    completion_ns,
    least_cost,
    rounds,
)
from syncfabric.models.broadcast.costs import MatrixCosts
from syncfabric.models.broadcast.layout import Layout
from syncfabric.models.broadcast.start_up import StartUp
from syncfabric.models.broadcast.tree import Policy, Tree
from syncfabric.models.timing.loggp import LogGP
from syncfabric.sim.experiments.papers.adapt_more import FIG_1, TABLE_1
from tests.models.broadcast.events import Events, drawn_costs
from tests.models.broadcast.golden import balanced_path as plain
from tests.models.broadcast.golden import tree_cost

MACHINE = LogGP(L=3, o=2, g=5, G=1, h=1)


def _filled(size: int) -> list[int]:
    """Return the positions but the root in the order in which they are filled."""
    return [int(place) for _, places in rounds(size) for place in places]


def test_slots_of_eight_nodes_are_served_in_the_order_of_the_example() -> None:
    # The root, then by turns its largest child, whose path is longer; see SPEC section 4.
    assert _filled(8) == [4, 6, 2, 7, 5, 3, 1]
    assert tuple(balanced_path(MatrixCosts(TABLE_1), np.arange(8), 0)) == FIG_1


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 9, 13, 16, 17, 24, 31, 32, 33])
def test_as_a_plain_reference(size: int) -> None:
    draw = random.Random(size)
    for most in (2, 20):
        costs = drawn_costs(draw, size, most)
        root = draw.randrange(size)
        found = balanced_path(MatrixCosts(costs), np.arange(size), root)
        assert found.tolist() == plain(range(size), root, lambda i, j: costs[i][j])  # noqa: B023


def test_of_nodes_as_near_the_lowest_number_comes_first() -> None:
    at = balanced_path(MatrixCosts(np.ones((16, 16))), np.array([9, 3, 12, 0, 7]), 7)
    assert at[[0, *_filled(5)]].tolist() == [7, 0, 3, 9, 12]


@pytest.mark.parametrize("nodes", range(1, 7))
def test_no_order_of_the_nodes_is_cheaper(nodes: int) -> None:
    draw = random.Random(nodes)
    for _ in range(3):
        costs = drawn_costs(draw, nodes, 9)
        root = draw.randrange(nodes)
        others = [node for node in range(nodes) if node != root]
        orders = [[root, *order] for order in permutations(others)]
        known = MatrixCosts(costs)
        paths = [tree_cost(order, lambda i, j: costs[i][j]) for order in orders]  # noqa: B023
        assert least_cost(known, root) == min(paths)
        times = [completion_ns(Layout(known, order), MACHINE, 4) for order in orders]
        assert least_cost(known, root, StartUp.under(MACHINE, 4)) == min(times)


@pytest.mark.parametrize("nodes", [8, 11, 16])
def test_no_tree_is_cheaper_and_a_hidden_one_is_found(nodes: int) -> None:
    draw = random.Random(nodes)
    costs = np.array(drawn_costs(draw, nodes, 9)) + 10
    hidden = draw.sample(range(nodes), nodes)
    for x in range(1, nodes):
        i, j = hidden[x], hidden[x & (x - 1)]
        costs[i, j] = costs[j, i] = 1
    least = least_cost(MatrixCosts(costs), hidden[0])
    assert least == Layout(MatrixCosts(costs), hidden).cost
    assert Tree(costs, root=hidden[0]).cost >= least


def _same(nodes: int, cost: float) -> Layout:
    return Layout(MatrixCosts(np.full((nodes, nodes), cost)), range(nodes))


def test_a_parent_sends_to_one_after_another() -> None:
    machine = LogGP(L=10, o=1, g=4, G=0, h=2)
    # A message takes 2 o + L + 3 h = 18; the next one begins 4 later. Position 0 sends to 4, 2, 1.
    found = arrivals_ns(_same(8, 3), machine, 1)
    assert found.tolist() == [0, 26, 22, 40, 18, 40, 36, 54]
    assert completion_ns(_same(8, 3), machine, 1) == 54


def test_a_part_of_a_tree() -> None:
    machine = LogGP(L=10, o=1, g=4, G=0, h=1)
    # Position 0 sends to 4, 2, 1; 4 has one child only.
    assert arrivals_ns(_same(6, 0), machine, 1).tolist() == [0, 20, 16, 28, 12, 24]


def test_long_messages_take_their_bytes() -> None:
    machine = LogGP(L=10, o=1, g=4, G=0.5, h=1)
    assert arrivals_ns(_same(4, 0), machine, 21).tolist() == [0, 36, 22, 44]
    assert StartUp.under(LogGP(L=0, o=9, g=4, G=0.5, h=0), 3).interval == 9


def test_start_up_decides_where_links_cost_nothing() -> None:
    machine = LogGP(L=0, o=0, g=7, G=0, h=1)
    assert completion_ns(_same(1024, 0), machine, 1) == 9 * 7


@pytest.mark.parametrize("seed", range(3))
def test_a_tree_with_start_up_costs_its_time(seed: int) -> None:
    draw = random.Random(seed)
    machine = LogGP(L=draw.randint(0, 9), o=draw.randint(0, 9), g=draw.randint(0, 9), G=1, h=1)
    start_up = StartUp.under(machine, 3)
    policy = Policy(fall="leaf", new_root=True)
    tree = Tree(drawn_costs(draw, 10, 20), policy=policy, start_up=start_up)
    events = Events(tree, draw, most=20, highest=20)
    for _ in range(60):
        events.step()
        assert tree.cost == completion_ns(tree.layout, machine, 3)
        assert max(tree.paths().values()) == tree.cost


def test_a_swap_may_help_the_path_and_not_the_time() -> None:
    # The root sends to positions 2 and 1, and 2 to 3. With costs alone 1 can bear a slower link.
    costs = np.array([[0, 3, 1, 9], [3, 0, 9, 9], [1, 9, 0, 1], [9, 9, 1, 0]])
    start_up = StartUp(transfer=1, interval=10)
    by_path, by_time = (Tree(costs, order=range(4), start_up=s) for s in (StartUp(), start_up))
    assert (by_path.cost, by_time.cost) == (3, 14)
    assert by_path.update_cost(2, 3, 8).raised == 9
    change = by_time.update_cost(2, 3, 8)
    assert (change.raised, change.steps) == (14, 0)
