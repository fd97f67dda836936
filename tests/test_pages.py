"""Every block of every page, done as a reader would; the options of commands within text."""

import re
import shlex
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer

from syncfabric.cli import app
from tests.pages import PAGES, ROOT, RUN, SHOWN, Block, Reader, blocks, imports

BLOCKS = [block for page in PAGES for block in blocks(page)]
FLOORS = {"": 66, "nightly": 25, "campaign": 7}
SLOW = {"python", "schedules-chunks", "broadcast", "registers", "tour"}
"""Pages whose blocks are run by night alone."""
CHECKED = 9
"""Blocks that no test can run: a real board, other hosts, what sets tests themselves up."""


def pages(*marks: str) -> list[Any]:
    """Return the stems of pages with such blocks to run; with what they need installed."""
    found = []
    for page in PAGES:
        if page.stem == "extending":
            continue  # tests/test_extending.py follows it, and has more tests of its package
        here = [b for b in BLOCKS if b.page == page.stem and b.language in RUN and b.mark in marks]
        needs = any(re.search("iverilog|icarus", block.text) for block in here)
        some = any(block.mark == marks[-1] for block in here)
        if page.stem in SLOW and "" in marks:
            some = "nightly" in marks
        if some:
            found.append(pytest.param(page.stem, marks=[pytest.mark.icarus] * needs))
    return found


def follow(page: str, reader: Reader, *marks: str) -> None:
    reader.take_examples(next(each for each in PAGES if each.stem == page))
    for block in BLOCKS:
        if block.page == page and (block.mark in marks or block.language in SHOWN):
            try:
                reader.follow(block)
            except Exception as error:
                error.add_note(f"docs/{page}.md:{block.line}")
                raise


@pytest.mark.parametrize("page", pages(""))
def test_a_page_on_the_model(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What Verilator would run, the golden model runs."""
    monkeypatch.chdir(tmp_path)
    follow(page, Reader(tmp_path), "")


@pytest.mark.nightly
@pytest.mark.parametrize("page", pages("", "nightly"))
def test_a_page_as_it_stands(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    follow(page, Reader(tmp_path, as_it_stands=True), "", "nightly")


@pytest.mark.campaign
@pytest.mark.parametrize("page", pages("campaign"))
def test_blocks_that_take_long(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    follow(page, Reader(tmp_path, as_it_stands=True), "campaign")


def test_every_block_is_run_or_has_a_reason(record_property: Callable[[str, object], None]) -> None:
    kinds = Counter(block.mark for block in BLOCKS if block.language in RUN)
    record_property(
        "coverage",
        f"pages: {kinds['']} blocks are run, {kinds['nightly']} nightly, {kinds['campaign']} by"
        f" -m campaign; of {kinds['checked']} the options are checked alone",
    )
    assert {*kinds} <= {*FLOORS, "checked"}
    assert all(kinds[mark] >= floor for mark, floor in FLOORS.items())
    assert kinds["checked"] <= CHECKED
    for block in BLOCKS:
        where = f"docs/{block.page}.md:{block.line}"
        assert block.language in RUN | SHOWN, where
        if block.language in SHOWN:
            assert not block.mark, where
            assert not re.search(r"^(\$ |syncfabric |scripts/)", block.text, re.M), where


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_block_is_overlooked(page: Path) -> None:
    """Fences are those that were found; nothing is indented code, which has no language."""
    text = page.read_text("utf-8")
    assert len(re.findall(r"^ *```", text, re.M)) == 2 * len(blocks(page))
    assert not re.search(r"\n\n {4,}(\$ |syncfabric |scripts/|\.venv/)", text)


def commands() -> dict[str, Any]:
    """Return each command, imported; the group itself does that on demand."""
    group: Any = typer.main.get_command(app)
    return {name: group.get_command(None, name) for name in group.list_commands(None)}


@pytest.mark.parametrize(
    "block",
    [block for block in BLOCKS if block.language in RUN and block.mark],
    ids=lambda block: f"{block.page}-{block.line}",
)
def test_a_block_that_is_not_run_each_time(block: Block) -> None:
    """Command lines are parsed whole; scripts are there; what programs import exists."""
    if block.language == "python":
        compile(block.text, block.page, "exec")
        for line in imports(block):
            exec(line, {})
    elif block.language in ("console", "sh"):
        assert block.commands()
        for command, _ in block.commands():
            for part in re.split(r" (?:&&|[|>]) ", command):
                match shlex.split(re.sub(r"^mpiexec -n \d+ ", "", part)):
                    case ["syncfabric", name, *words]:
                        commands()[name].make_context(name, words)
                    case [path, *_] if path.startswith("scripts/"):
                        assert (ROOT / path).is_file(), path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_options_that_a_page_shows(page: Path) -> None:
    known = {
        name: {"--help", "-h", *(o for each in of.params for o in each.opts + each.secondary_opts)}
        for name, of in commands().items()
    }
    shown = re.compile(r"(^|[`$ ])(?:\$ )?syncfabric ([a-z]+)((?: [^`\n#|&>]*)?)", re.M)
    for before, command, rest in shown.findall(page.read_text("utf-8")):
        assert command in known or before != "`", command
        if command in known:
            given = {*re.findall(r"(?:^| )(--?[a-z][\w-]*)", rest)}
            assert given <= known[command], f"{command}: {given - known[command]}"


def test_tutorials_are_listed() -> None:
    text = (ROOT / "docs" / "tutorials.md").read_text("utf-8")
    names = [page.name for page in PAGES if "tutorial-" in page.stem]
    assert [name for name in names if f"({name})" not in text] == []
