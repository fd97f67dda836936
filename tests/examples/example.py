"""An example, run in a copy by the commands of its own README."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

__all__ = ["EXAMPLES", "commands", "run_example"]

EXAMPLES = Path(__file__).parents[2] / "examples"


def commands(name: str) -> list[str]:
    """Return the commands of an example's README: the blocks without a language."""
    page = (EXAMPLES / name / "README.md").read_text(encoding="utf-8")
    return [block.strip() for block in re.findall(r"^```\n(.*?)^```$", page, re.M | re.S)]


def run_example(name: str, folder: Path, command: str | None = None, **variables: str) -> Path:
    """Run the first command of an example's README in a copy; return the copy.

    Parameters
    ----------
    name : str
    folder : Path
        Stands for the checkout: gets ``examples/NAME``, and ``.venv``.
    command : str, optional
        Another command.
    **variables
        More of the environment.
    """
    copy = folder / "examples" / name
    shutil.copytree(EXAMPLES / name, copy, ignore=shutil.ignore_patterns("build"))
    (folder / ".venv").symlink_to(sys.prefix)
    run = subprocess.run(
        ["bash", "-c", command or commands(name)[0]],
        cwd=folder,
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    (copy / "printed.txt").write_text(run.stdout)
    assert run.returncode == 0, run.stdout
    return copy
