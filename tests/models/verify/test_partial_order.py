"""Partial-order reduction hides no state: each leads to one that is visited.

A state in which more may yet be lost or aborted stands for those in which less may: something that
is ignored anyway was lost.
"""

from collections.abc import Callable, Hashable
from dataclasses import replace

import pytest

from tests.models.verify.explorer import explore
from tests.models.verify.scenario import Scenario
from tests.models.verify.scenarios import (
    CHAIN,
    REUSED,
    TWO,
    killed,
    one_after_the_other,
    side_by_side,
)
from tests.models.verify.setup import SetUp


def quiesce(state: SetUp) -> None:
    for _ in range(1000):
        if not (event := state.persistent()):
            return
        assert event in state.events()
        state.apply(event)
    pytest.fail("reduced events do not end")


def states(start: SetUp, quiesce: Callable[[SetUp], None]) -> set[Hashable]:
    """Return all states that can be reached, each as it is after ``quiesce``."""
    start = start.copy()
    quiesce(start)
    found: set[Hashable] = {start.key()}
    front = [start]
    while front:
        state = front.pop()
        for event in state.events():
            after = state.copy()
            after.apply(event)
            quiesce(after)
            if (key := after.key()) not in found:
                found.add(key)
                front.append(after)
    return found


def without_budget(keys: set[Hashable], start: SetUp) -> set[Hashable]:
    """Return states without what may yet go wrong."""
    place = [name for name in vars(start) if name not in ("scenario", "most")].index("left")
    return {(*key[:place], *key[place + 1 :]) for key in keys if isinstance(key, tuple)}


def quiet(start: SetUp) -> set[Hashable]:
    """Return all states that can be reached, each as it is when nothing is left to reduce."""
    kept: set[Hashable] = set()

    def note(state: SetUp) -> None:
        after = state.copy()
        quiesce(after)
        kept.add(after.key())

    states(start, note)
    return kept


@pytest.mark.parametrize(
    "scenario",
    [
        REUSED,
        replace(REUSED, losses=1),
        replace(REUSED, breaks=1, drops=True),
        CHAIN,
        side_by_side((killed(TWO),), (TWO,)),
        pytest.param(replace(REUSED, aborts=1), marks=pytest.mark.nightly),
        pytest.param(replace(REUSED, losses=1, aborts=1), marks=pytest.mark.nightly),
        pytest.param(replace(REUSED, losses=1, breaks=1), marks=pytest.mark.nightly),
        pytest.param(replace(REUSED, aborts=1, breaks=1), marks=pytest.mark.nightly),
        pytest.param(replace(REUSED, linked=True), marks=pytest.mark.nightly),
        pytest.param(replace(CHAIN, losses=1), marks=pytest.mark.nightly),
    ],
)
def test_every_state_leads_to_one_that_is_visited(scenario: Scenario) -> None:
    start = SetUp(scenario)
    every, visited = quiet(start), states(start, quiesce)
    assert visited <= every
    assert without_budget(every, start) == without_budget(visited, start)


def test_ends_are_the_same() -> None:
    start = SetUp(one_after_the_other(killed(TWO), TWO))
    whole, reduced = explore(start, 10_000, reduce=False), explore(start, 10_000)
    assert whole.ends == reduced.ends
    assert 3 * reduced.states < whole.states
