"""Small networks, in every order in which anything can happen."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.models.verify.explorer import Explored, explore
from tests.models.verify.scenario import Group, Scenario
from tests.models.verify.scenarios import (
    BACK,
    BOTH,
    CHAIN,
    MIDDLE,
    REUSED,
    ROW,
    TRIANGLE,
    TWICE,
    TWO,
    killed,
    one_after_the_other,
    side_by_side,
)
from tests.models.verify.setup import SetUp

Covered = Callable[[str, Explored], None]
MOST = 500_000

ONE = Group({0: 0}, (0,))


def changed(scenario: Scenario, **keys: int | tuple[int, ...]) -> Scenario:
    return replace(scenario, **keys)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "scenario"),
    [
        ("1 router, three groups", one_after_the_other(killed(ONE), killed(ONE), ONE)),
        ("2 routers, two barriers, then another root", one_after_the_other(TWICE, BACK)),
        ("2 routers, killed at any moment", REUSED),
        ("2 routers, a packet lost twice", changed(REUSED, losses=2)),
        ("2 routers, two premature ABORTs", changed(REUSED, aborts=2)),
        ("2 routers, a loss and an ABORT", changed(REUSED, losses=1, aborts=1)),
        ("3 routers, no KILL", one_after_the_other(ROW, MIDDLE)),
        ("3 routers, no KILL, a packet lost", changed(one_after_the_other(ROW, MIDDLE), losses=1)),
        ("3 routers, killed", BOTH),
        ("3 routers, killed, a packet lost", changed(CHAIN, losses=1)),
        ("3 routers, killed, a premature ABORT", changed(CHAIN, aborts=1)),
        ("3 routers, killed, two watchdogs", changed(CHAIN, breaks=2)),
        ("3 routers, BROKEN dropped", changed(CHAIN, breaks=1, drops=True)),
        ("triangle, three groups, killed", TRIANGLE),
        ("2 managers", side_by_side((TWO, BACK), (killed(TWO),))),
        ("2 managers, one of which meddles", changed(side_by_side((TWO,), ()), meddles=2)),
        ("2 routers, epochs are not known", changed(REUSED, losses=1, epochs=(3, 1))),
        ("nodes on links", changed(REUSED, linked=True)),
        ("nodes on links, a watchdog", changed(REUSED, linked=True, breaks=1)),
    ],
)  # fmt: skip
def test_every_state(name: str, scenario: Scenario, covered: Covered) -> None:
    covered(name, explore(SetUp(scenario), MOST))


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("name", "scenario"),
    [
        ("2 routers, all of this and a watchdog", changed(REUSED, losses=1, aborts=1, breaks=1)),
        ("2 routers, two losses and ABORTs", changed(REUSED, losses=2, aborts=2, breaks=1)),
        ("3 routers, a loss and an ABORT", changed(CHAIN, losses=1, aborts=1)),
        ("3 routers, killed twice, a loss and an ABORT", changed(BOTH, losses=1, aborts=1)),
        ("3 routers, a loss and a watchdog", changed(BOTH, losses=1, breaks=1)),
        ("3 routers, all of this", changed(CHAIN, losses=1, aborts=1, breaks=1)),
        ("triangle, three groups, a loss", changed(TRIANGLE, losses=1)),
        ("triangle, three groups, a watchdog", changed(TRIANGLE, breaks=1)),
        ("2 managers, two groups each", side_by_side((killed(TWO), BACK), (killed(TWO), BACK))),
        ("2 managers on 3 routers", side_by_side((killed(ROW), MIDDLE), (MIDDLE,))),
        ("2 managers, a loss", changed(side_by_side((killed(TWO), BACK), (TWO,)), losses=1)),
        ("nodes on links, a loss", changed(REUSED, linked=True, losses=1)),
        ("nodes on links, ABORT and watchdog", changed(REUSED, linked=True, aborts=1, breaks=1)),
    ],
)
def test_every_state_of_larger_ones(name: str, scenario: Scenario, covered: Covered) -> None:
    covered(name, explore(SetUp(scenario), 6_000_000))


@pytest.mark.parametrize(
    ("groups", "left"),
    [(1, 0), (2, 1), (3, 2), *(pytest.param(n, 3, marks=pytest.mark.nightly) for n in (4, 5))],
)
def test_what_former_groups_leave_on_a_link(groups: int, left: int) -> None:
    """One message each, as many as the assumption on epochs lets stay."""
    start = SetUp(one_after_the_other(*[killed(TWO)] * groups))
    explore(start, 6_000_000, reduce=False)
    assert start.most["left over"] == left


@pytest.mark.parametrize(
    ("name", "scenario", "codes"),
    [
        ("alone", one_after_the_other(TWO), {"OK"}),
        ("used again", one_after_the_other(TWO, BACK), {"OK", "BUSY"}),
        ("killed", REUSED, {"OK", "BUSY"}),
        ("given up", one_after_the_other(TWO, killed(BACK)), {"OK", "BUSY", "DENIED"}),
        ("lost", changed(one_after_the_other(TWO), losses=1), {"OK", "ENDED"}),
        ("all", changed(REUSED, losses=1, aborts=1), {"OK", "BUSY", "DENIED", "ENDED"}),
        ("meddled", changed(side_by_side((TWO,), ()), meddles=1), {"OK", "DENIED"}),
    ],
)
def test_answers(name: str, scenario: Scenario, codes: set[str]) -> None:
    """EPOCH is never the answer to a manager that keeps the rules."""
    start = SetUp(scenario)
    explore(start, MOST)
    assert start.most.keys() - {"left over"} == codes, name
