"""Netlists beside the golden model: what Yosys makes of a network is what it was."""

import random
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from syncfabric.fpga.designs import cell_models, netlist_named
from syncfabric.fpga.tools import Tool
from syncfabric.models.errors import SpecError, ToolError
from syncfabric.models.networks.reader import loads
from syncfabric.models.networks.spec import AnySpec
from syncfabric.models.planning.plan import make_plan
from syncfabric.models.planning.set_up_writes import set_up_writes
from syncfabric.sim.assemble.network import top_ports, verilog
from syncfabric.sim.assemble.verilog import ModuleWriter
from syncfabric.sim.drive.run import run
from syncfabric.sim.network import Network
from syncfabric.sim.request import Netlist, RunRequest
from syncfabric.sim.results import RunResult
from syncfabric.sim.vectors import StreamRequest

SMALLEST = """
name = "smallest"
[network]
kind = "mesh"
width = 2
height = 1
channels = 0
groups = 1
wires = 1
data_bits = 1
[[group]]
id = 1
members = "all"
planner = "wires"
"""
PACKETS = (
    SMALLEST.replace("channels = 0\n", "")
    .replace("wires = 1\n", "")
    .replace('planner = "wires"\n', "")
)
STREAM = SMALLEST.replace("wires = 1\n", "wires = 1\nstreams = 1\n") + "stream = true\n"
MESSAGES = SMALLEST.replace("wires = 1\n", "").replace('planner = "wires"\n', "")
NETWORKS = {
    "wires": SMALLEST,
    "mesh": """
        name = "larger"
        [network]
        kind = "mesh"
        width = 4
        height = 4
        [[group]]
        id = 1
        members = "all"
        [[group]]
        id = 2
        members = [[0, 0], [3, 1], [2, 2]]
        """,
    "irregular": """
        name = "larger"
        [network]
        kind = "irregular"
        ports = 4
        switches = 2
        links = [[[0, 3], [1, 3]]]
        nodes = [[0, 0], [1, 0], [1, 1]]
        [[group]]
        id = 1
        members = "all"
        """,
    "static": """
        name = "larger"
        [network]
        kind = "static"
        width = 2
        height = 2
        [[group]]
        id = 1
        members = "all"
        """,
}


PARTS = (0.1, 0.3, 0.6)
"""Where in the netlist a LUT is broken; one may feed only what the network's bench sees."""

APART = 40
"""Cycles from one request at the config port to the next: it has been answered by then."""


MANY = """
name = "many"
[network]
kind = "mesh"
width = {side}
height = {side}
groups = 16
wires = 2
streams = 1
[[group]]
id = 1
members = "all"
stream = true
""" + "".join(
    f"[[group]]\nid = {gid}\nmembers = {{{{ random = {2 + gid % 3}, seed = {gid} }}}}\n"
    for gid in range(2, 17)
)


def barriers(text: str, netlist: Netlist, **keys: Any) -> RunResult:
    plan = make_plan(loads(text))
    return run(plan, RunRequest(sim="icarus", netlist=netlist, **{"episodes": 4, **keys}))


def broken(netlist: Netlist, part: float) -> Netlist:
    """Return the same with one LUT inverted: the one at this part of all."""

    def make(spec: AnySpec, top: str) -> str:
        text = netlist.make(spec, top)
        luts = list(re.finditer(r"LUT4 #\(\s*\.INIT\(16'h(\w+)\)", text))
        lut = luts[int(part * len(luts))]
        other = f"{0xFFFF ^ int(lut[1], 16):04x}"
        return text[: lut.start(1)] + other + text[lut.end(1) :]

    return Netlist("broken", make)


def beside(netlist: Netlist, folder: Path) -> tuple[int, int]:
    """Drive RTL and netlist alike; return cycles that differ, and cycles with a release.

    Barriers are set up, then all is at random; config port and groups' ends from half of the cycles
    on.
    """
    plan = make_plan(loads(MESSAGES))
    spec = plan.spec.network
    ports = [(flow, name, width or 1) for flow, name, width in top_ports(spec) if width != 0]
    inputs = [port for port in ports if port[0] == "input" and port[1] not in ("clk", "rst")]
    outputs = [port for port in ports if port[0] == "output"]
    bench = ModuleWriter("bench")
    bench.lines("  reg clk = 0, rst = 1; integer t, differ = 0, released = 0;")
    for _, name, width in inputs:
        bench.lines(f"  reg [{width - 1}:0] {name} = 0;")
    for module in ("rtl", "mapped"):
        for _, name, width in outputs:
            bench.wire(f"{module}_{name}", width)
        joined = {name: f"{module}_{name}" for _, name, _ in outputs}
        joined |= {name: name for flow, name, _ in ports if flow == "input"}
        bench.instance(module, module, dict(joined))
    seen = [", ".join(f"{module}_{name}" for _, name, _ in outputs) for module in ("rtl", "mapped")]
    driven = "\n".join(f"        {name} = $random;" for _, name, _ in inputs)
    writes = "\n".join(
        f"if (t == {APART * (i + 1)}) begin config_valid = 1; config_node = {write.target}; "
        f"config_address = {write.address}; config_data = {write.value}; end"
        for i, write in enumerate(set_up_writes(plan))
    )
    bench.lines(f"""
      initial begin
        for (t = 0; t < 3000; t = t + 1) begin
          #1 clk = 1; #1 clk = 0; rst = t < 4;
{driven}
          config_valid = t > 1500 && t % {APART} == 0; config_write = 1;
          if (t <= 1500) last = 0;
{writes}
          #1 if (t > 4 && {{{seen[0]}}} !== {{{seen[1]}}}) differ = differ + 1;
          if (t > 4 && rtl_released !== 0) released = released + 1;
        end
        $display("%0d %0d", differ, released);
        $finish;
      end""")
    texts = [verilog(spec, "rtl"), netlist.make(spec, "mapped"), bench.text()]
    source, program = folder / f"{netlist.name}.v", folder / netlist.name
    source.write_text("\n".join(texts))
    subprocess.run(["iverilog", "-g2012", "-s", "bench", "-o", program, source], check=True)
    run = subprocess.run(["vvp", "-n", program], capture_output=True, text=True, check=True)
    differ, released = map(int, run.stdout.split()[:2])
    return differ, released


@pytest.mark.nightly
def test_a_netlist_is_as_its_rtl_and_a_broken_cell_is_seen(tmp_path: Path) -> None:
    netlist = netlist_named("ecp5")
    differ, released = beside(netlist, tmp_path)
    assert not differ
    assert released > 10
    seen = [part for part in PARTS if beside(broken(netlist, part), tmp_path)[0]]
    assert len(seen) >= 2, seen


@pytest.mark.nightly
@pytest.mark.parametrize("kind", NETWORKS)
def test_networks_are_as_the_model(kind: str) -> None:
    background = 0.1 if kind in ("mesh", "irregular") else 0.0
    result = barriers(NETWORKS[kind], netlist_named("ecp5"), background=background)
    assert result.verdict == "match", result.reason
    assert result.groups[0].episodes == 4


def from_any_state(netlist: Netlist, seed: int) -> Netlist:
    """Return the same with flip-flops and LUT RAM that begin with 0 or 1, each bit by itself."""
    draws = random.Random(seed)

    def make(spec: AnySpec, top: str) -> str:
        model, initial = "module TRELLIS_FF(", "initial Q = srval;"
        whole = netlist.make(spec, top).replace(
            "mem[i] <= INITVAL[4*i +: 4];", "mem[i] <= $random;"
        )
        cells, begin, text = whole.partition(model)
        assert text.count(initial) == 1
        text = text.replace(initial, "parameter FIRST = 0; initial Q = FIRST;")
        text, count = re.subn(
            r"\bTRELLIS_FF #\(", lambda cell: f"{cell[0]}.FIRST({draws.getrandbits(1)}), ", text
        )
        assert count > 100
        return cells + begin + text

    return Netlist(f"seed {seed}", make)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("name", ["wires", "static", "packets", "streams"])
def test_reset_ends_any_state(name: str, seed: int) -> None:
    text = {**NETWORKS, "packets": PACKETS, "streams": STREAM}[name]
    background = 0.1 if name == "packets" else 0.0
    stream = StreamRequest("allreduce", words=16) if name == "streams" else None
    netlist = from_any_state(netlist_named("ecp5"), seed)
    result = barriers(text, netlist, background=background, stream=stream)
    assert result.verdict == "match", result.reason


@pytest.mark.nightly
@pytest.mark.parametrize("side", [2, 4])
def test_many_groups_streams_and_packets_from_any_state(side: int) -> None:
    netlist, stream = from_any_state(netlist_named("ecp5"), 1), StreamRequest("allreduce", words=16)
    text = MANY.format(side=side)
    result = barriers(text, netlist, episodes=1, background=0.05, stream=stream)
    assert result.verdict == "match", result.reason
    assert len(result.groups) == 16
    assert {group.episodes for group in result.groups} == {1}
    assert result.events
    assert result.events.packets > 10
    assert [each.words for each in result.streams or ()] == [16]


@pytest.mark.nightly
def test_a_state_that_no_reset_ends_is_seen() -> None:
    netlist = from_any_state(netlist_named("ecp5"), 1)

    def make(spec: AnySpec, top: str) -> str:
        text = netlist.make(spec, top)
        assert text.count("if (muxlsr)") == 2
        return text.replace("if (muxlsr)", "if (1'b0)")

    assert barriers(SMALLEST, Netlist("no reset", make)).verdict != "match"


@pytest.mark.nightly
def test_the_network_bench_sees_a_broken_cell() -> None:
    assert barriers(SMALLEST, broken(netlist_named("ecp5"), 0.5)).verdict != "match"


def test_under_icarus_alone() -> None:
    network = Network.loads(SMALLEST)
    netlist = Netlist("ecp5", lambda spec, top: "")
    with pytest.raises(SpecError, match="netlist = ecp5 runs under icarus alone"):
        network.run("verilator", netlist=netlist)
    with pytest.raises(SpecError, match="netlist must be ecp5, not 'z80'"):
        netlist_named("z80")


MODELS = """
(* blackbox *)
module RAM(input A); endmodule
(* abc9_lut=1 *)
module LUT4(input A, output Z);
  assign Z = A;
  specify
    (A => Z) = 1;
  endspecify
endmodule
module CCU2C(input A, output Z);
  LUT4 lut(.A(A), .Z(Z));
endmodule
module ODD(); $error("not for every simulator"); endmodule
"""


def test_models_are_those_of_the_cells_and_of_what_is_in_them(tmp_path: Path) -> None:
    share = tmp_path / "share/yosys/ecp5"
    share.mkdir(parents=True)
    for name in ("cells_sim.v", "common_sim.vh"):  # they include each other
        (share / name).write_text(MODELS)
    yosys = Tool(str(tmp_path / "bin/yosys"), "")
    text = cell_models(yosys, "module top;\n  CCU2C a (\n    .A(1'b0)\n  );\nendmodule\n")
    assert re.findall(r"module (\w+)", text) == ["CCU2C", "LUT4"]
    assert "specify" not in text
    with pytest.raises(ToolError, match="cells RAM, of which Yosys has no model"):
        cell_models(yosys, "  RAM a (\n")
    with pytest.raises(ToolError, match="cells DSP, of which"):
        cell_models(yosys, "  DSP a (\n")
    with pytest.raises(ToolError, match=r"has no ecp5/cells_sim\.v in"):
        cell_models(Tool(str(tmp_path / "away/bin/yosys"), ""), "")
