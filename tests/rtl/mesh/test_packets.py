# amaranth: UnusedElaboratable=no
"""The bench of the router of packets under each simulator."""

from pathlib import Path

import pytest

from syncfabric.rtl.mesh.packets import PacketRouter
from tests.rtl.mesh.bench_packets import CASES
from tests.rtl.support import run_bench


@pytest.mark.long_under("verilator")
def test_packets(simulator: str, tmp_path: Path) -> None:
    parts = {name: PacketRouter(spec) for name, spec in CASES.items()}
    run_bench(simulator, parts, "tests.rtl.mesh.bench_packets", tmp_path)
