"""The README's and the tour's sessions, run as a reader would run them."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from syncfabric.cli import app

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
TOUR = (ROOT / "docs" / "tour.md").read_text(encoding="utf-8")
PYTHON = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
CLI = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")


def environment() -> dict[str, str]:
    """Return an environment in which the commands of this installation come first."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return os.environ | {"PATH": path, "COLUMNS": "120"}


def shell(line: str, folder: Path) -> str:
    """Run a line of a session, and return what it prints to standard output."""
    done = subprocess.run(
        ["bash", "-ec", line], cwd=folder, env=environment(), capture_output=True, text=True
    )
    assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def sessions(text: str) -> list[tuple[str, list[str]]]:
    """Return each command of a page's sessions with the lines of output shown below it."""
    found: list[tuple[str, list[str]]] = []
    for block in re.findall(r"^```\n(\$ .*?)^```", text, re.M | re.S):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line.removeprefix("$ "), []))
            elif line.strip():
                found[-1][1].append(line)
    return found


def assert_shown(shown: list[str], printed: str) -> None:
    """Assert that these lines are printed one after another; an ellipsis stands for any text."""
    pattern = r"\s+".join(
        ".*".join(r"\s+".join(map(re.escape, part.split())) for part in line.split("…"))
        for line in shown
    )
    assert re.search(pattern, printed, re.S), f"{shown}\n{printed}"


def test_the_readme_is_a_screen_or_three() -> None:
    assert len(README.splitlines()) <= 130


@pytest.mark.icarus
def test_the_five_minutes_of_the_readme(tmp_path: Path) -> None:
    """A reader's own 4x4 barrier: planned, emitted, set up in a test bench, simulated."""
    (network,) = re.findall(r"^```toml\n(.*?)^```", README, re.M | re.S)
    (tmp_path / "mine.toml").write_text(network, encoding="utf-8")
    printed = [shell(line, tmp_path) for line, _ in sessions(README)]
    assert len(printed) == 4
    assert "PASS" in printed[2]
    assert "match: hardware and golden model agree" in printed[3]
    assert (tmp_path / "mine.svg").exists()


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        pytest.param(line, shown, id=line)
        for line, shown in sessions(TOUR)
        if shown and line.split()[1] != "run"
    ],
)
def test_the_tour_shows_what_a_command_prints(
    line: str, shown: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrote = re.search(r"(?:--draw|-o) (\S+)", line)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    command, *words = shlex.split(line)
    assert command == "syncfabric"
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert_shown(shown, done.stdout)
    assert wrote is None or (tmp_path / wrote[1]).exists()


def test_the_python_of_its_page_runs(tmp_path: Path) -> None:
    """All of it in one interpreter; what Verilator would run, the golden model runs."""
    blocks = re.findall(r"^```python\n(.*?)^```", PYTHON, re.M | re.S)
    (tmp_path / "page.py").write_text("".join(blocks).replace("verilator", "model"), "utf-8")
    printed = shell(f"{shlex.quote(sys.executable)} page.py", tmp_path)
    assert "checked" in printed
    assert (tmp_path / "trees.pdf").exists()


def test_every_command_is_in_the_reference(tmp_path: Path) -> None:
    """``scripts/docs`` writes the page anew; it is the same."""
    page = tmp_path / "cli.md"
    shell(f"{ROOT / 'scripts' / 'docs'} {page}", ROOT)
    assert page.read_text(encoding="utf-8") == CLI
