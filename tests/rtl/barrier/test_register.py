# amaranth: UnusedElaboratable=no
"""The register's bench under each simulator, and its ports under every option."""

from pathlib import Path

import pytest

from syncfabric.models.messages import STATUS
from syncfabric.rtl.barrier.register import BarrierRegister
from tests.rtl.barrier.bench_register import CASES, network
from tests.rtl.support import ports, run_bench


@pytest.mark.long_under("verilator")
def test_barrier_register(simulator: str, tmp_path: Path) -> None:
    parts = {name: BarrierRegister(spec) for name, spec in CASES.items()}
    run_bench(simulator, parts, "tests.rtl.barrier.bench_register", tmp_path)


@pytest.mark.parametrize("operations", ["bitwise", "all"])
def test_only_serial_combining_has_a_choice(operations: str) -> None:
    found = ports(BarrierRegister(network(operations=operations)))
    assert ("chosen" in found) == ("chosen_local" in found) == (operations == "all")
    assert found["status"] == ("out", STATUS.width)


def test_register_without_data_has_no_data_pins() -> None:
    found = ports(BarrierRegister(network(data_bits=0)))
    assert all(found[name][1] == 0 for name in ("data", "result", "accumulated", "send__data"))
