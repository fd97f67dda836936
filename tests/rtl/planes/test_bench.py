# amaranth: UnusedElaboratable=no
"""Routers, nodes and their parts under each simulator, all in one build."""

from pathlib import Path

import pytest

from tests.rtl.planes.bench_parts import CASES
from tests.rtl.support import run_bench


@pytest.mark.long_under("icarus")
def test_parts(simulator: str, tmp_path: Path) -> None:
    parts = {name: case.part() for name, case in CASES.items()}
    run_bench(simulator, parts, "tests.rtl.planes.bench_parts", tmp_path)
