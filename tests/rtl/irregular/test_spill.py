# amaranth: UnusedElaboratable=no
"""The spill engine's bench under each simulator, and its ports."""

from pathlib import Path

import pytest

from syncfabric.rtl.irregular.spill import SpillEngine
from tests.rtl.irregular.bench_spill import CASES
from tests.rtl.support import ports, run_bench


@pytest.mark.long_under("verilator")
def test_spill(simulator: str, tmp_path: Path) -> None:
    parts = {name: SpillEngine(spec, node=node) for name, (spec, node) in CASES.items()}
    run_bench(simulator, parts, "tests.rtl.irregular.bench_spill", tmp_path)


@pytest.mark.parametrize("name", list(CASES))
def test_ports(name: str) -> None:
    spec, node = CASES[name]
    found = ports(SpillEngine(spec, node=node))
    assert found["take"] == ("out", 1 if node else spec.ports)
    assert ("arrive__ready" in found) == ("refused_arrive" in found) == node
