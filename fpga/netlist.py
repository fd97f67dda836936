"""A design as the cells of an FPGA: Yosys, kept by content."""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from syncfabric.fpga.devices import Device
from syncfabric.fpga.tools import Tool
from syncfabric.models.cache import fingerprint
from syncfabric.sim.simulators.cache import Cache
from syncfabric.sim.simulators.process import run_tool

# What a module's instance has to do with constants at its ports is known only once it is mapped:
# a flip-flop that never leaves its first value, and a RAM that is never written, are constants too.
_CONSTANT = """
(* techmap_celltype = "TRELLIS_FF" *)
module constant_ff (input CLK, LSR, CE, DI, M, output Q);
  parameter GSR = "ENABLED", CEMUX = "1", CLKMUX = "CLK", LSRMUX = "LSR";
  parameter SRMODE = "LSR_OVER_CE", REGSET = "RESET", LSRMODE = "LSR";
  parameter _TECHMAP_CONSTMSK_DI_ = 0, _TECHMAP_CONSTVAL_DI_ = 0;
  parameter _TECHMAP_CONSTMSK_CE_ = 0, _TECHMAP_CONSTVAL_CE_ = 0;
  localparam first = REGSET == "SET";
  localparam stays = _TECHMAP_CONSTMSK_DI_ === 1'b1 && _TECHMAP_CONSTVAL_DI_ === first;
  localparam off = _TECHMAP_CONSTMSK_CE_ === 1'b1 && _TECHMAP_CONSTVAL_CE_ === 1'b0;
  wire _TECHMAP_FAIL_ = LSRMODE != "LSR" || !(stays || (CEMUX == "CE" && off));
  assign Q = first;
endmodule
(* techmap_celltype = "TRELLIS_DPR16X4" *)
module constant_ram (input [3:0] DI, WAD, RAD, input WRE, WCK, output [3:0] DO);
  parameter WCKMUX = "WCK", WREMUX = "WRE";
  parameter [63:0] INITVAL = 0;
  parameter _TECHMAP_CONSTMSK_WRE_ = 0, _TECHMAP_CONSTVAL_WRE_ = 0;
  localparam off = _TECHMAP_CONSTMSK_WRE_ === 1'b1 && _TECHMAP_CONSTVAL_WRE_ === 1'b0;
  wire _TECHMAP_FAIL_ = WREMUX != "WRE" || !off || INITVAL != 0;
  assign DO = 0;
endmodule
(* techmap_celltype = "late_in late_out" *)
module not_late (input i, output o);
  assign o = i;
endmodule
"""
# A link's signals pass much logic in the neighbour, before and after. Mapping takes each module by
# itself and would let them wait: so boxes that are wires in the end say it.
_LATE = """
(* abc9_box, blackbox *)
module late_in (input i, output o);
  specify (i => o) = 3000; endspecify
endmodule
(* abc9_box, blackbox *)
module late_out (input i, output o);
  specify (i => o) = 800; endspecify
endmodule
"""
_ROUND = (
    *("opt_lut_ins", "opt_expr", "techmap -map constant.v", "opt_merge", "opt_clean") * 2,
    "opt_lut",
)
_ROUNDS = 4
"""A constant goes a few cells further in each; on a 4x4 mesh more change nothing."""


@dataclass(frozen=True)
class Design:
    """What is to be synthesized.

    Parameters
    ----------
    name : str
        Also its top module's, with ``-`` as ``_``.
    verilog : str
    around : int
        Registers around it that are not its own.
    repeated : tuple of str
        Modules that stand in it many times: on an ECP5 each is mapped once, and what its instances
        have of constants at their ports is worked in afterwards.
    chained : bool
        On an ECP5 it is placed between four pins, its ports in a chain of registers.
    macro : str
        A module that is mapped by itself on an ECP5, as a macro is hardened; none: all is one.
    """

    name: str
    verilog: str
    around: int = 0
    repeated: tuple[str, ...] = ()
    chained: bool = False
    macro: str = ""

    @property
    def top(self) -> str:
        """The top module's name."""
        return self.name.replace("-", "_")


def netlist_of(design: Design, device: Device, yosys: Tool) -> Path:
    """Return the folder of a design's netlist, ``netlist.json``, and its cells, ``cells.json``.

    Raises
    ------
    ToolError
        Yosys failed.
    """
    commands = [*_mapped(design, device), "write_json netlist.json"]
    commands.append("tee -q -o stat.json stat -json")

    def make(scratch: Path, result: Path) -> None:
        _run(design, yosys, commands, scratch)
        stat = json.loads((scratch / "stat.json").read_text())
        cells = stat["design"]["num_cells_by_type"]
        (result / "cells.json").write_text(json.dumps(cells))
        (scratch / "netlist.json").rename(result / "netlist.json")

    return Cache().get(_key(design, yosys, commands), make)[0]


def netlist_verilog(
    design: Design, device: Device, yosys: Tool, *, kept: Sequence[str] = ()
) -> str:
    """Return a design's netlist as Verilog, of cells of the device that can be simulated.

    These are all but block RAM, of which Yosys has no model: LUT RAM stands in its place.

    Parameters
    ----------
    design : Design
    device : Device
    yosys : Tool
    kept : sequence of str
        Wires that stay though nothing reads them, by patterns. A wire ``w`` of the instance ``i``
        is called ``i.w``.

    Raises
    ------
    ToolError
        Yosys failed.
    """
    keeps = [f"setattr -set keep 1 w:{pattern}" for pattern in kept]
    commands = [*_mapped(design, device, keeps, " -nobram"), "write_verilog -noattr netlist.v"]

    def make(scratch: Path, result: Path) -> None:
        _run(design, yosys, commands, scratch)
        (scratch / "netlist.v").rename(result / "netlist.v")

    return (Cache().get(_key(design, yosys, commands), make)[0] / "netlist.v").read_text()


# Yosys takes the register before a LUT RAM's address into the memory, and brings it out again
# beside the first one, unlike it in its enable and reset: with these worked out the two are equal.
_MERGED = "dffunmap", "opt_merge", "opt_dff", "opt_clean"


def _mapped(
    design: Design, device: Device, flat: Sequence[str] = (), options: str = ""
) -> list[str]:
    """Return the commands that map a design; those of ``flat`` come when it is one module."""
    *settings, command = device.synthesis
    command = f"{command} -top {design.top}{options}"
    if device.family != "ecp5":
        return [*settings, command, *flat]
    if not design.repeated:
        steps = f"{command} -run :map_gates", *_MERGED, f"{command} -run map_gates:"
        if design.macro:
            apart = f"setattr -mod -set keep_hierarchy 1 {design.macro}"
            one = "setattr -mod -unset keep_hierarchy *", "flatten", f"{command} -run map_cells:"
            return [apart, *settings, *steps[:-1], f"{steps[-1]}map_cells", *one, *flat]
        return [*settings, *steps, *flat]
    links = " ".join(f"{module}/w:{end}_*" for module in design.repeated for end in ("in", "out"))
    return [
        f"setattr -mod -set keep_hierarchy 1 {' '.join(design.repeated)}",
        *settings,
        "read_verilog -lib -specify late.v",
        f"{command} -run :map_ram",
        f"iopadmap -bits -inpad late_in o:i -outpad late_out i:o {links}",
        f"{command} -run map_ram:map_gates",
        *_MERGED,
        f"{command} -run map_gates:map_cells",
        "setattr -mod -unset keep_hierarchy *",
        "flatten",
        *flat,
        *_ROUND * _ROUNDS,
        f"{command} -run map_cells:",
    ]


def _key(design: Design, yosys: Tool, commands: Sequence[str]) -> str:
    settings = {
        "yosys": yosys.version,
        "commands": list(commands),
        "constant": _CONSTANT,
        "late": _LATE,
        "design": design.verilog,
    }
    return fingerprint(settings, ())


def _run(design: Design, yosys: Tool, commands: Sequence[str], scratch: Path) -> None:
    """Run Yosys on a design, in a folder."""
    (scratch / "design.v").write_text(design.verilog)
    (scratch / "constant.v").write_text(_CONSTANT)
    (scratch / "late.v").write_text(_LATE)
    script = "; ".join(["read_verilog design.v", *commands])
    command = [yosys.program, "-q", "-p", script]
    run_tool("yosys", command, scratch / "yosys.log", folder=scratch, environment=os.environ)


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
    wires, bits = {True: "given", False: "driven"}, {True: 0, False: 0}
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
  wire [{bits[False] - 1}:0] driven;
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
      LUT4 #(.INIT(16'h6666)) mix (.A(driven[i]), .B(passed[i]), .C(1'b0), .D(1'b0), .Z(mixed));
      {_REGISTER}
        kept (.CLK(clk), .LSR(1'b0), .DI(mixed), .Q(passed[i + 1]));
    end
  endgenerate
  {top} block (
{block}
  );
endmodule
"""
