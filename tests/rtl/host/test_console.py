"""The console's bench under each simulator."""

from pathlib import Path

import pytest

from syncfabric.rtl.host.console import Console
from tests.rtl.host.bench_console import PARTS
from tests.rtl.support import run_bench


@pytest.mark.nightly
def test_console(simulator: str, tmp_path: Path) -> None:
    parts = {name: Console(cycles) for name, cycles in PARTS.items()}
    run_bench(simulator, parts, "tests.rtl.host.bench_console", tmp_path)
