"""The config port's bench under each simulator."""

from pathlib import Path

import pytest

from syncfabric.rtl.barrier.config import ConfigPort
from tests.rtl.barrier.bench_config import CASES
from tests.rtl.support import run_bench


@pytest.mark.long_under("verilator")
def test_config_port(simulator: str, tmp_path: Path) -> None:
    parts = {name: ConfigPort(spec) for name, spec in CASES.items()}
    run_bench(simulator, parts, "tests.rtl.barrier.bench_config", tmp_path)
