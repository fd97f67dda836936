# amaranth: UnusedElaboratable=no
"""The loader's bench under each simulator."""

from pathlib import Path

import pytest

from syncfabric.rtl.static.config import RouteLoader
from tests.rtl.static.bench_loader import SPEC
from tests.rtl.support import run_bench


@pytest.mark.long_under("verilator")
def test_loader(simulator: str, tmp_path: Path) -> None:
    run_bench(simulator, {"loader": RouteLoader(SPEC)}, "tests.rtl.static.bench_loader", tmp_path)
