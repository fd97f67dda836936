"""Words that only this project had do not come back: docs, help, messages."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PRIVATE = (
    *"living lives born bury buried buries seats stories conductor".split(),  # noqa: SIM905
    *"conducts hears heard nobody errand errands farewell court referee".split(),  # noqa: SIM905
    *"crew restless asleep crowds deaf bites hasty doomed alarms".split(),  # noqa: SIM905
    *"openings passages meddle meddles commander registrar owed midst whoever".split(),  # noqa: SIM905
    *"befalls agenda turnaround told posed forged".split(),  # noqa: SIM905
)
"""Unambiguous words of before, each with a word of the field in its place (docs/glossary.md)."""
PHRASES = ["as ever", "for ever", "but for", "comes upon", "let alone"]
FOUND = re.compile(rf"\b({'|'.join([*PRIVATE, *PHRASES])})\b", re.I)
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/*.md")])
SOURCES = [
    file
    for top in ("models", "rtl", "sim", "fpga", "syncfabric")
    for file in (ROOT / top).rglob("*.py")
]


def prose(text: str) -> str:
    """Return a page without code and addresses of links."""
    return re.sub(r"```.*?```|`[^`]*`|\]\([^)]*\)", "", text, flags=re.S)


def messages(file: Path) -> Iterator[str]:
    """Yield the words of a module that a user may read: its strings, docstrings left out."""
    tree = ast.parse(file.read_text("utf-8"))
    silent = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            spoken = " " in node.value.strip() and id(node) not in silent
            if spoken:
                yield node.value


def test_forty_words() -> None:
    assert len({*PRIVATE}) >= 40


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_has_the_fields_words(page: Path) -> None:
    assert FOUND.findall(prose(page.read_text("utf-8"))) == []


def test_messages_have_the_fields_words() -> None:
    shown = {file: FOUND.findall(" \n ".join(messages(file))) for file in SOURCES}
    assert len(shown) > 300
    assert {str(file.relative_to(ROOT)): words for file, words in shown.items() if words} == {}


@pytest.mark.parametrize("page", sorted(ROOT.glob("docs/*.md")), ids=lambda page: page.name)
def test_a_page_is_short_and_its_lines_are(page: Path) -> None:
    """A contract may be longer; so is the reference of the command line, which is generated."""
    text = page.read_text("utf-8")
    assert [line for line in text.splitlines() if len(line) > 120] == []
    if not page.name.startswith(("microarchitecture", "cli")):
        assert sum(any(map(str.isalnum, word)) for word in text.split()) <= 3000
