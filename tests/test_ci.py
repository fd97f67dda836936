"""What CI runs, and what it says of it; its scripts are replaced by ones that only tell."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LEFT_OUT = {
    *("scripts/test -m nightly", "scripts/test -m campaign", "scripts/test -m fuzz"),
    *("scripts/mutate", "scripts/bench"),
}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a folder with CI's script; each script in it prints how it was called."""
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci")
    (tmp_path / "scripts").mkdir()
    for script in (ROOT / "scripts").iterdir():
        told = tmp_path / "scripts" / script.name
        told.write_text(f'#!/bin/sh\necho "scripts/{script.name} $*"\n')
        told.chmod(0o755)
    return tmp_path


def run(checkout: Path, *words: str) -> tuple[list[str], str]:
    """Return what CI's script called, and what it said."""
    done = subprocess.run(
        [checkout / ".ci" / "run", *words], capture_output=True, text=True, check=True
    )
    return [line.strip() for line in done.stdout.splitlines()], done.stderr


def test_ci_runs_what_it_says(checkout: Path) -> None:
    called, said = run(checkout)
    runs, leaves_out = said.splitlines()
    assert called == ["scripts/test", "scripts/prove"] == re.findall(r"scripts/\w+", runs)
    assert {words for words in LEFT_OUT if words in leaves_out} == LEFT_OUT


def test_ci_runs_the_tests_that_are_named_alone(checkout: Path) -> None:
    called, said = run(checkout, "-m", "nightly")
    assert called == ["scripts/test -m nightly"]
    assert said == "ci: runs scripts/test -m nightly, nothing else\n"


def test_the_comment_names_scripts_that_there_are() -> None:
    comment = "".join(line for line in (ROOT / ".ci" / "run").open() if line.startswith("#"))
    named = set(re.findall(r"scripts/(\w+)", comment))
    assert {"test", "prove", "mutate", "bench"} <= named
    assert named <= {script.name for script in (ROOT / "scripts").iterdir()}
