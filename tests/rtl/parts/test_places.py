"""Addresses of a circular buffer against a list of those in use."""

import random

import pytest

from syncfabric.rtl.parts.places import Places
from tests.rtl.support import SEED, clocked


@pytest.mark.parametrize("zero", [True, False])
@pytest.mark.parametrize("bits", [3, 4, 5, 6, 7, 8])
def test_words_leave_in_their_order_and_every_place_is_used(bits: int, *, zero: bool) -> None:
    rng, size = random.Random(f"{SEED} {bits} {zero}"), (1 << bits) - (not zero)
    cases, count = [], 0
    for cycle in range(6 * size):
        fills = cycle // (2 * size) % 2 == 0
        push = count < size and rng.random() < (0.9 if fills else 0.2)
        pop = count > 0 and rng.random() < (0.2 if fills else 0.9)
        cases.append({"push": int(push), "pop": int(pop)})
        count += push - pop
    used, places = list[int](), set[int]()
    for case, seen in zip(cases, clocked(Places(bits, zero=zero), cases), strict=True):
        assert seen["some"] == bool(used)
        assert seen["full"] == (len(used) == size)
        assert seen["rest"] == (len(used) > case["pop"])
        assert seen["read"] == (used[0] if used else seen["write"])
        if case["pop"]:
            used.pop(0)
        if case["push"]:
            assert seen["write"] not in used or len(used) == size
            used.append(seen["write"])
        places.add(seen["write"])
        assert not used or used == [seen["write"]] or seen["after"] == used[0]
    assert len(places) == size
    assert (0 in places) == zero
