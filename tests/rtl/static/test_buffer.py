"""A static network's buffer of every size, and the counter of its places."""

import pytest

from syncfabric.rtl.static.buffer import FlitBuffer, Level
from tests.rtl.support import clocked


@pytest.mark.parametrize("places", range(1, 17))
def test_every_place_is_used(places: int) -> None:
    """So many flits find room, one more does not; then they leave in order."""
    clear = {"clear": 1, "push": 0, "pop": 0, "flit": 0}
    pushes = [{"clear": 0, "push": 1, "flit": 3 * i + 1} for i in range(places + 1)]
    pops = [{"push": 0, "pop": 1}] * places
    _, *seen = clocked(FlitBuffer(places, 6), [clear, *pushes, *pops, {"pop": 0}])
    assert [cycle["overflow"] for cycle in seen] == [*[0] * places, 1, *[0] * (places + 1)]
    levels = [*range(places), places, *range(places, 0, -1), 0]
    assert [cycle["number"] for cycle in seen] == levels
    assert [cycle["some"] for cycle in seen] == [int(level > 0) for level in levels]
    fronts = [cycle["front"] for cycle in seen[places + 1 : -1]]
    assert fronts == [(3 * i + 1) % 64 for i in range(places)]


@pytest.mark.parametrize("places", range(1, 17))
def test_credits_are_as_many_as_places(places: int) -> None:
    """All are there after ``clear``; each is spent once, and comes back."""
    clear = {"clear": 1, "up": 0, "down": 0}
    down, up = [{"clear": 0, "down": 1}] * places, [{"down": 0, "up": 1}] * places
    _, *seen = clocked(Level(places, init=places), [clear, *down, *up, {"up": 0}])
    levels = [*range(places, 0, -1), *range(places + 1)]
    assert [cycle["number"] for cycle in seen] == levels
    assert [cycle["some"] for cycle in seen] == [int(level > 0) for level in levels]
    assert [cycle["full"] for cycle in seen] == [int(level == places) for level in levels]
