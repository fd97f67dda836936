"""How many messages wait at an input: what E12 says, and how far it can be left."""

from typing import Any

import pytest

from tests.models.verify.explorer import Violation, explore
from tests.models.verify.input_queue import InputQueue


@pytest.mark.parametrize(
    ("keys", "most"),
    [
        ({"entries": 2, "drained": True}, 3),
        ({"entries": 3, "drained": True}, 4),
        pytest.param({"entries": 4, "drained": True}, 5, marks=pytest.mark.nightly),
        ({"entries": 2}, 4),
        ({"entries": 3}, 5),
    ],
)
def test_places(keys: dict[str, Any], most: int) -> None:
    """E + 1 if nothing of a former group waits at SETUP; else more."""
    start = InputQueue(**keys, places=most)
    explore(start, 6_000_000, endless=True)
    assert start.most["waiting"] == most
    with pytest.raises(Violation, match="full queue"):
        explore(InputQueue(**keys, places=most - 1), 6_000_000, endless=True)


@pytest.mark.parametrize("keys", [{"fair": False}, {"short": False}])
def test_without_a_fair_choice_or_on_slow_links_more_wait(keys: dict[str, Any]) -> None:
    with pytest.raises(Violation, match="full queue"):
        explore(InputQueue(2, **keys, places=4), 1_000_000, endless=True)


@pytest.mark.nightly
def test_four_entries_may_need_seven_places() -> None:
    with pytest.raises(Violation, match="full queue"):
        explore(InputQueue(4, places=6), 6_000_000, endless=True)
