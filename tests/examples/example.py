"""An example in a copy, run by the command of its own README."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"


class Example:
    """A copy of an example.

    Parameters
    ----------
    name : str
        Of its folder.
    checkout : Path
        A folder that stands for the checkout: gets ``examples/NAME`` and ``.venv``.
    """

    def __init__(self, name: str, checkout: Path) -> None:
        self.checkout, self.folder = checkout, checkout / "examples" / name
        shutil.copytree(EXAMPLES / name, self.folder, ignore=shutil.ignore_patterns("build"))
        (checkout / ".venv").symlink_to(sys.prefix)
        self.page = (self.folder / "README.md").read_text(encoding="utf-8")

    def blocks(self, language: str) -> list[str]:
        """Return the page's blocks of a language."""
        found = re.findall(r"^```(\w*)\n(.*?)\n```$", self.page, re.M | re.S)
        return [block for name, block in found if name == language]

    @contextmanager
    def changed(self, file: str, old: str, new: str) -> Iterator[None]:
        """Change meanwhile a text that stands once in a file."""
        path = self.folder / file
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, old
        path.write_text(text.replace(old, new), encoding="utf-8")
        try:
            yield
        finally:
            path.write_text(text, encoding="utf-8")

    def run(self, options: str = "") -> tuple[int, str]:
        """Run the page's command, with these options; return its exit code and what it prints."""
        (command,) = self.blocks("")
        run = subprocess.run(
            ["bash", "-c", f"{command} {options}"],
            cwd=self.checkout,
            env={name: os.environ[name] for name in os.environ if not name.startswith("PYTEST_")},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return run.returncode, run.stdout

    def text(self) -> list[str]:
        """Return the lines that the page says are printed."""
        return self.blocks("text")[0].splitlines()
