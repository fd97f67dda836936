"""One build of a block with all its mutants in it, of which an input chooses one."""

import dataclasses
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from amaranth.back import rtlil
from amaranth.lib import wiring

from syncfabric.fpga.tools import find_tool
from syncfabric.models.cache import fingerprint
from syncfabric.sim.simulators.base import Design
from syncfabric.sim.simulators.cache import Cache
from syncfabric.sim.simulators.verilator import Verilator
from tests.rtl.support import ports

CHOICE = "mutant"
"""The input that chooses a mutant by its number; 0 is the block as it is."""

SCRIPT = """
read_rtlil block.il
hierarchy -top block
proc
flatten
opt -full -nodffe -nosdff
memory -nomap
pmuxtree
zinit -all
opt_clean -purge
write_rtlil plain.il
mutate -list {count} -seed {seed} -ctrl {choice} {width} 1 -o list.txt
"""
APPLY = """
read_rtlil plain.il
script list.txt
write_rtlil mutated.il
write_verilog -noattr mutated.v
"""
CPP = """
#include "Vblock.h"
#include "verilated.h"
struct Device {{ VerilatedContext context; Vblock block{{&context}}; }};
extern "C" {{
void* device_make() {{ return new Device; }}
void device_drop(void* d) {{ delete static_cast<Device*>(d); }}
void device_eval(void* d) {{ static_cast<Device*>(d)->block.eval(); }}
void device_edge(void* d) {{
    Vblock& b = static_cast<Device*>(d)->block;
    b.clk = 1, b.eval(), b.clk = 0, b.eval();
}}
void* device_port(void* d, int port) {{
    Vblock& b = static_cast<Device*>(d)->block;
    void* ports[] = {{{ports}}};
    return ports[port];
}}
}}
"""


@dataclass(frozen=True)
class Mutants:
    """A block's mutants, and where their netlists and their build are.

    Parameters
    ----------
    texts : tuple of str
        What is changed, from mutant 1 on.
    width : int
        Bits of the input that chooses.
    plain, mutated : str
        The block as it is, and with that input, in RTLIL.
    verilog : str
        The latter in Verilog.
    library : Path
        Shared library with the functions of `CPP`.
    ports : dict
        Direction and width of each port but clock and reset, in the order of `device_port`,
        which begins with `rst` and the choice.
    """

    texts: tuple[str, ...]
    width: int
    plain: str
    mutated: str
    verilog: str
    library: Path
    ports: dict[str, tuple[str, int]]


def yosys(folder: Path, script: str) -> None:
    """Run a script in a folder.

    Raises
    ------
    RuntimeError
        Yosys refuses it.
    """
    (folder / "script.ys").write_text(script)
    done = subprocess.run(
        [find_tool("yosys").program, "-q", "-s", "script.ys"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=1800,  # `mutate` never ends if it is asked for more mutants than there are
    )
    if done.returncode:
        raise RuntimeError(f"Yosys: {(done.stdout + done.stderr)[-2000:]}")


def mutants_of(component: wiring.Component, count: int, seed: int) -> Mutants:
    """Draw mutants of a component and build them, or take them from the cache.

    Raises
    ------
    ToolError
        Yosys, Verilator or the C++ compiler is missing.
    """
    tool, width = find_tool("yosys"), count.bit_length()
    text = rtlil.convert(component, name="block", emit_src=False)
    script = SCRIPT.format(count=count, seed=seed, choice=CHOICE, width=width)

    def make(scratch: Path, result: Path) -> None:
        (scratch / "block.il").write_text(text)
        yosys(scratch, script)
        # A memory that is read without a clock has no enable or reset that could be changed.
        drawn = (scratch / "list.txt").read_text().splitlines()
        kept = [line for line in drawn if not re.search(r"-port \\?RD_(EN|ARST|SRST)\b", line)]
        numbered = [
            re.sub(r"(-ctrl \S+ \d+) \d+", rf"\1 {n}", line) for n, line in enumerate(kept, 1)
        ]
        (scratch / "list.txt").write_text("".join(f"{line}\n" for line in numbered))
        yosys(scratch, APPLY)
        for name in ("plain.il", "mutated.il", "list.txt"):
            (scratch / name).rename(result / name)
        (scratch / "mutated.v").rename(result / "block.v")

    settings: dict[str, object] = {"text": text, "script": script + APPLY, "tool": tool.version}
    key = fingerprint(settings, [])
    folder, _ = Cache().get(key, make)
    found = {name: shape for name, shape in ports(component).items() if shape[1]}
    addresses = ", ".join(f"&b.{name}" for name in ("rst", CHOICE, *map(_cpp, found)))
    with tempfile.TemporaryDirectory() as name:
        main = Path(name, "main.cpp")
        main.write_text(CPP.format(ports=addresses))
        built = dataclasses.replace(Verilator.find(), opt_fast="-O1").build_native(
            [Design("block", [folder / "block.v"])],
            main,
            flags=["-Wno-WIDTH", "-CFLAGS", "-fPIC", "-LDFLAGS", "-shared"],
        )
    lines = (folder / "list.txt").read_text().splitlines()
    return Mutants(
        tuple(line.partition("-mode ")[2] for line in lines),
        width,
        (folder / "plain.il").read_text(),
        (folder / "mutated.il").read_text(),
        (folder / "block.v").read_text(),
        built.program,
        found,
    )


def _cpp(name: str) -> str:
    """Return a port's name as Verilator has it, which keeps `__` to itself."""
    return name.replace("__", "___05F")
