"""The top of boards, in text and from its pins."""

import re
from pathlib import Path

import pytest

from syncfabric import Network
from syncfabric.models.networks.spec import NetworkSpec
from syncfabric.sim.assemble.board import (
    BOARD_PORTS,
    board_top,
    board_verilog,
    has_packets,
    repeated_modules,
)
from syncfabric.sim.front import Front
from syncfabric.sim.simulators import find_simulator
from syncfabric.sim.simulators.base import Design
from tests.cocotb_runs import build_cocotb, run_cocotb
from tests.sim.assemble.icarus import compiles
from tests.sim.assemble.verilator import lints

FRONT = Front("uart", meters=1, bit_cycles=4)


def board(name: str) -> str:
    spec = Network.load(name).spec
    return board_verilog(spec.network, spec.module, FRONT)


@pytest.mark.parametrize(
    ("name", "traffic"),
    [("mesh-2x2", True), pytest.param("reflex-2x2", False, marks=pytest.mark.nightly)],
)
def test_the_top_has_a_boards_ports_and_traffic_at_every_node(name: str, traffic: bool) -> None:
    text = board(name)
    spec = Network.load(name).spec
    top = board_top(spec.module)
    header = re.search(rf"^module {top} \((.*?)\);", text, re.DOTALL | re.MULTILINE)
    assert header
    ports = re.findall(r"^  (\w+) wire (?:\[7:0\] )?(\w+),?$", header[1], re.MULTILINE)
    assert ports == [(direction, port) for port, direction in BOARD_PORTS.items()]
    nodes = 4 if traffic else 0
    assert has_packets(spec.network) == traffic
    for module in ("packet_source", "packet_sink"):
        assert len(re.findall(rf"^  {module} \w+ \($", text, re.MULTILINE)) == nodes
    modules = re.findall(r"^module (\w+)", text, re.MULTILINE)
    assert len(set(modules)) == len(modules)
    assert {*repeated_modules(spec.network)} <= {*modules}


@pytest.mark.nightly
def test_streams_have_a_source_and_a_sink_at_every_node() -> None:
    network = {"kind": "mesh", "width": 3, "height": 1, "channels": 0, "wires": 2, "streams": 2}
    spec = NetworkSpec.model_validate({"name": "row", "network": network, "groups": []})
    text = board_verilog(spec.network, spec.module, FRONT)
    modules = re.findall(r"^module (\w+)", text, re.MULTILINE)
    assert {*repeated_modules(spec.network)} <= {*modules}
    for module in ("stream_source", "stream_sink"):
        assert len(re.findall(rf"^  {module} \w+ \($", text, re.MULTILINE)) == 3
    for wire in ("put", "command", "packets", "checksum", "first", "last"):
        assert re.search(rf"\.stream__{wire}\(stream_{wire}\)", text)


@pytest.mark.nightly
def test_traffic_from_the_pins(simulator: str, tmp_path: Path) -> None:
    source = tmp_path / "board.v"
    source.write_text(board("mesh-2x2"))
    tool = find_simulator(simulator)
    built = build_cocotb(tool, Design(board_top("mesh_2x2"), [source]))
    env = {"HOST_NETWORK": "mesh-2x2"}
    module = "tests.sim.assemble.bench_board"
    run_cocotb(tool, built, module, folder=tmp_path / "run", env=env, seconds=600)


@pytest.mark.nightly
@pytest.mark.parametrize(
    "name",
    ["row-1x8", "churn-cluster", "reflex-2x2", "wires-both", "board-4x4", "board-streams"],
)
def test_tops_of_all_kinds(name: str, tmp_path: Path) -> None:
    text, top = board(name), board_top(Network.load(name).spec.module)
    compiles(text, top, tmp_path)
    lints(text, top, tmp_path)
