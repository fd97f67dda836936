"""The credit counter against a number."""

import random

import pytest

from syncfabric.rtl.parts.credit import CreditCounter
from tests.rtl.support import SEED, agree


@pytest.mark.parametrize("places", [1, 3, 16])
def test_credits_are_counted(places: int) -> None:
    """Spends whenever it may, now eagerly, now lazily, with credits in the same cycle or not."""
    rng, free, extremes = random.Random(f"{SEED}/{places}"), places, set()
    cases, expected = [], []
    for cycle in range(600):
        eager = cycle // 60 % 2
        spend = free > 0 and rng.random() < (0.9 if eager else 0.2)
        credit = free < places and rng.random() < (0.2 if eager else 0.9)
        cases.append({"spend": spend, "credit": credit})
        expected.append({"available": free > 0})
        free += credit - spend
        extremes.add(free)
    agree(CreditCounter(places), cases, expected)
    assert {0, places} <= extremes


@pytest.mark.parametrize("places", range(1, 17))
def test_there_are_as_many_credits_as_places(places: int) -> None:
    """All are spent, and come back, twice."""
    once = [*[{"spend": 1, "credit": 0}] * places, *[{"spend": 0, "credit": 1}] * places]
    there = [*[1] * places, 0, *[1] * (places - 1)]
    expected = [{"available": some} for some in (*there, *there, 1)]
    agree(CreditCounter(places), [*once, *once, {"credit": 0}], expected)
