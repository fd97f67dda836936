# amaranth: UnusedElaboratable=no
"""The core's bench under each simulator."""

from pathlib import Path

import pytest

from syncfabric.rtl.static.core import StaticCore
from tests.rtl.static.bench_core import SPEC
from tests.rtl.support import run_bench


@pytest.mark.long_under("verilator")
def test_core(simulator: str, tmp_path: Path) -> None:
    run_bench(simulator, {"core": StaticCore(SPEC)}, "tests.rtl.static.bench_core", tmp_path)
