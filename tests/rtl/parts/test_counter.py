"""The saturating counter's bench under each simulator."""

import random
from pathlib import Path

import pytest

from syncfabric.rtl.parts.counter import SaturatingCounter
from tests.rtl.parts.bench_counter import SHAPES
from tests.rtl.support import SEED, clocked, run_bench


@pytest.mark.long_under("verilator")
def test_saturating_counter(simulator: str, tmp_path: Path) -> None:
    parts = {f"width_{width}_most_{most}": SaturatingCounter(width, most) for width, most in SHAPES}
    run_bench(simulator, parts, "tests.rtl.parts.bench_counter", tmp_path)


def test_the_total_is_one_cycle_ahead() -> None:
    rng = random.Random(SEED)
    for width, most in ((8, 7), (3, 1), (2, 9)):
        cases = [{"events": rng.randint(0, most)} for _ in range(80)]
        count = 0
        for case, seen in zip(cases, clocked(SaturatingCounter(width, most), cases), strict=True):
            assert seen["count"] == count
            count = min((1 << width) - 1, count + case["events"])
            assert seen["total"] == count
