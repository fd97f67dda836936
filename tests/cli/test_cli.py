"""The command line as a whole: its help, its start, its way with mistakes."""

import subprocess
import sys
from pathlib import Path

import pytest

from syncfabric import Network, __version__
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
