"""The chain of registers around a network that is placed."""

import json
from pathlib import Path

import pytest

from syncfabric.fpga.devices import device_named
from syncfabric.fpga.netlist import Design, chained_netlist, netlist_of
from syncfabric.fpga.tools import find_tool

VERILOG = """
module small (input clk, input rst, input [2:0] a, input b, output reg [1:0] x, output y);
  always @(posedge clk) if (rst) x <= 0; else x <= a[1:0] ^ {2{b}};
  assign y = a[2];
endmodule
"""
FLIP_FLOPS, INPUTS, OUTPUTS = 2, 4, 3


@pytest.mark.nightly
def test_every_port_is_between_registers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYNCFABRIC_CACHE", str(tmp_path))
    yosys = find_tool("yosys")
    netlist = netlist_of(Design("small", VERILOG), device_named("ecp5-25k"), yosys)
    folder = chained_netlist(netlist, "small", yosys)
    module = json.loads((folder / "netlist.json").read_text())["modules"]["chain"]
    assert set(module["ports"]) == {"clk", "rst", "first", "last"}
    cells = module["cells"].values()
    kept = [cell["connections"] for cell in cells if cell["type"] == "TRELLIS_FF"]
    assert len(kept) == FLIP_FLOPS + INPUTS + OUTPUTS
    (clk,) = module["ports"]["clk"]["bits"]
    assert all(one["CLK"] == [clk] for one in kept)

    # From the first pin through one register after the other to the last.
    (wire,), passed = module["ports"]["first"]["bits"], 0
    mixes = {
        bit: cell["connections"]["Z"][0]
        for cell in cells
        if cell["type"] == "LUT4"
        for bit in cell["connections"]["B"]
    }
    while [wire] != module["ports"]["last"]["bits"]:
        wire = wire if passed < INPUTS else mixes[wire]
        (wire,) = next(one["Q"] for one in kept if one["DI"] == [wire])
        passed += 1
    assert passed == INPUTS + OUTPUTS
