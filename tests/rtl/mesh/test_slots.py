# amaranth: UnusedElaboratable=no
"""The slots' bench under each simulator, and what they refuse."""

from pathlib import Path

import pytest

from syncfabric.rtl.mesh.slots import SyncSlots
from tests.rtl.support import run_bench


@pytest.mark.long_under("verilator")
def test_sync_slots(simulator: str, tmp_path: Path) -> None:
    parts = {f"port_{port}": SyncSlots(port) for port in range(4)}
    run_bench(simulator, parts, "tests.rtl.mesh.bench_slots", tmp_path)


@pytest.mark.parametrize("port", [-1, 4])
def test_slots_of_no_network_port_are_refused(port: int) -> None:
    with pytest.raises(ValueError, match=rf"^SyncSlots needs a network port 0\.\.3, not {port}$"):
        SyncSlots(port)
