"""The spill engine's bench under each simulator."""

from pathlib import Path

import pytest

from syncfabric.rtl.barrier.spill import SpillEngine
from tests.rtl.barrier.bench_spill import CASES, FULL, SPEC
from tests.rtl.support import run_bench


@pytest.mark.long_under("icarus")
def test_spill_engine(simulator: str, tmp_path: Path) -> None:
    parts = {name: SpillEngine(spec) for name, spec in CASES.items()}
    parts[FULL] = SpillEngine(SPEC)
    run_bench(simulator, parts, "tests.rtl.barrier.bench_spill", tmp_path)
