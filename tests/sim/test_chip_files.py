"""Verilog in files, their lists, and constraints."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from syncfabric import Network
from syncfabric.models.errors import SpecError
from syncfabric.sim.assemble.verilog import modules_of, ports_of
from syncfabric.sim.simulators import Verilator
from tests.sim.assemble.icarus import compiles

NETWORKS = ("mesh-2x2", "twins", "reflex-2x2")


def lint(folder: Path, name: str) -> str:
    tool = Verilator.find()
    command = [tool.program, "--lint-only", "-Wall", "-f", f"{name}.f"]
    environment = {**os.environ, **tool.environment}
    run = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, env=environment
    )
    return run.stderr


@pytest.mark.parametrize("name", NETWORKS)
def test_each_module_has_a_file_and_no_warning(name: str, tmp_path: Path) -> None:
    network = Network.load(name)
    network.build(tmp_path, split=True)
    files = (tmp_path / f"{name}.f").read_text().split()
    assert files[0] == f"{network.spec.module}.v"
    for file in files:
        assert list(modules_of((tmp_path / file).read_text())) == [file.removesuffix(".v")]
    assert lint(tmp_path, name) == ""
    package = (tmp_path / f"{name}.bender.yml").read_text()
    assert re.findall(r"^      - (\S+)$", package, re.M) == files
    assert f"    files: {json.dumps(files)}\n" in (tmp_path / f"{name}.core").read_text()


@pytest.mark.icarus
@pytest.mark.parametrize("name", NETWORKS[:2])
def test_a_macro_has_all_that_is_in_it_and_nothing_else(name: str, tmp_path: Path) -> None:
    network = Network.load(name)
    network.build(tmp_path, macro="router")
    module = f"{network.spec.module}_router_node"
    files = (tmp_path / f"{name}.f").read_text().split()
    assert files[:2] == [f"{name}.v", f"{module}.v"]
    top, macro, *both = ((tmp_path / file).read_text() for file in files)
    assert len(both) == (name == "twins")  # node interfaces count and have credits, too
    modules = [found for text in (top, macro, *both) for found in modules_of(text)]
    assert len({*modules}) == len(modules)
    assert {*modules} == modules_of(network.verilog()).keys()
    (tmp_path / "alone").mkdir()
    compiles("".join((macro, *both)), module, tmp_path / "alone")
    compiles("".join((top, macro, *both)), network.spec.module, tmp_path)


def test_constraints_name_every_port(tmp_path: Path) -> None:
    network = Network.load("mesh-2x2")
    network.build(tmp_path, macro="router")
    for file, module, still in (
        ("mesh-2x2", "mesh_2x2", set()),
        ("mesh_2x2_router_node", "mesh_2x2_router_node", {"index", "x", "y"}),
    ):
        text = (tmp_path / f"{file}.sdc").read_text()
        said = {
            command: set(ports.split())
            for command, ports in re.findall(r"^(\w+) .*\[get_ports \{(.*?)\}\]", text, re.M)
        }
        ports = ports_of((tmp_path / f"{file}.v").read_text(), module)
        inputs = {name for name, (comes_in, _) in ports.items() if comes_in} - {"clk"}
        assert said["set_input_delay"] | said.get("set_false_path", set()) == inputs
        assert said.get("set_false_path", set()) == still
        assert said["set_output_delay"] == ports.keys() - inputs - {"clk"}
        assert "create_clock -name clk -period $PERIOD [get_ports clk]" in text


def test_ways_that_there_are_not(tmp_path: Path) -> None:
    network = Network.load("mesh-2x2")
    with pytest.raises(SpecError, match=r"^macro = 'core': only a router can be one$"):
        network.build(tmp_path, macro="core")
    with pytest.raises(SpecError, match=r"^split: with a macro the files are its and the top's"):
        network.build(tmp_path, split=True, macro="router")
    assert not list(tmp_path.iterdir())
