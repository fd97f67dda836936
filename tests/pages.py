"""What the pages of the documentation show, and a reader who does all of it.

A fence's first word is its language, its second says when tests run it: without one in every run,
``nightly`` or ``campaign`` by ``-m``, ``checked`` never (a board, other hosts): then its options
are looked at alone.
"""

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from syncfabric import Network
from syncfabric.cli import app
from syncfabric.sim.cores.compile import compile_program

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *ROOT.glob("docs/*.md")])
RUN = {"console", "sh", "python", "toml", "c"}
SHOWN = {"text", "json", "csv", "verilog"}
FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>\w*) ?(?P<mark>\w*)\n(?P<text>.*?)^(?P=indent)```$",
    re.M | re.S,
)
ON_THE_MODEL = ("run", "replay")
COMPILER = ("cc", "-std=c99", "-Wall", "-Werror", "-fsyntax-only")


@dataclass(frozen=True)
class Block:
    """A fenced block, the name of the file that the text above gives it, and when it is run."""

    page: str
    line: int
    language: str
    mark: str
    text: str
    file: str

    def commands(self) -> list[tuple[str, list[str]]]:
        """Return each command without its comment, with the lines of output shown below it."""
        found: list[tuple[str, list[str]]] = []
        for line in self.text.replace("\\\n", "").splitlines():
            if self.language == "sh" or line.startswith("$ "):
                if command := re.sub(r"(^|\s+)#.*", "", line.removeprefix("$ ")):
                    found.append((command, []))
            elif line.strip():
                found[-1][1].append(line)
        return found


def blocks(page: Path) -> list[Block]:
    """Return the blocks of a page, in order."""
    text, found = page.read_text("utf-8"), []
    for fence in FENCE.finditer(text):
        above = text[: fence.start()].rstrip().rpartition("\n\n")[2]
        file = re.search(r"`([\w.-]+\.\w+)`:( |$)", above)
        inner = re.sub(rf"^{fence['indent']}", "", fence["text"], flags=re.M)
        line = text.count("\n", 0, fence.start()) + 1
        named = file[1] if file and text[: fence.start()].endswith("\n\n") else ""
        found.append(Block(page.stem, line, fence["language"], fence["mark"], inner, named))
    return found


def environment() -> dict[str, str]:
    """Return an environment in which the commands of this installation come first."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return os.environ | {"PATH": path, "COLUMNS": "120"}


def assert_shown(shown: list[str], printed: str) -> None:
    """Assert that these lines are printed one after another; an ellipsis stands for any text."""
    pattern = r"\s+".join(
        ".*".join(r"\s+".join(map(re.escape, part.split())) for part in line.split("…"))
        for line in shown
    )
    assert re.search(pattern, printed, re.S), f"{shown}\n{printed}"


@dataclass
class Reader:
    """A reader who saves the files of a page and runs its blocks, in order, in one folder.

    Each as it stands, in a new process, or in this one, with the golden model in place of
    simulators. A package that a page installs goes to a folder of its own.
    """

    folder: Path
    as_it_stands: bool = False
    environment: dict[str, str] = field(default_factory=environment)
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "page"})
    installed: bool = False

    def take_examples(self, page: Path) -> None:
        """Copy the files of the examples that a page links to."""
        for name in {*re.findall(r"\]\(\.\./examples/([\w-]+)/", page.read_text("utf-8"))}:
            for file in (ROOT / "examples" / name).glob("*.*"):
                shutil.copy(file, self.folder)

    def follow(self, block: Block) -> None:
        """Do what a block shows."""
        if block.file:
            (self.folder / block.file).write_text(block.text, "utf-8")
        if block.language in ("console", "sh"):
            for command, shown in block.commands():
                self.command(command, shown)
        elif block.language == "toml":
            self.network(block)
        elif block.language == "c":
            self.compiled(block)
        elif block.language == "python" and not block.file:
            self.python(block)

    def network(self, block: Block) -> None:
        """Plan a network file; a part of one gets a name. Of other tables the syntax is enough."""
        read = tomllib.loads(block.text)
        if {"project", "build-system"} & {*read}:
            return
        file = self.folder / (block.file or "page.toml")
        named = block.text if "name" in read else f'name = "page"\n{block.text}'
        file.write_text(named, "utf-8")
        Network.load(str(file)).plan()

    def compiled(self, block: Block) -> None:
        """Compile C: for cores with their library, else beside the headers of all folders."""
        source = self.folder / (block.file or "page.c")
        source.write_text(block.text, "utf-8")
        if '"syncfabric.h"' in block.text:
            compile_program(source, spec=Network.load("mesh-4x4").spec)
            return
        folders = [f"-I{folder}" for folder in (self.folder, *self.folder.glob("*/"))]
        self.process([*COMPILER, *folders, str(source)])

    def python(self, block: Block) -> None:
        """Run a program after those above it; a number or tuple in a comment is what it prints."""
        text = block.text if self.as_it_stands else block.text.replace("verilator", "model")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(text, f"{block.page}.md:{block.line}", "exec"), self.names)
        shown = re.findall(r"^print\(.*\)  # ([\d({].*)$", block.text, re.M)
        lines = [line for line in printed.getvalue().splitlines() if line]
        assert not shown or lines == shown

    def command(self, command: str, shown: list[str]) -> None:
        """Run a command, ours in this process; check what it prints and writes."""
        ours = re.fullmatch(r"syncfabric (\w+)[^|&;<>]*", command)
        modelled = not self.as_it_stands and ours and ours[1] in ON_THE_MODEL
        if ours and not (self.installed or self.as_it_stands):
            words = shlex.split(command)[1:]
            modelled = modelled and "--sim" not in words
            done = CliRunner(env={"COLUMNS": "120"}).invoke(
                app, [*words, *["--sim", "model"] * bool(modelled)]
            )
            assert done.exit_code == 0, f"{command}\n{done.output}"
            printed = done.stdout
        else:
            printed = self.shell(command)
        if not modelled:
            assert_shown(shown, printed)
        if "vvp" in command:
            assert "PASS" in printed
        for file in re.findall(r" (?:-o|--draw) (\S+)", command) if ours else ():
            path = self.folder / file
            assert path.exists() or [*path.parent.glob(f"{path.stem}[.-]*")], command

    def shell(self, command: str) -> str:
        """Run a line by the shell; the project's scripts run in the checkout."""
        if install := re.match(r"pip install(?= --no-deps \.)", command):
            target = self.folder / "installed"
            rest = command[install.end() :]
            command = f"python -m {install[0]} -q --no-build-isolation --target {target} {rest}"
            self.environment["PYTHONPATH"] = str(target)
            self.installed = True
        checkout = command.startswith(("scripts/", ".venv/"))
        return self.process(["bash", "-ec", command], ROOT if checkout else self.folder)

    def process(self, words: list[str], folder: Path | None = None) -> str:
        """Run a program, and return what it prints to standard output."""
        done = subprocess.run(
            words,
            cwd=folder or self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{shlex.join(words)}\n{done.stdout}\n{done.stderr}"
        return done.stdout


def imports(block: Block) -> Iterator[str]:
    """Yield the lines of a program that import."""
    yield from re.findall(r"^(?:from|import) .*$", block.text, re.M)
