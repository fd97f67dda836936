import random

import numpy as np
import pytest

from syncfabric.models.broadcast.balanced_path import balanced_path, rounds
from syncfabric.models.broadcast.costs import MatrixCosts
from syncfabric.sim.experiments.papers.adapt_more import FIG_1, TABLE_1
from tests.models.broadcast.events import drawn_costs
from tests.models.broadcast.golden import balanced_path as plain


def _served(size: int) -> list[int]:
    """Return the positions but the root in the order in which they are filled."""
    return [int(place) for _, places in rounds(size) for place in places]


def test_slots_of_eight_nodes_are_served_in_the_order_of_the_example() -> None:
    # The root, then by turns its largest child, whose path is longer; see SPEC section 4.
    assert _served(8) == [4, 6, 2, 7, 5, 3, 1]
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
    assert at[[0, *_served(5)]].tolist() == [7, 0, 3, 9, 12]
