"""How many flits an episode of a tree needs: both sides of the limit, by all interleavings."""

import itertools
from dataclasses import replace

import pytest

from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.multicast_tree import tree_flits
from tests.models.planning.ring_states import EarlyReleaseError
from tests.models.planning.tree_states import Tree, explore

SHAPES = {
    "a link": ((0,), (1,)),
    "a chain of members": ((0, 1), (1, 2)),
    "a chain through a nonmember": ((0, 1), (2,)),
    "a fork": ((0, 0), (1, 2)),
    "a fork behind a nonmember": ((0, 1, 1), (2, 3)),
    "paths of two lengths": ((0, 0, 2), (1, 3)),
}


def longest(above: tuple[int, ...]) -> int:
    depth = [0]
    for switch in above:
        depth.append(depth[switch] + 1)
    return max(depth)


def tree_of(shape: str, core: int, switch: int, injection: int, *, short: int = 0) -> Tree:
    """Return a tree with the flits that the planner gives it, less a few."""
    above, members = SHAPES[shape]
    spec = StaticSpec(
        kind="static",
        width=4,
        height=4,
        switch_buffer=switch,
        core_buffer=core,
        injection_buffer=injection,
    )
    flits = tree_flits(longest(above), spec) - short
    return Tree(above, members, core, switch, injection, flits)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("places", [(1, 1, 1), (2, 1, 1), (1, 2, 1), (1, 1, 2)])
def test_the_planners_flits_are_enough_and_no_fewer_would_be(
    shape: str, places: tuple[int, int, int]
) -> None:
    assert explore(tree_of(shape, *places)) > 10
    with pytest.raises(EarlyReleaseError):
        explore(tree_of(shape, *places, short=1))


@pytest.mark.nightly
@pytest.mark.parametrize("shape", SHAPES)
def test_in_all_small_buffers(shape: str) -> None:
    for places in itertools.product((1, 2, 3), (1, 2), (1, 2)):
        explore(tree_of(shape, *places))
        with pytest.raises(EarlyReleaseError):
            explore(tree_of(shape, *places, short=1))


@pytest.mark.parametrize("shape", SHAPES)
def test_copies_need_not_go_together_if_the_flit_keeps_its_place(shape: str) -> None:
    """Otherwise than in a ring: nothing of a tree comes back to the root before all have read."""
    tree = tree_of(shape, 1, 1, 1)
    explore(replace(tree, lock_step=False))
    with pytest.raises(EarlyReleaseError):
        explore(replace(tree, lock_step=False, flits=tree.flits - 1))
