# amaranth: UnusedElaboratable=no
"""The switch's bench under each simulator."""

from pathlib import Path

import pytest

from syncfabric.rtl.static.switch import StaticSwitch
from tests.rtl.static.bench_switch import CASES
from tests.rtl.support import run_bench


@pytest.mark.nightly_under("verilator")
def test_switch(simulator: str, tmp_path: Path) -> None:
    parts = {name: StaticSwitch(spec) for name, spec in CASES.items()}
    run_bench(simulator, parts, "tests.rtl.static.bench_switch", tmp_path)
