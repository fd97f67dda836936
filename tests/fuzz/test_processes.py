"""What only a process of its own has: its streams, its environment, and files that never end."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.campaign import fuzzed, sandbox
from tests.fuzz.holds import LINE

SECONDS = 60
PLAN = ["plan", "mesh-2x2"]


def _run(words: list[str], folder: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "syncfabric", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=SECONDS,
    )


def _refused(done: subprocess.CompletedProcess[bytes]) -> str:
    lines = done.stderr.decode().splitlines()
    assert done.returncode == 2, done
    assert len(lines) == 1, done
    assert lines[0].startswith("error: "), done
    assert len(lines[0]) <= LINE
    return lines[0]


@pytest.mark.nightly
@pytest.mark.fuzz
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["plan", "fifo"], "name is missing"),
        (["check", "/dev/zero"], "cannot be read: it is a device"),
        (["topologies", "a" * 5000], "File name too long"),
    ],
)
def test_what_never_ends_is_not_read(words: list[str], said: str) -> None:
    with sandbox() as box:
        assert said in _refused(_run(words, box.here))


@pytest.mark.fuzz
@pytest.mark.parametrize(
    ("end", "code"),
    [(">/dev/full", 2), pytest.param(">&-", 0, marks=pytest.mark.nightly)],
)
def test_an_output_that_takes_no_more(tmp_path: Path, end: str, code: int) -> None:
    command = f"exec {sys.executable} -m syncfabric networks {end}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, cwd=tmp_path)
    assert done.returncode == code, done
    assert b"Traceback" not in done.stderr
    assert done.stderr.count(b"\n") == (code == 2)


ENVIRONMENT = (
    *("SYNCFABRIC_CACHE", "XDG_CACHE_HOME", "HOME", "LC_ALL", "COLUMNS"),
    *("LINES", "TERM", "NO_COLOR", "FORCE_COLOR", "PATH", "LIBPYTHON_LOC", "TMPDIR"),
    *("PMI_SIZE", "PMI_RANK", "OMPI_COMM_WORLD_SIZE", "PMIX_RANK"),
)
VALUES = [
    "",
    " ",
    "x",
    "-1",
    "1",
    "0",
    "1e9",
    "9" * 40,
    "fifo",
    "loop",
    "empty",
    "/dev/null",
    "/nix",
]
COMMANDS = [
    PLAN,
    ["plan", "nix"],
    ["reproduce", "btm-fig4", "--json"],
    ["schedule", "ring-4", "AAS", "--method", "hgsa", "--steps", "2", "--time-limit", "1"],
]


@pytest.mark.nightly
@fuzzed(0.15)
@given(
    st.dictionaries(st.sampled_from(ENVIRONMENT), st.sampled_from(VALUES), min_size=1, max_size=2),
    st.sampled_from(COMMANDS),
)
def test_an_environment(environment: dict[str, str], words: list[str]) -> None:
    with sandbox() as box:
        done = _run(words, box.here, **environment)
    assert done.returncode in (0, 1, 2), done
    assert b"Traceback" not in done.stderr, done
    if words == ["plan", "nix"]:
        assert done.returncode == 2


@pytest.mark.nightly
@pytest.mark.fuzz
@pytest.mark.parametrize("code", ["ascii", "latin-1", "cp037"])
def test_letters_that_an_encoding_lacks(tmp_path: Path, code: str) -> None:
    assert _run(PLAN, tmp_path, PYTHONIOENCODING=code).returncode == 0
