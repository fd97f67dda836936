"""Break the code on purpose, one mutant at a time, and see which test goes red.

Usage: scripts/mutate [WORD ...]    only mutants whose name or file holds one of the words
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.mutation.mutants import MUTANTS, Mutant

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("syncfabric", "models", "rtl", "sim", "fpga", "tests")
NO_TESTS = 5
"""Pytest's exit code where all tests were left out."""
FAILED = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - |$)", re.MULTILINE)


def _apply(mutant: Mutant, root: Path) -> None:
    """Change the source in ``root``.

    Raises
    ------
    ValueError
        What is to be changed does not stand there once.
    """
    path = root / mutant.file
    text = path.read_text()
    if text.count(mutant.old) != 1:
        raise ValueError(
            f"mutant {mutant.name!r}: its text stands {text.count(mutant.old)} times "
            f"in {mutant.file}, not once"
        )
    path.write_text(text.replace(mutant.old, mutant.new))


def _copy(root: Path) -> None:
    for folder in FOLDERS:
        skip = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, root / folder, symlinks=True, ignore=skip)
    shutil.copy(ROOT / "pyproject.toml", root)


def _red(mutant: Mutant) -> tuple[str | None, float]:
    """Return the first test that goes red, and how long it took to get there."""
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        _copy(root)
        _apply(mutant, root)
        environment = {**os.environ, "PYTHONPATH": str(root), "SYNCFABRIC_MUTANT": "1"}
        # What takes long only where nothing else goes red.
        for long, tests in product((False, True), mutant.tests):
            command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
            command += ["-n", "0", "-rfE", *(["-m", "nightly or campaign"] if long else []), tests]
            run = subprocess.run(
                command, cwd=root, env=environment, capture_output=True, text=True, check=False
            )
            if found := FAILED.search(run.stdout):
                return found[1] + ", nightly" * long, time.perf_counter() - begin
            if run.returncode not in (0, 1, NO_TESTS):
                raise RuntimeError(f"pytest {tests}: {run.stdout[-2000:]}{run.stderr[-500:]}")
    return None, time.perf_counter() - begin


def main(words: list[str]) -> int:
    """Run all mutants, or those whose name or file holds a word; return 1 if one survives."""
    chosen = [m for m in MUTANTS if not words or any(w in f"{m.name} {m.file}" for w in words)]
    table = Table("mutant", "file", "red", "seconds", title="Mutants")
    console, alive = Console(), []
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for mutant, (red, seconds) in zip(chosen, pool.map(_red, chosen), strict=True):
            console.print(f"{mutant.name}: {red or 'SURVIVES'} ({seconds:.0f} s)", highlight=False)
            table.add_row(mutant.name, mutant.file, red or "none: it survives", f"{seconds:.0f}")
            if red is None:
                alive.append(mutant.name)
    console.print(table)
    console.print(f"{len(chosen) - len(alive)} of {len(chosen)} mutants went red")
    return 1 if alive or not chosen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
