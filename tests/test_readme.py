"""The README is short, and the reference of the command line is what the commands say."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_readme_is_a_screen_or_three() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 130


def test_every_command_is_in_the_reference(tmp_path: Path) -> None:
    """``scripts/docs`` writes the page anew; it is the same."""
    page = tmp_path / "cli.md"
    subprocess.run([ROOT / "scripts" / "docs", page], check=True, capture_output=True)
    assert page.read_bytes() == (ROOT / "docs" / "cli.md").read_bytes()
