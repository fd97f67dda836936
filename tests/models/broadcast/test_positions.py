import pytest

from syncfabric.models.broadcast import layout as positions
from tests.models.broadcast import golden


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 9, 16, 21, 32, 33])
def test_positions_are_those_of_a_plain_reference(size: int) -> None:
    for x in range(size):
        below = golden.subtree(x, size)
        assert sorted(below) == list(positions.subtree(x, size))
        assert golden.children(x, size) == list(positions.children(x, size))
        found = [y for y in golden.leaves(size) if y in below]
        assert found == list(positions.leaves(x, size))
        if x:
            above = golden.parent(x)
            assert (positions.parent(x), positions.ancestors(x)[0]) == (above, above)
            assert len(positions.ancestors(x)) == golden.depth(x)


def test_leaves_that_a_swap_changes() -> None:
    # Section 3.1 of the paper: 8 with 12, and 12 with 14.
    assert positions.leaves(8, 16) == (9, 11, 13, 15)
    assert set(positions.leaves(12, 16)) < set(positions.leaves(8, 16))
    assert positions.leaves(12, 16) == (13, 15)


def test_leaves_that_the_swap_of_figure_1_changes() -> None:
    # Nodes 5 and 6 at positions 1 and 6: their own places, and the one of node 1 below.
    assert positions.leaves(1, 8) + positions.leaves(6, 8) == (1, 7)


@pytest.mark.parametrize("order", range(1, 11))
def test_whole_trees_have_half_of_the_nodes_as_leaves(order: int) -> None:
    assert len(positions.leaves(0, 1 << order)) == 1 << (order - 1)
