"""``syncfabric build``."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from syncfabric import Network
from syncfabric.sim.front import Front
from tests.built import built
from tests.cli.conftest import Call


@pytest.mark.parametrize("name", ["mesh-2x2", "shared-links", "twins", "reflex-4x4"])
def test_files_are_written_and_named_and_headers_compile(call: Call, here: Path, name: str) -> None:
    result = call("build", name, "-o", "out")
    names = built(name)
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [f"out/{file}" for file in names]
    assert sorted(path.name for path in (here / "out").iterdir()) == sorted(names)
    assert [path.name for path in here.iterdir()] == ["out"]
    for path in (here / "out").iterdir():
        for root in (str(here), str(Path(__file__).parents[2])):  # no path of this machine
            assert root not in path.read_text()
    assert f"module {name.replace('-', '_')}" in (here / "out" / f"{name}.v").read_text()
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only"]
    subprocess.run(["gcc", *flags, "-x", "c", f"out/{name}_registers.h"], check=True)


def test_json_for_machines(call: Call) -> None:
    assert json.loads(call("build", "mesh-2x2", "-o", "out", "--json").stdout) == {
        "network": "mesh-2x2",
        "files": [f"out/{name}" for name in built("mesh-2x2")],
    }


def test_a_front_is_built_as_asked(call: Call, here: Path) -> None:
    words = ("--front", "uart", "--meters", 2, "--bit-cycles", 5)
    assert call("build", "reflex-2x2", "-o", "out", *words).exit_code == 0
    text = (here / "out" / "reflex-2x2.v").read_text()
    assert re.search(r"^module reflex_2x2_uart \(", text, re.MULTILINE)
    assert text == Network.load("reflex-2x2").verilog(Front("uart", meters=2, bit_cycles=5))


def test_a_front_brings_its_own_header_and_map(call: Call, here: Path) -> None:
    result = call("build", "reflex-2x2", "-o", "out", "--front", "axi", "--meters", 2)
    names = {Path(path).name for path in result.stdout.splitlines()}
    assert {"reflex-2x2_axi.h", "reflex-2x2_axi.rdl"} < names
    core = (here / "out" / "reflex-2x2.core").read_text()
    assert "toplevel: reflex_2x2_axi" in core
    assert {name for name in names if f'"{name}"' in core} == names - {
        "reflex-2x2_plan.json",
        "reflex-2x2_registers.json",
        "reflex-2x2.core",
        "reflex-2x2.f",
        "reflex-2x2.bender.yml",
    }
    assert "\naddrmap reflex_2x2_axi {" in (here / "out" / "reflex-2x2_axi.rdl").read_text()
    header = (here / "out" / "reflex-2x2_axi.h").read_text()
    assert "#define REFLEX_2X2_HOST_METERS 2u" in header
    assert "reflex_2x2_wait(" in header


def test_a_block_is_built(call: Call, here: Path) -> None:
    words = ("--set", "core_buffer=3", "--json")
    result = call("build", "reflex-ring-agent", "-o", "out", *words)
    names = ["out/reflex-ring-agent.v", "out/reflex-ring-agent.core"]
    assert json.loads(result.stdout) == {"block": "reflex-ring-agent", "files": names}
    assert "\nmodule reflex_ring_agent (" in (here / names[0]).read_text()


def test_a_prefix_of_a_network(call: Call, here: Path) -> None:
    """Its files and its top keep the network's name."""
    result = call("build", "reflex-2x2", "-o", "out", "--front", "axi", "--prefix", "soc")
    assert result.exit_code == 0
    assert all(Path(path).name.startswith("reflex-2x2") for path in result.stdout.splitlines())
    text = (here / "out" / "reflex-2x2.v").read_text()
    modules = re.findall(r"^module \\?(\w+)", text, re.MULTILINE)
    assert {name for name in modules if not name.startswith("soc_")} == {
        "reflex_2x2",
        "reflex_2x2_axi",
    }
    assert "soc_set_up(" in (here / "out" / "reflex-2x2_setup.h").read_text()
    assert "SOC_HOST_NODE(" in (here / "out" / "reflex-2x2_axi.h").read_text()


def test_a_block_with_two_sets_of_parameters(call: Call, here: Path) -> None:
    for prefix, places in (("few", 2), ("many", 9)):
        words = ("--set", f"core_buffer={places}", "--prefix", prefix)
        result = call("build", "reflex-ring-agent", "-o", "out", *words)
        name = f"{prefix}_reflex-ring-agent"
        assert result.stdout.splitlines() == [f"out/{name}.v", f"out/{name}.core"]
    texts = [path.read_text() for path in sorted((here / "out").glob("*.v"))]
    modules = re.findall(r"^module (\S+?) ?\(", "\n".join(texts), re.MULTILINE)
    assert len(set(modules)) == len(modules)
    assert {"few_reflex_ring_agent", "many_reflex_ring_agent"} <= set(modules)
    core = (here / "out" / "few_reflex-ring-agent.core").read_text()
    assert "toplevel: few_reflex_ring_agent" in core
