"""The bench of the AXI4-Lite front under each simulator."""

from pathlib import Path

import pytest

from syncfabric.rtl.host.axi_lite import AxiLite
from tests.rtl.support import run_bench


@pytest.mark.long_under("verilator")
def test_axi_lite(simulator: str, tmp_path: Path) -> None:
    run_bench(simulator, {"axi": AxiLite()}, "tests.rtl.host.bench_axi_lite", tmp_path)
