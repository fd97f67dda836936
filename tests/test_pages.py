"""The tutorials, followed as a reader would, and the options of every command that a page shows."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from syncfabric.cli import app
from tests.test_readme import ROOT, shell

DOCS = ROOT / "docs"
PAGES = sorted([ROOT / "README.md", *DOCS.glob("*.md")])
TUTORIALS = sorted(DOCS.glob("tutorial-*.md"))
STEP = re.compile(r"^(?:`(?P<file>[\w.]+)`:\n\n)?```(?P<kind>\w*)\n(?P<text>.*?)^```$", re.M | re.S)


def follow(page: Path, folder: Path) -> Iterator[tuple[str, str]]:
    """Save each file of a tutorial, and yield its programs in Python and its commands, in order."""
    for step in STEP.finditer(page.read_text("utf-8")):
        if step["file"]:
            (folder / step["file"]).write_text(step["text"])
        elif step["kind"] == "python":
            (folder / "page.py").write_text(step["text"])
            yield "python page.py", shell("python page.py", folder)
        elif step["kind"] == "":
            for line in step["text"].splitlines():
                assert line.startswith("$ "), line
                yield line.removeprefix("$ "), ""


def judge(command: str, printed: str, folder: Path) -> None:
    if "vvp" in command:
        assert "PASS" in printed
    if command.startswith("syncfabric check"):
        assert "right" in printed
    if command.startswith("syncfabric"):
        for _, file in re.findall(r" (-o|--draw) (\S+)", command):
            assert (folder / file).exists(), command


@pytest.mark.icarus
@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_on_the_model(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In this process, and what Verilator would run, the golden model runs."""
    monkeypatch.chdir(tmp_path)
    for command, printed in follow(page, tmp_path):
        if command.startswith("syncfabric "):
            model = ["--sim", "model"] if command.startswith("syncfabric run") else []
            done = CliRunner().invoke(app, [*shlex.split(command)[1:], *model])
            assert done.exit_code == 0, f"{command}\n{done.output}"
            printed = done.stdout
        elif not printed:
            printed = shell(command, tmp_path)
        judge(command, printed, tmp_path)


@pytest.mark.icarus
@pytest.mark.nightly
@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_as_it_stands(page: Path, tmp_path: Path) -> None:
    for command, shown in follow(page, tmp_path):
        printed = shown or shell(command, tmp_path)
        judge(command, printed, tmp_path)
        if command.startswith("syncfabric run"):
            assert "match: hardware and golden model agree" in printed


def options() -> dict[str, set[str]]:
    """Return the options of each command."""
    group = typer.main.get_command(app)
    found = {}
    for name, command in group.commands.items():  # type: ignore[attr-defined]
        known = (option for each in command.params for option in (*each.opts, *each.secondary_opts))
        found[name] = {*known, "--help", "-h"}
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_options_that_a_page_shows(page: Path) -> None:
    known = options()
    shown = re.compile(r"(?:^|[`$ ])syncfabric ([a-z]+)((?: [^`\n#|&>]*)?)", re.M)
    for command, rest in shown.findall(page.read_text("utf-8")):
        if command in known:
            given = {*re.findall(r"(?:^| )(--?[a-z][\w-]*)", rest)}
            assert given <= known[command], f"{command}: {given - known[command]}"


def test_tutorials_are_listed() -> None:
    text = (DOCS / "tutorials.md").read_text("utf-8")
    assert [page.name for page in TUTORIALS if f"({page.name})" not in text] == []
