"""A command line to call in a folder of its own."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from syncfabric.cli import app

Call = Callable[..., Any]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Be in an empty folder."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def call(here: Path) -> Call:
    """Call the command line; gives its exit code, standard output and standard error."""
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words])


def refused(result: Any, message: str) -> None:
    """Check for exit code 2, and one line of error with a text, in which … is anything."""
    *before, line = result.stderr.splitlines()
    assert re.search(re.escape(message).replace("…", ".*"), line), line
    assert line.startswith("error: ")
    assert all(said.startswith(("plan the trees", "emit the Verilog")) for said in before)
    assert (result.exit_code, result.stdout) == (2, "")
