"""Verilog texts checked by Verilator's lint."""

import os
import subprocess
from pathlib import Path

from syncfabric.sim.simulators.base import LINT_OFF
from syncfabric.sim.simulators.verilator import Verilator


def lints(text: str, top: str, folder: Path) -> None:
    """See that Verilator takes a text and warns of nothing, but for what Amaranth trips."""
    source, tool = folder / "text.v", Verilator.find()
    source.write_text(text)
    off = [f"-Wno-{rule}" for rule in LINT_OFF]
    command = [tool.program, "--lint-only", "--top-module", top, *off, str(source)]
    environment = {**os.environ, **tool.environment}
    run = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert (run.returncode, run.stderr) == (0, "")
