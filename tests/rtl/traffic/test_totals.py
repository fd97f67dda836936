"""What the nodes' counters come to, cycle by cycle."""

import random
from itertools import accumulate

import pytest
from amaranth.hdl import Fragment

from syncfabric.rtl.traffic.sink import TrafficTotals
from tests.rtl.support import SEED, clocked

COUNTS = ("created", "lost", "received", "wrong")
LATE = 3
CLEARED = 90
"""Cycle in which all begins anew."""


def test_the_largest_network_elaborates() -> None:
    Fragment.get(TrafficTotals(1024), None)


@pytest.mark.parametrize("nodes", [1, 5])
def test_every_event_is_counted_once(nodes: int) -> None:
    """Counts are the events since the clearing, three cycles late."""
    rng = random.Random(SEED)
    events = {
        name: [rng.getrandbits(nodes) & rng.getrandbits(nodes) for _ in range(200)]
        for name in COUNTS
    }
    cases = [{"clear": int(cycle == CLEARED)} for cycle in range(200)]
    for name, pulses in events.items():
        levels = accumulate(pulses, lambda level, pulse: level ^ pulse)
        for case, level in zip(cases, levels, strict=True):
            case[f"seen_{name}"] = level
    for cycle, seen in enumerate(clocked(TrafficTotals(nodes), cases)):
        first = CLEARED + 1 if cycle > CLEARED else 0
        for name, pulses in events.items():
            expected = sum(pulse.bit_count() for pulse in pulses[first : max(0, cycle - LATE + 1)])
            assert seen[name] == expected, (name, cycle)


@pytest.mark.parametrize("node", range(3))
def test_the_greatest_latency_of_all_nodes(node: int) -> None:
    """It is found within a round of the nodes, and forgotten when all begins anew."""
    nodes = 3

    def case(clear: int, *words: int) -> dict[str, int]:
        turned = words[-node:] + words[:-node]
        return {"seen_latency": sum(w << 32 * i for i, w in enumerate(turned)), "clear": clear}

    cases = [case(0, 1 << 31, 900, 7)] * 10 + [case(1, 1 << 31, 900, 7)]
    cases += [case(0, 0, 0, 0)] * 10 + [case(0, 3, 0, 2)] * 10
    seen = [row["latency"] for row in clocked(TrafficTotals(nodes), cases)]
    assert seen[nodes + 2] == 1 << 31
    assert seen[11:22] == [0] * 11
    assert seen[-1] == 3
