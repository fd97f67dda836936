"""Which light says what, and for how long."""

import pytest

from syncfabric.rtl.host.status_leds import StatusLeds
from tests.rtl.support import clocked

LEVELS = {"started": 1, "irq": 3, "sends": 5, "lost": 6, "wrong": 7}
GLOW = 3


@pytest.mark.parametrize(("name", "light"), LEVELS.items())
def test_levels(name: str, light: int) -> None:
    rows = clocked(StatusLeds(beat=20, glow=GLOW), [{name: 0}, {name: 1}, {name: 1}, {name: 0}, {}])
    assert [row["leds"] for row in rows] == [0, 0, 1 << light, 1 << light, 0]


@pytest.mark.parametrize(("name", "light"), [("released", 2), ("talks", 4)])
def test_an_event_of_one_cycle_glows(name: str, light: int) -> None:
    """For one to two times of the glow, and then no more."""
    cases = [{name: int(cycle == 5)} for cycle in range(40)]
    lit = [row["leds"] for row in clocked(StatusLeds(beat=20, glow=GLOW), cases)]
    assert set(lit) == {0, 1 << light}
    assert lit[:7] == [0] * 7
    assert 2**GLOW <= lit.count(1 << light) <= 2 * 2**GLOW
    assert 0 not in lit[7 : 7 + lit.count(1 << light)]


def test_the_heartbeat() -> None:
    lit = [row["leds"] for row in clocked(StatusLeds(beat=4, glow=1), [{}] * 33)]
    assert lit[1:] == ([0] * 8 + [1] * 8) * 2
