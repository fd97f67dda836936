# amaranth: UnusedElaboratable=no
"""The output port's bench under each simulator, and its ports under every option."""

from pathlib import Path

import pytest

from syncfabric.models.networks.mesh import Port
from syncfabric.rtl.mesh.output_port import OutputPort
from tests.rtl.mesh.bench_output_port import CASES
from tests.rtl.support import ports, run_bench


@pytest.mark.long_under("verilator")
def test_output_port(simulator: str, tmp_path: Path) -> None:
    parts = {name: OutputPort(spec, port) for name, (spec, port) in CASES.items()}
    run_bench(simulator, parts, "tests.rtl.mesh.bench_output_port", tmp_path)


@pytest.mark.parametrize("name", list(CASES))
def test_ports(name: str) -> None:
    spec, port = CASES[name]
    found = ports(OutputPort(spec, port))
    assert found["link__flit"] == ("out", spec.layout.flit.width)
    assert found["link__credit"] == ("in", spec.channels)
    assert ("sync_take" in found) == (port != Port.LOCAL and spec.sync_links == "shared")
