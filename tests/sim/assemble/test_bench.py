"""The top that cocotb drives."""

import re
from pathlib import Path

import pytest

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.sim.assemble.bench import BENCH, PUBLIC, REPORT, SHARED_MODULES, bench_verilog
from tests.sim.assemble.icarus import compiles
from tests.sim.assemble.test_mesh import NETWORKS
from tests.sim.drive.networks import mesh


@pytest.mark.icarus
@pytest.mark.parametrize("spec", NETWORKS.values(), ids=NETWORKS)
def test_icarus_takes_it(spec: MeshSpec, tmp_path: Path) -> None:
    compiles(bench_verilog(spec), BENCH, tmp_path)


def test_the_outside_drives_four_wires() -> None:
    text = bench_verilog(mesh(2, 2))
    head = re.search(r"^module bench \((.*?)\);", text, re.M | re.S)
    assert head
    assert re.findall(r"input wire (\w+)", head[1]) == list(PUBLIC)
    assert "output" not in head[1]


def test_every_node_has_its_traffic_and_a_line_of_the_report() -> None:
    text = bench_verilog(mesh(3, 2))
    for module in SHARED_MODULES:
        assert len(re.findall(rf"^module {module}\b", text, re.M)) == 1
        assert len(re.findall(rf"^  {module} \w+ \($", text, re.M)) == 6
    lines = re.findall(r"\$fwrite\(report_file, .*?\);", text)
    assert len(lines) == 6
    assert all(line.count("%0h") == len(REPORT) for line in lines)
    assert ", ".join(f"{name}_5" for name in REPORT) in lines[5]


def test_the_depth_of_the_sources_queue() -> None:
    small, large = (bench_verilog(mesh(2, 1), queue=queue) for queue in (16, 1024))
    assert "[15:0];" in small
    assert "[1023:0];" in large
