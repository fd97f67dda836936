"""Verilog texts compiled, and small ones run, by Icarus Verilog alone."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

from syncfabric.sim.simulators.icarus import Icarus


def compiles(text: str, top: str, folder: Path) -> Path:
    """Compile a text as ``iverilog -g2012`` does; return the program."""
    source, program = folder / "text.v", folder / "text.vvp"
    source.write_text(text)
    command = [Icarus.find().compiler, "-g2012", "-s", top, "-o", str(program), str(source)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "error" not in run.stderr, run.stderr
    return program


def runs(text: str, top: str, folder: Path, files: Mapping[str, str]) -> str:
    """Compile and run a text in a folder that holds ``files``; return what it prints."""
    program = compiles(text, top, folder)
    for name, content in files.items():
        (folder / name).write_text(content)
    command = [Icarus.find().runtime, "-n", str(program)]
    run = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
    return run.stdout
