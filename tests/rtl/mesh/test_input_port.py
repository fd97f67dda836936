# amaranth: UnusedElaboratable=no
"""The input port's bench under each simulator, and its ports under every option."""

from pathlib import Path

import pytest

from syncfabric.models.networks.mesh import Port
from syncfabric.rtl.mesh.input_port import InputPort
from tests.rtl.mesh.bench_input_port import CASES
from tests.rtl.support import ports, run_bench


@pytest.mark.long_under("verilator")
def test_input_port(simulator: str, tmp_path: Path) -> None:
    parts = {name: InputPort(spec, port) for name, (spec, port) in CASES.items()}
    run_bench(simulator, parts, "tests.rtl.mesh.bench_input_port", tmp_path)


@pytest.mark.parametrize("name", list(CASES))
def test_ports(name: str) -> None:
    spec, port = CASES[name]
    found = ports(InputPort(spec, port))
    assert found["link__flit"] == ("in", spec.layout.flit.width)
    assert found["link__valid"] == ("in", spec.channels)
    assert found["has_credit"] == ("in", 5 * spec.channels)
    assert ("present" in found) == (port != Port.LOCAL and spec.sync_links == "shared")
