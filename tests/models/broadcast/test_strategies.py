"""The order of trials, as Figs. 2 and 3 of paper ADAPT number them, and when they stop."""

from __future__ import annotations

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


def test_family_around_8_and_12() -> None:
    assert _order("family", 8, 12) == [(12, 13), (12, 14), (12, 8), (12, 9), (12, 10)]


def test_path_around_12_and_14() -> None:
    assert _order("path", 12, 14) == [(12, 8), (14, 15)]


def test_path_goes_on_one_way_when_the_other_ends() -> None:
    assert _order("path", 0, 8) == [(8, 12), (8, 14), (8, 15)]
    assert _order("path", 14, 15) == [(14, 12), (14, 8)]
    assert _order("path", 24, 28, 32) == [(24, 16), (28, 30), (28, 31)]


def test_path_follows_the_costliest_way_down() -> None:
    costs = SIXTEEN.copy()
    costs[8, 10] = costs[10, 8] = 9
    layout = Layout(MatrixCosts(costs), range(16))
    assert [q.tolist() for _, q in trials("path", layout, 0, 8)] == [[10, 11]]


def test_leaf_around_8_and_12() -> None:
    found = _order("leaf", 8, 12)
    assert found[:4] == [(8, 1), (12, 1), (8, 3), (12, 3)]
    assert found == [(x, leaf) for leaf in range(1, 16, 2) for x in (8, 12)]


def test_leaf_does_without_the_root_and_the_node_itself() -> None:
    assert _order("leaf", 0, 1, 6) == [(1, 3), (1, 5)]
    assert _order("leaf", 2, 3, 6) == [(2, 1), (3, 1), (2, 3), (2, 5), (3, 5)]


def test_the_last_position_is_a_leaf() -> None:
    assert _order("leaf", 0, 4, 7) == [(4, 1), (4, 3), (4, 5), (4, 6)]


def test_position_around_6_and_7() -> None:
    after = [7, 5, 8, 4, 9, 3, 10, 2, 11, 1, 12, 13, 14, 15]
    assert _order("position", 6, 7) == [(6, x) for x in after]


def test_position_moves_the_child_of_the_root() -> None:
    assert _order("position", 0, 4, 8) == [(4, x) for x in (5, 3, 6, 2, 7, 1)]


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


def test_the_first_that_meets_the_goal_ends_the_search() -> None:
    layout = _raised(9)
    found = search(layout, trials("family", layout, 0, 2), goal=2)
    assert (found.steps, found.swap, layout.cost) == (1, (2, 3), 2)


def test_else_the_first_of_the_cheapest_is_carried_out() -> None:
    layout = _raised(9)
    found = search(layout, trials("family", layout, 0, 2), goal=0)
    assert (found.steps, found.swap, layout.cost) == (2, (2, 3), 2)


def test_none_is_carried_out_that_does_not_help() -> None:
    layout = _layout(8)
    found = search(layout, trials("position", layout, 0, 4), goal=0)
    assert (found.steps, found.swap) == (6, None)
    assert layout.at.tolist() == list(range(8))
