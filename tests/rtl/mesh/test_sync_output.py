"""The bench of an output's messages under each simulator."""

from pathlib import Path

import pytest

from syncfabric.rtl.mesh.sync_output import SyncOutput
from tests.rtl.mesh.bench_sync_output import PORTS, SPECS
from tests.rtl.support import run_bench


@pytest.mark.long_under("verilator")
def test_sync_output(simulator: str, tmp_path: Path) -> None:
    parts = {
        f"{name}_{port}": SyncOutput(spec, port) for name, spec in SPECS.items() for port in PORTS
    }
    run_bench(simulator, parts, "tests.rtl.mesh.bench_sync_output", tmp_path)
