"""FuseSoC on the core files of a folder."""

import os
import subprocess
import sys
from pathlib import Path

PROGRAMS = Path(sys.executable).parent


def fusesoc(folder: Path, *arguments: str) -> str:
    """Run FuseSoC where ``scripts/setup`` puts programs, and return what it prints."""
    assert (PROGRAMS / "fusesoc").exists(), "fusesoc is missing; install the extra dev"
    run = subprocess.run(
        ["fusesoc", *arguments],
        cwd=folder,
        env={**os.environ, "PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout
    return run.stdout


def set_up(folder: Path, core: str, target: str) -> Path:
    """Let FuseSoC set up a target of a core, ``LIBRARY:NAME``; return where its files are."""
    fusesoc(
        folder, "--cores-root", ".", "run", f"--target={target}", "--setup", f"syncfabric:{core}"
    )
    (found,) = (folder / "build").glob(f"*/{target}")
    return found


def lint(folder: Path, core: str) -> None:
    """See that Verilator warns of nothing in a core's target ``lint``."""
    printed = fusesoc(folder, "--cores-root", ".", "run", "--target=lint", f"syncfabric:{core}")
    assert "verilator -f" in printed
    assert "%Warning" not in printed
