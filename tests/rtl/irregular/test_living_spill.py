"""The bench of spill engines with managers, under each simulator."""

from pathlib import Path

import pytest

from syncfabric.rtl.irregular.spill import SpillEngine
from tests.rtl.irregular.bench_living_spill import CASES
from tests.rtl.support import run_bench


@pytest.mark.long
def test_living_spill(simulator: str, tmp_path: Path) -> None:
    parts = {name: SpillEngine(spec, node=node) for name, (spec, node) in CASES.items()}
    run_bench(simulator, parts, "tests.rtl.irregular.bench_living_spill", tmp_path)
