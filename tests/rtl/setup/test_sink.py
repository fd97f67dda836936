"""The set-up sink's bench under each simulator."""

from pathlib import Path

import pytest

from syncfabric.rtl.setup.sink import SetupSink
from tests.rtl.setup.cases import CASES
from tests.rtl.support import run_bench


@pytest.mark.long_under("verilator")
def test_setup_sink(simulator: str, tmp_path: Path) -> None:
    parts = {name: SetupSink(case.form) for name, case in CASES.items()}
    run_bench(simulator, parts, "tests.rtl.setup.bench_sink", tmp_path)
