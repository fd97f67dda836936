# amaranth: UnusedElaboratable=no
"""Barrier unit and node interface under each simulator, and their ports."""

from pathlib import Path

import pytest

from syncfabric.rtl.irregular.barrier_unit import BarrierUnit
from syncfabric.rtl.irregular.node import NodeInterface
from tests.rtl.irregular import bench_node, bench_unit
from tests.rtl.support import ports, run_bench


@pytest.mark.long_under("verilator")
def test_units(simulator: str, tmp_path: Path) -> None:
    parts = {
        **{name: BarrierUnit(spec) for name, spec in bench_unit.CASES.items()},
        **{name: NodeInterface(spec) for name, spec in bench_node.CASES.items()},
    }
    benches = (bench_unit, bench_node)
    run_bench(simulator, parts, ",".join(bench.__name__ for bench in benches), tmp_path)


@pytest.mark.parametrize("name", list(bench_node.CASES))
def test_ports(name: str) -> None:
    spec = bench_node.CASES[name]
    found = ports(NodeInterface(spec))
    registers, bits = spec.barrier_registers, spec.data_bits
    assert found["arrive"] == ("in", registers)
    assert found["result"] == ("out", registers * bits)
    assert found["observe"] == ("out", registers * 2 * (3 + bits) + 32)
    assert ("uplink__sync_credit" in found) == ("downlink__sync_credit" in found) == spec.buffered
