"""The hold buffer's bench under each simulator."""

from pathlib import Path

import pytest

from syncfabric.rtl.parts.hold import FlitHold
from tests.rtl.parts.bench_hold import CASES
from tests.rtl.support import run_bench


@pytest.mark.long_under("verilator")
def test_hold(simulator: str, tmp_path: Path) -> None:
    parts = {name: FlitHold(spec) for name, spec in CASES.items()}
    run_bench(simulator, parts, "tests.rtl.parts.bench_hold", tmp_path)
