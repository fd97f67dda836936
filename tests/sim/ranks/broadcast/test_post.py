"""What goes along the tree."""

import numpy as np
import pytest

from syncfabric.models.broadcast.tree import Tree
from syncfabric.sim.ranks.broadcast.post import Data


@pytest.mark.parametrize("size", [1, 7, 8, 1001])
def test_it_comes_as_it_was_sent(size: int) -> None:
    payload = np.arange(size, dtype=np.uint8)
    sent = Data(71, 3, (0, 5, 2), payload)
    found = Data.unpack(sent.pack())
    assert (found.number, found.turn, found.order) == (71, 3, (0, 5, 2))
    assert np.array_equal(found.payload, payload)


@pytest.mark.parametrize("size", [1, 2, 3, 6, 8, 13])
def test_it_goes_where_the_tree_says(size: int) -> None:
    order = [0, *range(size - 1, 0, -1)]
    tree = Tree(np.ones((size, size)) - np.eye(size), order=order)
    data = Data(1, 1, tuple(order), np.zeros(1, np.uint8))
    for rank in order:
        assert tuple(data.onward(rank)) == tree.children(rank)
