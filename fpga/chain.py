"""A whole network between four pins, so that it is placed as on a chip of its own."""

import json
import os
from pathlib import Path

from syncfabric.fpga.tools import Tool
from syncfabric.sim.simulators.cache import Cache, fingerprint
from syncfabric.sim.simulators.process import run_tool

__all__ = ["chain_verilog", "chained_netlist"]

_TOP = "chain"
_REGISTER = (
    'TRELLIS_FF #(.GSR("DISABLED"), .CEMUX("1"), .CLKMUX("CLK"), .LSRMUX("LSR"), .REGSET("RESET"))'
)


def chained_netlist(netlist: Path, top: str, yosys: Tool) -> Path:
    """Return the folder of a mapped network's netlist with a chain of registers around it.

    A network has more ports than an ECP5 has pins; and a netlist that is placed without pins has
    no global clock, so that tens of thousands of flip-flops would be clocked over ordinary wires.

    Parameters
    ----------
    netlist : path
        Folder of its own, as ``netlist_of`` returns it.
    top : str
        Its module.
    yosys : Tool

    Raises
    ------
    ToolError
        Yosys failed.
    """
    mapped = netlist / "netlist.json"

    def make(scratch: Path, result: Path) -> None:
        ports = json.loads(mapped.read_text())["modules"][top]["ports"]
        (scratch / "netlist.json").write_bytes(mapped.read_bytes())
        widths = {name: len(port["bits"]) for name, port in ports.items()}
        inputs = [name for name, port in ports.items() if port["direction"] == "input"]
        (scratch / "chain.v").write_text(chain_verilog(top, widths, frozenset(inputs)))
        commands = ["read_json netlist.json", "read_verilog chain.v", f"hierarchy -top {_TOP}"]
        commands += ["flatten", "clean", "write_json chained.json"]
        run_tool(
            "yosys",
            [yosys.program, "-q", "-p", "; ".join(commands)],
            scratch / "yosys.log",
            folder=scratch,
            environment=os.environ,
        )
        (scratch / "chained.json").rename(result / "netlist.json")

    # The ports are the netlist's own; without them this is what else the chain's text depends on.
    settings = {"chained": netlist.name, "chain": chain_verilog(top, {}, frozenset())}
    return Cache().get(fingerprint({**settings, "yosys": yosys.version}, ()), make)[0]


def chain_verilog(top: str, widths: dict[str, int], inputs: frozenset[str]) -> str:
    """Return the chain: a register before each bit of the inputs, one after each of the outputs.

    Parameters
    ----------
    top : str
        Module between them, with the inputs ``clk`` and ``rst``.
    widths : dict of str to int
        Bits of all its ports.
    inputs : set of str
        Those that come in.
    """
    wires, bits = {True: "given", False: "shown"}, {True: 0, False: 0}
    connected = ["    .clk(clk), .rst(rst)"]
    for name, width in widths.items():
        if name not in ("clk", "rst"):
            comes = name in inputs
            low = bits[comes]
            bits[comes] += width
            connected.append(f"    .{name}({wires[comes]}[{low + width - 1}:{low}])")
    block = ",\n".join(connected)
    return f"""module {_TOP} (input wire clk, input wire rst, input wire first, output wire last);
  wire [{bits[True] - 1}:0] given;
  wire [{bits[True]}:0] line = {{given, first}};
  wire [{bits[False] - 1}:0] shown;
  wire [{bits[False]}:0] passed;
  assign passed[0] = given[{bits[True] - 1}];
  assign last = passed[{bits[False]}];
  genvar i;
  generate
    for (i = 0; i < {bits[True]}; i = i + 1) begin : before
      {_REGISTER}
        kept (.CLK(clk), .LSR(1'b0), .DI(line[i]), .Q(given[i]));
    end
    for (i = 0; i < {bits[False]}; i = i + 1) begin : after
      wire mixed;
      LUT4 #(.INIT(16'h6666)) mix (.A(shown[i]), .B(passed[i]), .C(1'b0), .D(1'b0), .Z(mixed));
      {_REGISTER}
        kept (.CLK(clk), .LSR(1'b0), .DI(mixed), .Q(passed[i + 1]));
    end
  endgenerate
  {top} block (
{block}
  );
endmodule
"""
