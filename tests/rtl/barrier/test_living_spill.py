"""The bench of the spill engine with managers, under each simulator."""

from pathlib import Path

import pytest

from syncfabric.rtl.barrier.spill import SpillEngine
from tests.rtl.barrier.bench_living_spill import CASES
from tests.rtl.support import run_bench


@pytest.mark.long
def test_living_spill(simulator: str, tmp_path: Path) -> None:
    parts = {name: SpillEngine(spec) for name, spec in CASES.items()}
    run_bench(simulator, parts, "tests.rtl.barrier.bench_living_spill", tmp_path)
