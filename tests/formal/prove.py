"""Proofs by induction: Yosys and z3 over all states and all inputs.

Usage: scripts/prove [WORD ...]    only proofs whose name holds one of the words
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from amaranth.back import rtlil
from amaranth.lib import wiring

from syncfabric.fpga.tools import find_tool
from syncfabric.models.networks.wires import WirePlane
from tests.formal.wires import SlotProof

__all__ = ["PROOFS", "main", "prove"]

DEPTH = 12
"""Cycles of the induction, and of the search from reset."""

# Small memories are quicker for the solver as flip-flops than as arrays.
PREPARE = (
    "prep -top top; memory_map; opt_clean; chformal -lower; async2sync; dffunmap; "
    "write_smt2 -wires proof.smt2"
)


def _slot(
    links: int, *, process: bool, p: int = 0, shared: bool = False, parity: bool = False, h: int = 0
) -> Callable[[], wiring.Component]:
    plane = WirePlane(1, 0, link_registers=p, shared=shared, parity=parity, watchdog=h)
    return lambda: SlotProof(plane, links, process=process)


PROOFS: dict[str, Callable[[], wiring.Component]] = {
    "router": _slot(4, process=True),
    "router, shared wires": _slot(4, process=True, shared=True),
    "router with parity and watchdog": _slot(4, process=True, parity=True, h=5),
    "router, long links": _slot(4, process=True, p=1),
    "router, longer links, shared, with parity": _slot(
        4, process=True, p=2, shared=True, parity=True
    ),
    "switch": _slot(8, process=False),
    "switch, shared wires, with parity": _slot(6, process=False, p=1, shared=True, parity=True),
    "interface": _slot(1, process=True, h=3),
    "interface, shared wires, long link": _slot(1, process=True, p=1, shared=True),
}


def prove(component: wiring.Component) -> str | None:
    """Return None if all assertions hold always, else what the solver says.

    Raises
    ------
    ToolError
        Yosys is missing.
    """
    yosys, checker = find_tool("yosys"), find_tool("yosys-smtbmc")
    beside = str(Path(sys.executable).parent)
    environment = {**os.environ, "PATH": f"{beside}{os.pathsep}{os.environ['PATH']}"}
    with tempfile.TemporaryDirectory() as folder:
        text = rtlil.convert(component, emit_src=False)
        (Path(folder) / "proof.il").write_text(text)

        def run(*command: str) -> tuple[int, str]:
            done = subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, text=True, check=False
            )
            return done.returncode, done.stdout + done.stderr

        code, said = run(yosys.program, "-q", "-p", f"read_rtlil proof.il; {PREPARE}")
        if code:
            return said
        for way in (["-t", str(DEPTH)], ["-i", "-t", str(DEPTH)]):
            code, said = run(checker.program, "-s", "z3", *way, "proof.smt2")
            if code:
                return f"{' '.join(way)}: {said[-3000:]}"
    return None


def main(words: list[str]) -> int:
    """Prove all, or those whose name holds a word; return 1 if one fails."""
    failed = 0
    for name, make in PROOFS.items():
        if words and not any(word in name for word in words):
            continue
        begin = time.perf_counter()
        wrong = prove(make())
        failed += wrong is not None
        print(f"{name}: {wrong or 'proven'} ({time.perf_counter() - begin:.0f} s)", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
