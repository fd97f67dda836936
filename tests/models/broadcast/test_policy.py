"""Settings of a tree, and what is reported to it of nodes."""

from dataclasses import replace
from typing import Any

import pytest

from syncfabric.models.broadcast.policy import (
    Change,
    Policy,
    checked_node,
    checked_nodes,
    joining_costs,
)
from syncfabric.models.errors import SpecError


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({"rise": "up"}, "policy rise: 'up' is none of family, path, leaf, position, or None"),
        ({"leave": "roots"}, "policy leave: 'roots' is none of"),
        ({"goal": "low"}, "policy goal: 'low' is neither initial nor before"),
        ({"most": 0}, "policy most must be 1 or more, not 0"),
    ],
)
def test_other_names_are_refused(choice: dict[str, Any], words: str) -> None:
    with pytest.raises(SpecError, match=words):
        Policy(**choice)


def test_a_strategy_may_be_left_out() -> None:
    policy = Policy(rise=None, fall="leaf", join=None, leave=None, goal="before")
    assert (policy.rise, policy.fall, policy.most) == (None, "leaf", 4_096)


def test_the_gain_is_a_share_of_the_raised_cost() -> None:
    change = Change(before=3, raised=8, cost=6, steps=2, swapped=(1, 2))
    assert change.gain == 0.25
    assert replace(change, raised=0, cost=0).gain == 0


def test_nodes_are_integers_below_a_limit_and_each_is_given_once() -> None:
    assert checked_nodes([3, 0, 2], 4) == [3, 0, 2]
    for given, words in (
        ([], "there must be one or more"),
        ([1, 2, 1], "node 1: it is given twice"),
        ([4], "node 4: nodes are 0 to 3"),
        ([-1], "node -1"),
    ):
        with pytest.raises(SpecError, match=words):
            checked_nodes(given, 4)
    with pytest.raises(SpecError, match="it must be an integer"):
        checked_node(0.5, 4)  # type: ignore[arg-type]


def test_a_node_that_joins_names_its_cost_to_each_other() -> None:
    assert joining_costs(7, {0: 1, 2: 3}, (0, 2)) == {0: 1.0, 2: 3.0}
    for costs, words in (
        ({0: 1}, "node 7: its cost to node 2 is missing"),
        ({0: 1, 2: 3, 5: 1}, "node 7: its cost to node 5 is given, but it is not in the tree"),
        ({0: 1, 2: -3}, "node 7: its cost to node 2: it must be finite"),
    ):
        with pytest.raises(SpecError, match=words):
            joining_costs(7, costs, (0, 2))
