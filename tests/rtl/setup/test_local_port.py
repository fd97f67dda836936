"""The bench of a mesh router's LOCAL port under each simulator."""

from pathlib import Path

import pytest

from syncfabric.rtl.setup.local_port import LocalPort
from tests.rtl.setup.cases import MESH
from tests.rtl.support import run_bench


@pytest.mark.long_under("verilator")
def test_local_port(simulator: str, tmp_path: Path) -> None:
    run_bench(simulator, {"port": LocalPort(MESH)}, "tests.rtl.setup.bench_local_port", tmp_path)
