# amaranth: UnusedElaboratable=no
"""The packet source's bench under each simulator, and what it refuses."""

from pathlib import Path

import pytest

from syncfabric.rtl.traffic.source import PacketSource
from tests.rtl.support import clocked, run_bench
from tests.rtl.traffic.bench_source import CASES, QUEUE


@pytest.mark.long_under("verilator")
def test_packet_source(simulator: str, tmp_path: Path) -> None:
    parts = {name: PacketSource(spec, queue=QUEUE) for name, (spec, _) in CASES.items()}
    parts["short_queue"] = PacketSource(CASES["square"][0], queue=4)
    run_bench(simulator, parts, "tests.rtl.traffic.bench_source", tmp_path)


def test_without_software_its_flits_are_lost() -> None:
    source = PacketSource(CASES["square"][0], queue=4, software=False)
    rows = clocked(source, [{"put__valid": 1, "put__flit": 3 << 4}] * 4)
    assert [row["overflow"] for row in rows] == [0, 1, 2, 3]
    assert not any(row["link__valid"] for row in rows)
