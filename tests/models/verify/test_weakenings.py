"""Every rule is needed: without it the exploration finds what breaks."""

from dataclasses import replace
from typing import Any

import pytest

from tests.models.verify.explorer import Violation, explore
from tests.models.verify.scenario import Rules, Scenario
from tests.models.verify.scenarios import (
    BACK,
    MIDDLE,
    REUSED,
    ROW,
    TWICE,
    TWO,
    killed,
    one_after_the_other,
    side_by_side,
)
from tests.models.verify.setup import SetUp

MOST = 500_000
OLD = "a message of an old instance changes a new one"
PLAIN = one_after_the_other(TWO, BACK)
THREE = one_after_the_other(killed(TWO), killed(TWO), TWO)
FIVE = one_after_the_other(*[killed(TWO)] * 4, TWO)


@pytest.mark.parametrize(
    ("weakened", "scenario", "what"),
    [
        ({"epochs": 1}, one_after_the_other(killed(TWO), TWO), OLD),
        ({"epochs": 2, "under_way": 3}, THREE, OLD),
        pytest.param({"under_way": 5}, FIVE, OLD, marks=pytest.mark.nightly, id="under_way"),
        ({"whole": False}, PLAIN, "two messages of one instance are unmerged on a link"),
        ({"anded": False}, one_after_the_other(TWICE), "though a member did not say LAST"),
        ({"ready": False}, PLAIN, "a manager waits forever"),
        ({"busy": False}, PLAIN, "a process sees GO twice"),
        (
            {"shares": False},
            replace(side_by_side((TWO,), ()), meddles=1),
            "a manager changes an entry that is not its own",
        ),
        ({"kill_epoch": False}, replace(PLAIN, aborts=1), "KILL ends another group"),
        ({"kill_epoch": False, "again": False}, PLAIN, "KILL ends another group"),
        ({"ended": False}, replace(PLAIN, losses=1), "a group is started a second time"),
        ({"tags": 1}, replace(PLAIN, aborts=1), " is done, but "),
        (
            {"freed_epoch": False},
            one_after_the_other(killed(TWO), TWO),
            "FREED of another instance is believed",
        ),
        ({"awaits": False}, PLAIN, "a manager waits forever|a group is started a second time"),
        ({"root_last": False}, PLAIN, "a manager waits forever"),
        ({"kills_before_reuse": False}, replace(PLAIN, aborts=1), "SETUP is done, but not at all"),
        ({"kill_sets": False}, replace(one_after_the_other(ROW, MIDDLE), losses=1), OLD),
        ({"kill_sets": False}, replace(REUSED, losses=1), "a group is set up again and again"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, dict) else "",
)
@pytest.mark.parametrize("reduce", [True, False], ids=["reduced", "whole"])
def test_a_rule_is_needed(
    weakened: dict[str, Any], scenario: Scenario, what: str, reduce: bool
) -> None:
    explore(SetUp(scenario), MOST, reduce=True)
    with pytest.raises(Violation, match=what) as caught:
        explore(SetUp(replace(scenario, rules=Rules(**weakened))), MOST, reduce=reduce)
    assert caught.value.__notes__


@pytest.mark.parametrize(
    ("changed", "scenario"),
    [
        ({"epochs": 2, "under_way": 2}, THREE),
        ({"again": False}, replace(REUSED, losses=1)),
        ({"freed_in_order": True, "freed_epoch": False}, replace(REUSED, losses=1)),
    ],
    ids=["2 epochs", "KILL after BUSY", "FREED first"],
)
def test_what_else_does(changed: dict[str, Any], scenario: Scenario) -> None:
    """As many epochs as the assumption asks for; KILL after BUSY; FREED in order without epoch."""
    explore(SetUp(replace(scenario, rules=Rules(**changed))), MOST, reduce=False)
