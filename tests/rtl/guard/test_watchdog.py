# amaranth: UnusedElaboratable=no
"""A wait meets two ticks and no more, whenever it begins."""

import pytest

from syncfabric.rtl.guard.watchdog import RegisterWatchdog
from tests.rtl.support import clocked

EVERY = 5


def play(wait: range, **events: int) -> list[dict[str, int]]:
    """Return what a watchdog shows; the process waits in ``wait``, an event is in its cycle."""
    return clocked(
        RegisterWatchdog(),
        [
            {
                "tick": int(now % EVERY == EVERY - 1),
                "waits": int(now in wait),
                **{name: int(now == cycle) for name, cycle in events.items()},
            }
            for now in range(40)
        ],
    )


@pytest.mark.parametrize("begin", range(10, 10 + EVERY))
def test_a_wait_is_over_after_one_to_two_times_the_ticks(begin: int) -> None:
    seen = play(range(begin, 40))
    trips = [now for now, each in enumerate(seen) if each["trips"]]
    assert len(trips) == 1
    assert EVERY <= trips[0] - begin + 1 <= 2 * EVERY
    assert [each["tripped"] for each in seen] == [int(now > trips[0]) for now in range(40)]
    assert seen[-1]["broken"]


def test_a_wait_that_ends_in_time_leaves_nothing() -> None:
    # The end is in the very cycle of the second tick; the next wait begins two cycles later.
    seen = play(range(10, 20), ends=19)
    assert not any(each["trips"] for each in seen)
    for first, then in ((range(10, 19), range(20, 24)), (range(10, 15), range(17, 20))):
        wait = [*first, *then]
        seen = play(wait)  # type: ignore[arg-type]
        assert not any(each["trips"] for each in seen)


def test_a_register_is_as_before_when_it_is_cleared() -> None:
    seen = play(range(10, 26), clear=25, written=25)
    assert seen[25]["tripped"]
    assert seen[25]["broken"]
    assert not seen[26]["tripped"]
    assert not seen[26]["broken"]
    seen = play(range(10, 26), clear=25)
    assert seen[39]["broken"]
    seen = play(range(10, 26), clear=25, arrives=30)
    assert seen[30]["broken"]
    assert not seen[31]["broken"]
