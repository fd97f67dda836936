# amaranth: UnusedElaboratable=no
"""The arbiters' benches under each simulator, and what they refuse."""

from pathlib import Path

import pytest

from syncfabric.rtl.parts.arbiter import LeastRecentArbiter, RoundRobinArbiter
from tests.rtl.parts.bench_arbiter import COUNTS
from tests.rtl.support import ports, run_bench


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


def test_arbiter_of_nobody_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^LeastRecentArbiter needs at least 1 requester, not 0$"):
        LeastRecentArbiter(0)
    with pytest.raises(ValueError, match=r"^RoundRobinArbiter needs at least 1 requester, not -1$"):
        RoundRobinArbiter(-1)
