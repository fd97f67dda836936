# amaranth: UnusedElaboratable=no
"""The bench of an input's messages under each simulator, and what the slots refuse."""

from pathlib import Path

import pytest

from syncfabric.rtl.mesh.slots import SyncSlots
from syncfabric.rtl.mesh.sync_input import SyncInput
from tests.rtl.mesh.bench_slots import CASES
from tests.rtl.support import ports, run_bench


@pytest.mark.long_under("verilator")
def test_sync_input(simulator: str, tmp_path: Path) -> None:
    parts = {name: SyncInput(spec, port) for name, (spec, port) in CASES.items()}
    run_bench(simulator, parts, "tests.rtl.mesh.bench_slots", tmp_path)


@pytest.mark.parametrize("name", list(CASES))
def test_ports(name: str) -> None:
    spec, port = CASES[name]
    found = ports(SyncInput(spec, port))
    assert found["shown"] == ("out", spec.layout.sync.width)
    assert ("sync" in found) == (spec.sync_links == "own")


@pytest.mark.parametrize("port", [-1, 4])
def test_slots_of_no_network_port_are_refused(port: int) -> None:
    with pytest.raises(ValueError, match=rf"^SyncSlots needs a network port 0\.\.3, not {port}$"):
        SyncSlots(port)
