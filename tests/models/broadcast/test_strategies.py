"""The order of trials, as Figs. 2 and 3 of paper ADAPT number them, and when they stop."""

import numpy as np
import pytest

from syncfabric.models.broadcast.costs import MatrixCosts
from syncfabric.models.broadcast.layout import Layout
from syncfabric.models.broadcast.strategies import STRATEGIES, Strategy, search, trials

SIXTEEN = np.ones((16, 16)) - np.eye(16)


def _layout(size: int = 16) -> Layout:
    """Node x at position x, as in the figures."""
    return Layout(MatrixCosts(np.ones((size, size))), range(size))


def _order(strategy: Strategy, a: int, b: int, size: int = 16) -> list[tuple[int, int]]:
    blocks = trials(strategy, _layout(size), a, b)
    return [pair for p, q in blocks for pair in zip(p.tolist(), q.tolist(), strict=True)]


FROM_6 = (7, 5, 8, 4, 9, 3, 10, 2, 11, 1, 12, 13, 14, 15)


@pytest.mark.parametrize(
    ("strategy", "a", "b", "size", "order"),
    [
        ("family", 8, 12, 16, [(12, x) for x in (13, 14, 8, 9, 10)]),
        ("path", 12, 14, 16, [(12, 8), (14, 15)]),
        # One path goes on when the other ends.
        ("path", 0, 8, 16, [(8, 12), (8, 14), (8, 15)]),
        ("path", 14, 15, 16, [(14, 12), (14, 8)]),
        ("path", 24, 28, 32, [(24, 16), (28, 30), (28, 31)]),
        ("leaf", 8, 12, 16, [(x, leaf) for leaf in range(1, 16, 2) for x in (8, 12)]),
        # Neither the root nor the node itself; and the last position is a leaf.
        ("leaf", 0, 1, 6, [(1, 3), (1, 5)]),
        ("leaf", 2, 3, 6, [(2, 1), (3, 1), (2, 3), (2, 5), (3, 5)]),
        ("leaf", 0, 4, 7, [(4, 1), (4, 3), (4, 5), (4, 6)]),
        ("position", 6, 7, 16, [(6, x) for x in FROM_6]),
        # Under the root it moves the child.
        ("position", 0, 4, 8, [(4, x) for x in (5, 3, 6, 2, 7, 1)]),
    ],
)
def test_the_order_is_that_of_the_figures(
    strategy: Strategy, a: int, b: int, size: int, order: list[tuple[int, int]]
) -> None:
    assert _order(strategy, a, b, size) == order


def test_path_follows_the_costliest_path_down() -> None:
    costs = SIXTEEN.copy()
    costs[8, 10] = costs[10, 8] = 9
    layout = Layout(MatrixCosts(costs), range(16))
    assert [q.tolist() for _, q in trials("path", layout, 0, 8)] == [[10, 11]]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("child", range(1, 300, 7))
def test_the_root_stays_and_no_node_meets_itself(strategy: Strategy, child: int) -> None:
    pairs = _order(strategy, child & (child - 1), child, 300)
    assert all(0 < p < 300 and 0 < q < 300 and p != q for p, q in pairs)
    assert len(set(pairs)) == len(pairs)


def test_leaf_and_position_try_all_across_blocks() -> None:
    assert len(_order("leaf", 4, 6, 1000)) == 1000
    assert sorted(q for _, q in _order("position", 4, 6, 1000)) == [
        x for x in range(1, 1000) if x != 4
    ]


def _raised(link: float) -> Layout:
    """Four nodes; the link from 0 to 2 costs ``link``, from 1 to 3 two, others one."""
    costs = np.ones((4, 4))
    costs[0, 2] = costs[2, 0] = link
    costs[1, 3] = costs[3, 1] = 2
    return Layout(MatrixCosts(costs), range(4))


@pytest.mark.parametrize(("goal", "steps"), [(2, 1), (0, 2)])
def test_the_first_that_meets_the_goal_ends_the_search_else_all_are_tried(
    goal: float, steps: int
) -> None:
    layout = _raised(9)
    found = search(layout, trials("family", layout, 0, 2), goal)
    assert (found.steps, found.swap, layout.cost) == (steps, (2, 3), 2)


def test_none_is_carried_out_that_does_not_help() -> None:
    layout = _layout(8)
    found = search(layout, trials("position", layout, 0, 4), goal=0)
    assert (found.steps, found.swap) == (6, None)
    assert layout.at.tolist() == list(range(8))
