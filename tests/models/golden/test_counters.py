"""Counters of a node's parts (E10): an event of t counts from t + 2; they saturate."""

from syncfabric.models.golden.counters import MOST, Counters
from syncfabric.models.layout.words import RouterWord

LOST = RouterWord.LOST


def test_an_event_is_counted_two_cycles_later_up_to_the_last_value() -> None:
    counters = Counters(RouterWord, built=True)
    assert LOST in counters
    assert RouterWord.FENCE not in counters
    seen = []
    for events in ([LOST, LOST], [], [LOST], [], []):
        seen.append(counters[LOST])
        assert counters.is_idle == (len(seen) in (1, 3, 5))
        counters.step(events)
    assert seen == [0, 0, 2, 2, 3]
    for _ in range(MOST):
        counters.step([LOST])
    counters.step([])
    assert counters[LOST] == MOST


def test_counters_that_are_not_built_read_0() -> None:
    counters = Counters(RouterWord, built=False)
    for _ in range(3):
        counters.step([LOST])
    assert counters[LOST] == 0
    assert counters.is_idle
