"""How to install extras, as messages and pages say it: a form that works from a checkout."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
PRODUCT = [
    file
    for folder in ("models", "rtl", "sim", "fpga", "syncfabric/cli")
    for file in sorted((ROOT / folder).rglob("*.py"))
]
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *(file for file in sorted((ROOT / "scripts").iterdir()) if file.is_file()),
]


def found(pattern: str, files: list[Path]) -> dict[str, list[str]]:
    """Return what a pattern finds in files, by their names."""
    said = {str(file.relative_to(ROOT)): re.findall(pattern, file.read_text()) for file in files}
    return {name: words for name, words in said.items() if words}


def test_no_message_and_no_page_takes_it_from_an_index() -> None:
    assert found(r"pip install[^\n`]*\bsyncfabric\b", [*PRODUCT, *PAGES]) == {}


def test_one_function_makes_the_sentence() -> None:
    assert list(found("pip install", PRODUCT)) == ["models/errors.py"]


@pytest.mark.parametrize(
    ("files", "pattern", "least"),
    [
        (PRODUCT, r"how_to_install\(.(\w+).\)", 9),
        (PAGES, r"\.venv/bin/pip install -e '\.\[([\w,]+)", 5),
    ],
)
def test_every_extra_that_is_named_exists(files: list[Path], pattern: str, least: int) -> None:
    named = [extra for words in found(pattern, files).values() for extra in words]
    assert len(named) >= least
    assert {extra for words in named for extra in words.split(",")} <= EXTRAS.keys()
