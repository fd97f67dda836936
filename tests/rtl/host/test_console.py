"""The console's bench under each simulator."""

from pathlib import Path

import pytest

from syncfabric.rtl.host.console import Console
from syncfabric.rtl.host.uart import Receiver, Transmitter
from tests.rtl.host.bench_console import PARTS
from tests.rtl.support import run_bench


@pytest.mark.long_under("verilator")
def test_console(simulator: str, tmp_path: Path) -> None:
    parts = {name: Console(cycles) for name, cycles in PARTS.items()}
    run_bench(simulator, parts, "tests.rtl.host.bench_console", tmp_path)


@pytest.mark.parametrize("part", [Receiver, Transmitter])
def test_a_bit_takes_some_cycles(part: type) -> None:
    with pytest.raises(ValueError, match="at least 4 cycles a bit, not 3"):
        part(3)
