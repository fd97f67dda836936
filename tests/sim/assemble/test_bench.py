"""The top that cocotb drives."""

import re
from pathlib import Path

import pytest

from syncfabric.models.networks.spec import MessageSpec
from syncfabric.sim.assemble.bench import BENCH, bench_verilog
from syncfabric.sim.assemble.network import module_names
from syncfabric.sim.assemble.script import REPORT
from syncfabric.sim.assemble.traffic import TRAFFIC_MODULES
from tests.nightly import nightly_but
from tests.sim.assemble.icarus import compiles
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.networks import irregular, mesh

NETWORKS: dict[str, MessageSpec] = {
    "mesh": mesh(3, 2, data_bits=0),
    "irregular": irregular(SMALL),
    "wires": mesh(2, 1, wires=2),
    "guarded": mesh(2, 1, check_bits=8),
}
ALONE: dict[str, MessageSpec] = {
    "mesh": mesh(2, 1, channels=0),
    "irregular": irregular(SMALL, channels=0, groups=1),
    "wires": mesh(2, 2, channels=0, wires=1),
}


@pytest.fixture(scope="module", params=NETWORKS)
def spec(request: pytest.FixtureRequest) -> MessageSpec:
    return NETWORKS[request.param]


@pytest.fixture(scope="module")
def text(spec: MessageSpec) -> str:
    return bench_verilog(spec, queue=64)


@pytest.mark.icarus
def test_icarus_takes_it(text: str, tmp_path: Path) -> None:
    compiles(text, BENCH, tmp_path)


def test_every_node_has_its_traffic_and_a_line_of_the_report(spec: MessageSpec, text: str) -> None:
    count = len(spec.topology.nodes)
    for module in (*module_names(spec), *TRAFFIC_MODULES):
        assert len(re.findall(rf"^module {module}\b", text, re.M)) == 1
        placed = getattr(spec, "switches", count) if module == "router_node" else count
        assert len(re.findall(rf"^  {module} \w+ \($", text, re.M)) == placed
    lines = re.findall(r"\$fwrite\(report_file, .*?\);", text)
    assert all(line.count("%0h") == len(REPORT) for line in lines[:count])
    assert not any("%0h" in line for line in lines[count:])
    assert lines.count('$fwrite(report_file, "entries");') == spec.shape.routers
    assert ", ".join(f"{name}_{count - 1}" for name in REPORT) in lines[count - 1]


def test_the_sources_queue_is_as_deep_as_asked(text: str) -> None:
    stores = re.findall(r"^module waiting_queue_64x(\d+) ?\(.*?^endmodule", text, re.M | re.S)
    placed = re.findall(r"^  waiting_queue_64x(\d+) ", text, re.M)
    assert len(placed) == 2  # the generator's packets, and software's flits
    assert set(stores) == set(placed)
    assert len(re.findall(r" store \[0:63\];", text)) == len(stores)


@pytest.mark.icarus
@pytest.mark.parametrize("name", nightly_but(ALONE.keys() - {"wires"}, ALONE))
def test_without_packets_there_is_no_traffic(name: str, tmp_path: Path) -> None:
    spec = ALONE[name]
    text = bench_verilog(spec)
    compiles(text, BENCH, tmp_path)
    assert not re.search(r"^module (packet|waiting)", text, re.MULTILINE)
    assert not re.search(r"^ +\w*(packet|traffic)\w*", text, re.MULTILINE)
    lines = re.findall(r"\$fwrite\(report_file, .*?\);", text)
    count = len(spec.topology.nodes)
    assert lines[:count] == ['$fwrite(report_file, "\\n");'] * count
    assert not any("%0h" in line for line in lines)
