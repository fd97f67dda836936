"""The top that cocotb drives."""

import re
from pathlib import Path

import pytest

from syncfabric.sim.assemble.bench import BENCH, PUBLIC, REPORT, SHARED_MODULES, bench_verilog
from tests.sim.assemble.icarus import compiles
from tests.sim.drive.networks import mesh


@pytest.fixture(scope="module")
def text() -> str:
    return bench_verilog(mesh(3, 2, data_bits=0), queue=64)


@pytest.mark.icarus
def test_icarus_takes_it(text: str, tmp_path: Path) -> None:
    compiles(text, BENCH, tmp_path)


def test_the_outside_drives_four_wires(text: str) -> None:
    head = re.search(r"^module bench \((.*?)\);", text, re.M | re.S)
    assert head
    assert re.findall(r"input wire (\w+)", head[1]) == list(PUBLIC)
    assert "output" not in head[1]


def test_every_node_has_its_traffic_and_a_line_of_the_report(text: str) -> None:
    for module in SHARED_MODULES:
        assert len(re.findall(rf"^module {module}\b", text, re.M)) == 1
        assert len(re.findall(rf"^  {module} \w+ \($", text, re.M)) == 6
    lines = re.findall(r"\$fwrite\(report_file, .*?\);", text)
    assert len(lines) == 6
    assert all(line.count("%0h") == len(REPORT) for line in lines)
    assert ", ".join(f"{name}_5" for name in REPORT) in lines[5]


def test_the_sources_queue_is_as_deep_as_asked(text: str) -> None:
    source = text.partition("module packet_source")[2].partition("endmodule")[0]
    assert "[63:0];" in source
