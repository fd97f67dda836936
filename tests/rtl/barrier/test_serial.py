"""The bench of the serial combiner's turn under each simulator."""

from pathlib import Path

import pytest

from syncfabric.rtl.barrier.serial import SerialTurn
from tests.rtl.barrier.bench_serial import REGISTERS
from tests.rtl.support import run_bench


@pytest.mark.long_under("verilator")
def test_serial_turn(simulator: str, tmp_path: Path) -> None:
    parts = {f"registers_{registers}": SerialTurn(registers) for registers in REGISTERS}
    run_bench(simulator, parts, "tests.rtl.barrier.bench_serial", tmp_path)
