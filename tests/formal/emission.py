"""What Amaranth makes of a component and the Verilog that is emitted are the same, block by block.

A block's registers, memories and instances become ports of both: what is left is logic without a
clock, and Yosys proves that no values of its inputs give it different outputs.
"""

import os
import re
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from amaranth.lib import wiring

from syncfabric.fpga.blocks import BLOCKS
from syncfabric.fpga.tools import find_tool
from syncfabric.models.errors import ToolError
from syncfabric.sim.emit.blocks import Block, blocks_of
from syncfabric.sim.emit.module import Written
from syncfabric.sim.emit.naming import plain
from syncfabric.sim.emit.netlist import Cell, read
from tests.formal.engine import Verdict
from tests.sim.emit.parts import PARTS

SCRIPT = """
design -reset
read_rtlil {block}.il
rename {kind} gold
cd gold
{golden}
cd ..
read_verilog {block}.v
cd gate
{written}
cd ..
proc
memory_collect
memory_map
opt_dff -nodffe -nosdff
splitnets -ports gold gate
opt_clean
expose -shared -evert-dff -evert gold gate
opt_clean
miter -equiv -flatten -ignore_gold_x -make_outputs gold gate miter
sat -prove trigger 0 -set-def-inputs -dump_vcd {block}.vcd miter
"""


@dataclass(frozen=True)
class Emission:
    """A component whose Verilog is proved to be what Amaranth makes of it.

    Parameters
    ----------
    name : str
    make : callable
        Returns the component.
    """

    name: str
    make: Callable[[], wiring.Component]
    block: str = "sim/emit/module.py"

    def verdicts(self, traces: Path) -> list[Verdict]:
        """Prove it of each distinct block; a trace shows values for which the two differ."""
        begin = os.times()
        blocks = blocks_of(self.make(), "top")
        with tempfile.TemporaryDirectory() as name:
            folder, heads = Path(name), dict[str, str]()
            script = "".join(_script(block, heads, folder) for block in blocks)
            (folder / "same.ys").write_text(script)
            command = [find_tool("yosys").program, "-q", "-s", "same.ys"]
            run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            if run.returncode:
                raise ToolError(f"yosys failed with exit code {run.returncode}: {run.stderr}")
            differ = {path.stem: path for path in folder.glob("*.vcd")}
            for path in differ.values():
                traces.mkdir(parents=True, exist_ok=True)
                path.rename(traces / path.name)
        end = os.times()
        spent = (sum(end[:4]) - sum(begin[:4])) / len(blocks)
        return [
            Verdict(
                f"holds {block.name}",
                block.name not in differ,
                1,
                spent,
                str(traces / f"{block.name}.vcd") if block.name in differ else None,
            )
            for block in blocks
        ]


def _script(block: Block, heads: dict[str, str], folder: Path) -> str:
    """Return what proves it of a block; ``heads`` are those before it as empty modules."""
    netlist = read(block.text)
    gate = Written(netlist, block.outputs, "gate")
    ports = [(w.flow, w.width, gate.kept[w.name]) for w in netlist.wires.values() if w.flow]
    listed = ", ".join(f"{flow} [{width - 1}:0] {name}" for flow, width, name in ports)
    for cell in netlist.cells:
        if (kind := cell.kind.removeprefix("\\")) in block.outputs and kind not in heads:
            heads[kind] = _head(kind, _pins(cell, block.outputs[kind]))
    around = "".join(heads[kind] for kind in block.outputs)
    heads[block.name] = _head(block.name, listed)
    text = re.sub(
        r"(?m)^    connect \\(\S+)", lambda end: f"    connect \\{plain(end[1])}", block.text
    )
    (folder / f"{block.name}.il").write_text(text)
    (folder / f"{block.name}.v").write_text(gate.text + around)
    found = re.search(r"^module (\S+)", block.text, re.MULTILINE)
    assert found
    # Names that meet on both sides, whatever else is called so in one of them.
    golden = "\n".join(f"rename {old} \\both.{new}" for old, new in gate.kept.items())
    written = "\n".join(f"rename \\{new} \\both.{new}" for new in gate.kept.values())
    return SCRIPT.format(block=block.name, kind=found[1], golden=golden, written=written)


def _head(kind: str, ports: str) -> str:
    """Return a module of which nothing but its ports is known."""
    return f"(* blackbox *) module {kind} ({ports}); endmodule\n"


def _pins(cell: Cell, outputs: frozenset[str]) -> str:
    """Return the ports of a module that is not a component, by those of an instance."""
    return ", ".join(
        f"{'output' if end in outputs else 'input'} "
        f"[{max(1, sum(bits.width for bits in signal)) - 1}:0] {plain(end)}"
        for end, signal in cell.ends.items()
    )


def _of_block(name: str) -> Callable[[], wiring.Component]:
    return lambda: BLOCKS[name].make(BLOCKS[name].network())


SHOWN = (
    *("mesh-node", "torus-node", "router-adaptive", "router-engine-routed", "static-node"),
    *("node-interface", "router-engine-guarded", "mesh-node-streams-shared", "slots", "streams"),
    "stream-operator",
)
"""Blocks that together have every component of a network, but managers and cores: the memories of
these are too large to be taken apart."""

# Yosys takes what a port reads through a write from behind its register, the text from before it:
# tests.sim.emit compares memories in simulation.
EMISSIONS = (
    *(Emission(f"emission: {name}", part) for name, part in PARTS.items() if name != "stores"),
    *(Emission(f"emission: {name}", _of_block(name)) for name in SHOWN),
)
