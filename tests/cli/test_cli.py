"""The command line as a whole: its help, its start, its way with mistakes."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from syncfabric import Network, __version__

Call = Callable[..., Any]

HEAVY = {"amaranth", "cocotb", "matplotlib", "networkx", "numpy", "pydantic"}


def test_help_names_every_command(call: Call) -> None:
    result = call("--help")
    assert result.exit_code == 0
    for command in ("plan", "build", "run", "networks", "schema"):
        assert command in result.stdout
        assert call(command, "--help").exit_code == 0


def test_without_a_command_there_is_help(call: Call) -> None:
    assert call().exit_code == 0
    assert "Usage: " in call().stdout


def test_version(call: Call) -> None:
    assert call("--version").stdout == f"syncfabric {__version__}\n"


def test_the_command_line_starts_without_heavy_packages() -> None:
    code = "import sys, syncfabric.cli; print(*{name.split('.')[0] for name in sys.modules})"
    loaded = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    assert not HEAVY & set(loaded)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["pla"], "error: no such command 'pla'"),
        (["plan"], "error: missing argument 'NET'"),
        (["build", "fig1"], "error: missing option '-o' / '--output'"),
        (["plan", "fig1", "--depth"], "error: no such option: --depth"),
        (["run", "fig1", "--episodes", "x"], "error: invalid value for '--episodes'"),
    ],
)
def test_a_mistake_is_one_line_and_code_2(call: Call, words: list[str], message: str) -> None:
    result = call(*words)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith(message)
    assert result.stderr.count("\n") == 1


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
