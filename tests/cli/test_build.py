"""``syncfabric build``."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

Call = Callable[..., Any]


def test_files_are_written_and_named(call: Call, here: Path) -> None:
    result = call("build", "spill-4x4", "-o", "out")
    names = ["spill-4x4.v", "plan.json", "registers.json", "spill-4x4_registers.h"]
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [f"out/{name}" for name in names]
    assert sorted(path.name for path in (here / "out").iterdir()) == sorted(names)
    assert [path.name for path in here.iterdir()] == ["out"]


def test_json_for_machines(call: Call) -> None:
    assert json.loads(call("build", "mesh-2x2", "-o", "out", "--json").stdout) == {
        "network": "mesh-2x2",
        "files": [
            "out/mesh-2x2.v",
            "out/plan.json",
            "out/registers.json",
            "out/mesh-2x2_registers.h",
        ],
    }


def test_no_path_of_this_machine_is_in_the_files(call: Call, here: Path) -> None:
    call("build", "mesh-2x2", "-o", "out")
    for path in (here / "out").iterdir():
        for root in (str(here), str(Path(__file__).parents[2])):
            assert root not in path.read_text()


def test_the_header_compiles(call: Call, here: Path) -> None:
    call("build", "own-links", "-o", "out")
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only"]
    subprocess.run(["gcc", *flags, "-x", "c", "out/own-links_registers.h"], check=True)
