"""The command line as a whole: its help, its start, its way with mistakes."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from syncfabric import Network, __version__
from syncfabric.cli.group import PANELS, function_of
from tests.cli.conftest import Call

HEAVY = {"amaranth", "cocotb", "matplotlib", "networkx", "numpy", "pydantic"}


def test_version(call: Call) -> None:
    assert call("--version").stdout == f"syncfabric {__version__}\n"


def test_the_command_line_starts_without_heavy_packages() -> None:
    code = "import sys, syncfabric.cli; print(*{name.split('.')[0] for name in sys.modules})"
    loaded = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    assert not HEAVY & set(loaded)


def test_a_run_of_the_model_loads_no_hardware_and_few_modules() -> None:
    code = (
        "import sys\nfrom syncfabric.cli import app\n"
        "try: app(['run', 'mesh-4x4', '--sim', 'model', '--episodes', '1', '--json'])\n"
        "finally: print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = [name for name in done.stderr.split() if name.startswith("syncfabric.")]
    assert len(loaded) <= 150
    assert not any(name.startswith("syncfabric.rtl") for name in loaded)


def test_an_interrupt_is_code_130(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Network, "load", interrupted)
    result = call("plan", "fig1")
    assert result.exit_code == 130
    assert result.stderr == "interrupted\n"


def test_a_reader_that_has_enough_is_no_error(here: Path) -> None:
    command = f"{sys.executable} -m syncfabric plan mesh-32x32 --json | head -c 10"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout == '{"network"'
    assert done.stderr == ""


COMMANDS = [name for names in PANELS.values() for name in names]


def shown(call: Call, *words: str) -> str:
    """Return help without frames and line breaks."""
    result = call(*words, "--help")
    assert result.exit_code == 0
    return " ".join(re.sub("[│╭╮╰╯─]", " ", result.stdout).split())


def written(command: Callable[..., Any]) -> str:
    """Return what a command's source says of it and of its options."""
    hints = get_type_hints(command, include_extras=True).values()
    given = (
        getattr(part, "help", "") for hint in hints for part in getattr(hint, "__metadata__", ())
    )
    return "\n".join([str(command.__doc__), *filter(None, given)])


def test_help_shows_every_command_under_its_head(call: Call) -> None:
    told = shown(call)
    places = [told.index(f" {head} {names[0]} ") for head, names in PANELS.items()]
    assert places == sorted(places)
    assert all(f" {name} " in told for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_shows_what_is_in_brackets(call: Call, name: str) -> None:
    bracketed = re.findall(r"\[[^]]*\]", written(function_of(name)))
    told = shown(call, name)
    assert [words for words in bracketed if words not in told] == []
    assert ("[network]" in bracketed) == (name in ("build", "synth"))


def test_without_a_command_there_is_help(call: Call) -> None:
    assert call().exit_code == 0
    assert "Usage: " in call().stdout
