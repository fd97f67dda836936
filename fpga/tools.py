"""Yosys and nextpnr: the system's where there are any that are newer, else those of PyPI."""

import fcntl
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from syncfabric.models.errors import ToolError, how_to_install
from syncfabric.sim.simulators.process import version_line


@dataclass(frozen=True)
class Tool:
    """A program and what it says of its version."""

    program: str
    version: str


def find_tool(name: str) -> Tool:
    """Find a program of the open FPGA tools.

    Parameters
    ----------
    name : str
        As a system calls it, for example ``yosys`` or ``nextpnr-ecp5``; PyPI's has ``yowasp-``
        before it.

    Raises
    ------
    ToolError
        There is neither.
    """
    found = []
    for candidate in (name, f"yowasp-{name}"):
        # PyPI's lies beside the interpreter, whether its environment is active or not.
        beside = Path(sys.executable).with_name(candidate)
        program = str(beside) if beside.is_file() else shutil.which(candidate)
        if program:
            found.append(Tool(program, _version(program)))
    if not found:
        raise ToolError(
            f"{name} is not on PATH, and neither is yowasp-{name}; {how_to_install('fpga')}"
        )
    return max(found, key=lambda tool: _numbers(tool.version))


def _version(program: str) -> str:
    # PyPI's compile themselves when they first start, into a file that all of them map. Who would
    # start one beside that compiles too, and writes over the file while others run from it.
    with open(program, "rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return version_line([program, "--version"])


def _numbers(version: str) -> tuple[int, ...]:
    match = re.search(r"\d+(\.\d+)+", version)
    return tuple(map(int, match[0].split("."))) if match else ()
