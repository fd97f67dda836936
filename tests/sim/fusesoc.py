"""FuseSoC on the core files of a folder."""

import os
import subprocess
import sys
from pathlib import Path

from syncfabric.sim.simulators import Verilator

__all__ = ["lint", "set_up"]


def set_up(folder: Path, core: str, target: str) -> Path:
    """Let FuseSoC set up a target of a core, ``LIBRARY:NAME``; return where its files are."""
    program = Path(sys.executable).with_name("fusesoc")
    assert program.exists(), "fusesoc is missing; install the extra dev"
    command = [str(program), "--cores-root", ".", "run", f"--target={target}", "--setup"]
    subprocess.run([*command, f"syncfabric:{core}"], cwd=folder, capture_output=True, check=True)
    (found,) = (folder / "build").glob(f"*/{target}")
    return found


def lint(folder: Path) -> None:
    """See that Verilator has nothing to say of what the target ``lint`` gives it."""
    (options,) = folder.glob("*.vc")
    tool = Verilator.find()
    run = subprocess.run(
        [tool.program, "-f", options.name],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **tool.environment},
    )
    assert (run.returncode, run.stderr) == (0, "")
