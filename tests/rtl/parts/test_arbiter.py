# amaranth: UnusedElaboratable=no
"""The arbiters' benches under each simulator, and what they refuse."""

import random
from pathlib import Path

import pytest

from syncfabric.models.golden.transport.message_links import LeastRecentlySent
from syncfabric.rtl.parts.arbiter import LeastRecentArbiter, RoundRobinArbiter
from tests.rtl.parts.bench_arbiter import COUNTS, RoundRobin
from tests.rtl.support import SEED, clocked, ports, run_bench


@pytest.mark.long_under("verilator")
def test_arbiters(simulator: str, tmp_path: Path) -> None:
    parts = {f"recent_{count}": LeastRecentArbiter(count) for count in COUNTS}
    parts |= {f"robin_{count}": RoundRobinArbiter(count) for count in COUNTS}
    run_bench(simulator, parts, "tests.rtl.parts.bench_arbiter", tmp_path)


def test_ports() -> None:
    assert ports(LeastRecentArbiter(5)) == {
        "request": ("in", 5),
        "grant": ("out", 5),
        "sent": ("in", 5),
    }
    assert ports(RoundRobinArbiter(5)) == {
        "request": ("in", 5),
        "grant": ("out", 5),
        "advance": ("in", 1),
    }


MOST = 17
"""The ports of the largest switch, and its set-up sink."""


def requests(rng: random.Random) -> list[list[int]]:
    """Return who asks, cycle by cycle: all for some rounds, then any."""
    some = [sorted(rng.sample(range(MOST), rng.randint(0, MOST))) for _ in range(300)]
    return [*[[*range(MOST)]] * 3 * MOST, *some]


def test_a_round_robin_of_the_most_requesters() -> None:
    asked, model = requests(random.Random(SEED)), RoundRobin(MOST)
    cases = [{"request": sum(1 << i for i in each), "advance": 1} for each in asked]
    grants = [cycle["grant"] for cycle in clocked(RoundRobinArbiter(MOST), cases)]
    assert grants == [1 << model.choose(each) if each else 0 for each in asked]


def test_the_least_recent_of_the_most_requesters() -> None:
    asked, model, expected, cases = requests(random.Random(SEED)), LeastRecentlySent(MOST), [], []
    for each in asked:
        expected.append(1 << model.first(each) if each else 0)
        cases.append({"request": sum(1 << i for i in each), "sent": expected[-1]})
        if each:
            model.sent(expected[-1].bit_length() - 1)
    grants = [cycle["grant"] for cycle in clocked(LeastRecentArbiter(MOST), cases)]
    assert grants == expected
