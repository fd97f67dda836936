# amaranth: UnusedElaboratable=no
"""The barrier unit's bench under each simulator, and its ports under every option."""

from pathlib import Path

import pytest

from syncfabric.rtl.barrier.unit import BarrierUnit, observe_bits
from tests.rtl.barrier.bench_unit import CASES, network
from tests.rtl.support import ports, run_bench


@pytest.mark.long_under("verilator")
def test_barrier_unit(simulator: str, tmp_path: Path) -> None:
    parts = {name: BarrierUnit(spec) for name, spec in CASES.items()}
    run_bench(simulator, parts, "tests.rtl.barrier.bench_unit", tmp_path)


@pytest.mark.parametrize("name", list(CASES))
def test_ports(name: str) -> None:
    spec = CASES[name]
    found = ports(BarrierUnit(spec))
    assert found["arrive"] == ("in", spec.barrier_registers)
    assert found["result"] == ("out", spec.barrier_registers * spec.data_bits)
    assert found["observe"] == ("out", observe_bits(spec))


def test_observe_has_status_acc_and_result_of_each_register_and_four_counters() -> None:
    assert observe_bits(network(barrier_registers=4, data_bits=4)) == 4 * (12 + 2 * 4) + 32
