import random
from itertools import permutations

import numpy as np
import pytest

from syncfabric.models.broadcast.costs import MatrixCosts
from syncfabric.models.broadcast.layout import Layout
from syncfabric.models.broadcast.optimum import completion_ns, least_cost
from syncfabric.models.broadcast.start_up import StartUp
from syncfabric.models.broadcast.tree import Tree
from syncfabric.models.timing.loggp import LogGP
from tests.models.broadcast.events import drawn_costs
from tests.models.broadcast.golden import tree_cost

MACHINE = LogGP(L=3, o=2, g=5, G=1, h=1)


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
