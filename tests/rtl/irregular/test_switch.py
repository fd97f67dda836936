# amaranth: UnusedElaboratable=no
"""The bench of one switch alone under each simulator, and its ports under the options."""

from pathlib import Path

import pytest

from syncfabric.rtl.irregular.switch import IrregularSwitch
from tests.rtl.irregular import bench_switch_life, bench_switch_story
from tests.rtl.irregular.bench_switch import CASES
from tests.rtl.irregular.specs import network
from tests.rtl.support import ports, run_bench


@pytest.mark.long_under("verilator")
def test_switch(simulator: str, tmp_path: Path) -> None:
    parts = {name: IrregularSwitch(spec) for name, spec in CASES.items()}
    run_bench(simulator, parts, "tests.rtl.irregular.bench_switch", tmp_path)


@pytest.mark.long
def test_switch_in_a_network(simulator: str, tmp_path: Path) -> None:
    parts = {name: IrregularSwitch(spec) for name, spec in bench_switch_story.CASES.items()}
    benches = (bench_switch_story, bench_switch_life)
    run_bench(simulator, parts, ",".join(bench.__name__ for bench in benches), tmp_path)


def test_ports() -> None:
    for spec in (network(), network(ports=8, switches=3, channels=4)):
        found = ports(IrregularSwitch(spec))
        assert found["routes"] == ("in", spec.switches * spec.layout.port_bits)
        assert found["dateline"] == ("in", spec.ports)
        for p in range(spec.ports):
            assert found[f"in_{p}__credit"] == ("out", spec.channels)
            assert found[f"out_{p}__flit"] == ("out", spec.layout.flit.width)
            assert (f"in_{p}__sync_credit" in found) == spec.buffered
        assert f"in_{spec.ports}__valid" not in found
