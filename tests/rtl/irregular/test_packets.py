# amaranth: UnusedElaboratable=no
"""The benches of a switch's packet side under each simulator, and its ports' ports."""

from pathlib import Path

import pytest

from syncfabric.rtl.irregular.drain import PacketDrain
from syncfabric.rtl.irregular.input_port import InputPort
from syncfabric.rtl.irregular.output_port import OutputPort
from tests.rtl.irregular import bench_drain, bench_input_port, bench_output_port
from tests.rtl.support import ports, run_bench


@pytest.mark.long_under("verilator")
def test_packets(simulator: str, tmp_path: Path) -> None:
    parts = {
        **{name: InputPort(spec) for name, spec in bench_input_port.CASES.items()},
        **{name: OutputPort(spec) for name, spec in bench_output_port.CASES.items()},
        **{name: PacketDrain(spec) for name, spec in bench_drain.CASES.items()},
    }
    benches = (bench_input_port, bench_output_port, bench_drain)
    run_bench(simulator, parts, ",".join(bench.__name__ for bench in benches), tmp_path)


@pytest.mark.parametrize("name", list(bench_output_port.CASES))
def test_ports(name: str) -> None:
    spec = bench_output_port.CASES[name]
    found = ports(OutputPort(spec))
    assert found["link__flit"] == ("out", spec.layout.flit.width)
    assert found["take"] == ("out", spec.ports)
    assert ("link__sync_credit" in found) == spec.buffered
    found = ports(InputPort(spec))
    assert found["offer"] == ("out", spec.ports + 1)
    assert found["has_credit"] == ("in", spec.ports * spec.channels)
    assert "listening" not in found
