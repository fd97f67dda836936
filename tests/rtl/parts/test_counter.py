"""The saturating counter against a number."""

import random

import pytest

from syncfabric.rtl.parts.counter import SaturatingCounter
from tests.rtl.support import SEED, agree


@pytest.mark.parametrize(("width", "most"), [(1, 1), (3, 5), (8, 9), (8, 15), (3, 1), (2, 9)])
def test_events_are_counted_up_to_the_last_value(width: int, most: int) -> None:
    """Runs from reset to the greatest value, on from there, and once more after a reset.

    The total is a cycle ahead.
    """
    rng, last = random.Random(f"{SEED}/{width}/{most}"), (1 << width) - 1
    cases, expected = [], []
    for _ in range(3):
        count = 0
        for _ in range(3 * last // most + 20):
            events = rng.choice([0, 1, most, rng.randint(0, most)])
            cases.append({"events": events, "rst": 0})
            expected.append({"count": count, "total": min(last, count + events)})
            count = min(last, count + events)
        assert count == last
        cases.append({"rst": 1})
        expected.append({"count": last})
    agree(SaturatingCounter(width, most), cases, expected)
