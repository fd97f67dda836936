"""Latencies of a soak."""

from syncfabric.sim.soak.result import (
    Latencies,
)


def test_the_share_of_a_histogram() -> None:
    latency = Latencies.of({1: 1, 5: 998, 7: 1})
    assert latency == Latencies(1000, 1, 5, 5, 7)
    assert Latencies.of({3: 1}) == Latencies(1, 3, 3, 3, 3)
    assert Latencies.of({}) is None
