"""Emitted Verilog does what Amaranth's simulator does, and is as tools and readers want it."""

import os
import random
import re
import subprocess
from pathlib import Path

import pytest

from syncfabric.sim.assemble.verilog import convert, ports_of
from syncfabric.sim.emit.naming import plain
from syncfabric.sim.simulators.verilator import Verilator
from tests.rtl.support import clocked, ports
from tests.sim.assemble.icarus import runs
from tests.sim.emit.parts import PARTS

CYCLES = 300
BENCH = """
module bench;
  reg clk = 0;
  reg [{last}:0] stimulus [0:{most}];
  reg [{last}:0] word;
  integer i;
  {wires}
  part part ({pins});
  initial begin
    $readmemh("stimulus.hex", stimulus);
    for (i = 0; i < {cycles}; i = i + 1) begin
      word = stimulus[i]; #1 $display("{form}"{shown}); #1 clk = 1; #1 clk = 0;
    end
  end
endmodule
"""


def stimuli(name: str) -> list[dict[str, int]]:
    """Return inputs of each cycle; the first two are a reset."""
    rng = random.Random(name)
    widths = {n: bits for n, (flow, bits) in ports(PARTS[name]()).items() if flow == "in" and bits}
    words = [{n: rng.getrandbits(width) for n, width in widths.items()} for _ in range(CYCLES)]
    for i, word in enumerate(words):
        # A memory's output has no reset in Verilog: it is known once there has been a read.
        word["rst"] = int(i < 2 or (rng.random() < 0.02 and "read" not in word))
        word |= {"read": 1} if i < 2 and "read" in word else {}
    return words


@pytest.mark.icarus
@pytest.mark.parametrize("name", PARTS)
def test_it_does_what_amaranth_does(name: str, tmp_path: Path) -> None:
    words = stimuli(name)
    text = convert(PARTS[name](), "part")
    found = ports_of(text, "part")
    inputs = {port: width for port, (comes_in, width) in found.items() if comes_in}
    outputs = [port for port, (comes_in, _) in found.items() if not comes_in]
    pins, at, lines = [], 0, []
    for port, width in inputs.items():
        pins.append(f".{port}({'clk' if port == 'clk' else f'word[{at + width - 1}:{at}]'})")
        at += 0 if port == "clk" else width
    for word in words:
        packed, at = 0, 0
        for port, width in inputs.items():
            if port != "clk":
                packed |= word[port] << at
                at += width
        lines.append(f"{packed:x}")
    wires = " ".join(f"wire [{found[port][1] - 1}:0] {port};" for port in outputs)
    bench = BENCH.format(
        last=max(0, at - 1),
        cycles=CYCLES,
        most=CYCLES - 1,
        wires=wires,
        pins=", ".join([*pins, *(f".{port}({port})" for port in outputs)]),
        form=" ".join(["%b"] * len(outputs)),
        shown="".join(f", {port}" for port in outputs),
    )
    said = runs(text + bench, "bench", tmp_path, {"stimulus.hex": "\n".join(lines)})
    printed = [line for line in said.splitlines() if not line.strip("01x ")]
    expected = clocked(PARTS[name](), words)
    names = {plain(port): port for port in expected[0]}
    for cycle, (line, wanted) in enumerate(zip(printed, expected, strict=True)):
        if cycle < 2:
            continue
        got = dict(zip(outputs, line.split(), strict=True))
        for port, bits in got.items():
            value = wanted[names[port]] & (1 << len(bits)) - 1
            assert bits == f"{value:0{len(bits)}b}", (cycle, port)


@pytest.mark.parametrize("name", PARTS)
def test_tools_have_nothing_to_say(name: str, tmp_path: Path) -> None:
    """Each module in a file of its own, as -Wall wants it."""
    text = convert(PARTS[name](), "part")
    for module in re.finditer(r"^module (\w+).*?^endmodule\n", text, re.M | re.S):
        (tmp_path / f"{module[1]}.v").write_text(module[0])
    tool = Verilator.find()
    command = [tool.program, "--lint-only", "-Wall", "-y", str(tmp_path), "--top-module", "part"]
    command.append(str(tmp_path / "part.v"))
    environment = {**os.environ, **tool.environment}
    run = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert (run.returncode, run.stderr) == (0, "")


def test_a_module_a_distinct_component() -> None:
    text = convert(PARTS["whole"](), "part")
    modules = [re.sub("__.*", "", found) for found in re.findall(r"^module (\w+) \(", text, re.M)]
    assert modules == ["part", "counter", "counter", "counter"]  # one is cleared, one is wide
    assert text.count("    .more(") == 3


def test_a_header_says_what_a_module_is() -> None:
    text = convert(PARTS["whole"](), "part")
    header = "// Counts events; see also more.\n//\n// Rules: docs/ports.md.\n// bits = 6\n"
    assert header in text
    assert re.search(r"input  wire more,? +// One more$", text, re.M)
    assert re.search(r"output reg  \[5:0\] count +// How many there were$", text, re.M)
    assert "release_" in ports_of(text, "part")
    assert "nothing" not in text
