"""Bitstreams: what is refused, and the flow with programs that play the tools' parts."""

import json
import stat
from pathlib import Path

import pytest
from typer.testing import CliRunner

from syncfabric import Network
from syncfabric.cli import app
from syncfabric.fpga import bitstream as flow
from syncfabric.fpga.bitstream import BoardBuild, make_bitstream
from syncfabric.fpga.boards.board import board_named
from syncfabric.fpga.devices import Device
from syncfabric.fpga.netlist import Design
from syncfabric.fpga.tools import Tool
from syncfabric.models.errors import SpecError

ULX3S = board_named("ulx3s-85f")

PLACER = """#!/usr/bin/env python3
import json, pathlib, sys
arguments = dict(zip(sys.argv[1:], sys.argv[2:]))
assert {"--85k", "--speed", "--timing-allow-fail"} <= set(sys.argv), sys.argv
assert "SITE" in pathlib.Path(arguments["--lpf"]).read_text()
reached = {reached}[int(arguments["--seed"]) - 1]
json.dump({"fmax": {"clk": {"achieved": reached}}}, open(arguments["--report"], "w"))
pathlib.Path(arguments["--textcfg"]).write_text(f"seed {arguments['--seed']}")
with open({log!r}, "a") as log:
    log.write(f"placed {arguments['--freq']} ")
"""

PACKER = """#!/usr/bin/env python3
import pathlib, sys
arguments = dict(zip(sys.argv[1:], sys.argv[2:]))
pathlib.Path(arguments["--bit"]).write_text(
    "bits of " + pathlib.Path(arguments["--input"]).read_text())
"""


class Tools:
    """Programs in the tools' place."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.log = folder, folder / "log"
        self.log.touch()
        self.cells = {"LUT4": 50_000, "DP16KD": 32, "TRELLIS_FF": 9}
        self.reach(48.3, 51.7, 49.0)
        self.write("ecppack", PACKER)
        monkeypatch.setenv("SYNCFABRIC_CACHE", str(folder / "cache"))
        monkeypatch.setattr(flow, "find_tool", lambda name: Tool(str(folder / name), "99.1"))
        monkeypatch.setattr(flow, "netlist_of", self.netlist)
        monkeypatch.setattr(flow, "board_verilog", lambda *_: "module network_board;")

    def netlist(self, design: Design, device: Device, yosys: Tool) -> Path:
        assert f"module {design.top} (" in design.verilog
        (self.folder / "netlist.json").write_text("{}")
        (self.folder / "cells.json").write_text(json.dumps(self.cells))
        return self.folder

    def reach(self, *clocks: float) -> None:
        """Let placements reach these clocks, by their seeds."""
        text = PLACER.replace("{reached}", str(list(clocks)))
        self.write("nextpnr-ecp5", text.replace("{log!r}", repr(str(self.log))))

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IEXEC)


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tools:
    return Tools(tmp_path, monkeypatch)


@pytest.fixture(scope="module")
def network() -> Network:
    return Network.load("reflex-2x2")


def test_placements_are_tried_until_one_reaches_the_clock(tools: Tools, network: Network) -> None:
    build = BoardBuild(network, ULX3S, freq=50)
    made = make_bitstream(build, seeds=3)
    assert (made.seed, made.reached, made.bits) == (2, 51.7, b"bits of seed 2")
    assert tools.log.read_text().split() == ["placed", "50"] * 2
    assert make_bitstream(build, seeds=3).bits == made.bits
    assert tools.log.read_text().count("placed") == 2
    said = made.to_json()
    assert (said["clock_mhz"], said["met"], said["bit_cycles"]) == (50.0, True, 50)
    assert (said["lut4"], said["lut4_of_device"], said["block_ram"]) == (50_000, 83_640, 32)
    ends = (".bit", "_board.v", ".lpf", ".json", "_registers.h", "_uart.h", ".rdl", "_uart.rdl")
    assert list(made.files()) == [f"reflex-2x2{end}" for end in ends]
    assert json.loads(made.files()["reflex-2x2.json"]) == said


def test_a_clock_that_is_not_reached(tools: Tools, network: Network) -> None:
    """The fastest placement counts; another clock is another placement."""
    build = BoardBuild(network, ULX3S, freq=62.5)
    made = make_bitstream(build, seeds=3)
    assert (made.seed, made.reached, made.bits, made.possible) == (2, 51.7, None, 51)
    assert make_bitstream(BoardBuild(network, ULX3S, freq=51), seeds=2).bits == b"bits of seed 2"


def test_the_command(tools: Tools) -> None:
    out = tools.folder / "out"
    command = ["bitstream", "reflex-2x2", "-o", str(out), "--baud", "115200"]
    unmet = CliRunner().invoke(app, [*command, "--board", "ulx3s-85f", "--freq", "50"])
    assert unmet.exit_code == 1
    assert "50 MHz is not reached, but 48.3 is" in unmet.stderr
    assert "--freq 48 would be met" in unmet.stderr
    assert not out.exists()
    met = CliRunner().invoke(app, [*command, "--freq", "48", "--json"])
    assert met.exit_code == 0, met.output
    said = json.loads(met.stdout)
    assert (said["met"], said["bit_cycles"], said["seed"]) == (True, 417, 1)
    assert {Path(path) for path in said["files"]} == set(out.iterdir())
    assert (out / "reflex-2x2.bit").read_text() == "bits of seed 1"
    table = CliRunner().invoke(app, [*command, "--freq", "48"])
    assert "50,000 of 83,640" in table.stdout


def test_a_network_that_the_device_has_no_room_for(tools: Tools, network: Network) -> None:
    build = BoardBuild(network, ULX3S)
    for cell, count, words in (
        ("LUT4", 83_641, "reflex-2x2 takes 83,641 LUT4s, and ulx3s-85f has 83,640: choose a "),
        ("DP16KD", 209, "reflex-2x2 takes 209 block RAMs, and ulx3s-85f has 208: choose a "),
    ):
        tools.cells = {cell: count}
        with pytest.raises(SpecError, match=words):
            make_bitstream(build)
    assert tools.log.read_text() == ""


def test_bad_values(network: Network) -> None:
    with pytest.raises(SpecError, match=r"^baud must be above 0, not 0$"):
        BoardBuild(network, ULX3S, baud=0)
    with pytest.raises(SpecError, match=r"baud = 20000000: .*; the nearest is 8750000$"):
        BoardBuild(network, ULX3S, baud=20_000_000)
    with pytest.raises(SpecError, match=r"baud = 4700000: .* 35 MHz .*; the nearest is 5000000$"):
        BoardBuild(network, ULX3S, baud=4_700_000)
    with pytest.raises(SpecError, match=r"freq = 1000 MHz: .*; the nearest is 400$"):
        BoardBuild(network, ULX3S, freq=1000)
    with pytest.raises(SpecError, match=r"nodes = 256: ulx3s-85f has block RAM .* at 104; choose"):
        BoardBuild(Network.load("mesh-16x16"), ULX3S)
    with pytest.raises(SpecError, match=r"seeds must be 1 or more, not 0"):
        make_bitstream(BoardBuild(network, ULX3S), seeds=0)
    with pytest.raises(SpecError, match=r"meters = 17: it must be 0\.\.16"):
        BoardBuild(network, ULX3S, meters=17)


@pytest.mark.nightly
def test_the_tools_themselves(tmp_path: Path) -> None:
    """A small network, from its file to a bitstream."""
    made = make_bitstream(BoardBuild(Network.load("reflex-2x2"), ULX3S))
    assert made.reached >= 35.0
    assert made.bits
    assert b"\xff\xff\xbd\xb3" in made.bits[:512]  # the preamble of an ECP5
    assert 300 < made.area.lut4 < 10_000
