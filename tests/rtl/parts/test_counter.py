"""The saturating counter's bench under each simulator."""

from pathlib import Path

from syncfabric.rtl.parts.counter import SaturatingCounter
from tests.rtl.parts.bench_counter import SHAPES
from tests.rtl.support import run_bench


def test_saturating_counter(simulator: str, tmp_path: Path) -> None:
    parts = {f"width_{width}_most_{most}": SaturatingCounter(width, most) for width, most in SHAPES}
    run_bench(simulator, parts, "tests.rtl.parts.bench_counter", tmp_path)
