"""The list of examples is whole, and so is each page."""

import re

import pytest

from tests.examples.example import EXAMPLES

NAMES = sorted(path.parent.name for path in EXAMPLES.glob("*/README.md"))


def test_every_example_is_listed_with_its_command() -> None:
    page = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[([\w-]+)\]\(([^)]+)\) \| .+ \| `([^`]+)` \|$", page, re.M)
    assert {name for name, _, _ in rows} == set(NAMES)
    for name, link, command in rows:
        assert link == f"{name}/README.md"
        assert command == f"make -C examples/{name}"


@pytest.mark.parametrize("name", NAMES)
def test_a_page_has_its_command_and_names_its_files(name: str) -> None:
    folder = EXAMPLES / name
    page = (folder / "README.md").read_text(encoding="utf-8")
    assert f"```\nmake -C examples/{name}\n```" in page
    assert len(page.splitlines()) <= 40
    files = {path.name for path in folder.iterdir() if path.is_file()} - {"README.md", "Makefile"}
    assert {file for file in files if file not in page} <= {"run.py"}
