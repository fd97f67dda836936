"""The packet sink's bench under each simulator."""

from pathlib import Path

import pytest

from syncfabric.rtl.traffic.sink import PacketSink
from tests.rtl.support import run_bench
from tests.rtl.traffic.bench_sink import CASES


@pytest.mark.long_under("verilator")
def test_packet_sink(simulator: str, tmp_path: Path) -> None:
    parts = {name: PacketSink(spec) for name, spec in CASES.items()}
    run_bench(simulator, parts, "tests.rtl.traffic.bench_sink", tmp_path)
