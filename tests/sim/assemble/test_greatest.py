"""Verilog of networks with as many barrier registers and wire slots as a file may ask for."""

from pathlib import Path

import pytest

from syncfabric import Network
from tests.sim.assemble.icarus import compiles
from tests.sim.assemble.verilator import lints

MESH = """
name = "greatest"
[network]
kind = "mesh"
width = 2
height = 1
barrier_registers = 64
"""
IRREGULAR = """
name = "greatest"
[network]
kind = "irregular"
ports = 3
links = [[[0, 0], [1, 0]]]
nodes = [[0, 1], [1, 1]]
barrier_registers = 64
"""
GROUPS = "".join(f'[[group]]\nid = {gid}\nmembers = "all"\n' for gid in range(64))
CASES = {
    "wires": MESH + "sync = 'wires'\nchannels = 0\n",
    "messages": MESH,
    "both": MESH + "sync = 'both'\nparity = true\ncheck_bits = 8\nwatchdog = 1000000\n",
    "serial": MESH + "operations = 'all'\n",
    "irregular": IRREGULAR,
    "irregular wires": IRREGULAR + "sync = 'wires'\n",
    "irregular both": IRREGULAR + "sync = 'both'\n",
}


@pytest.mark.nightly
@pytest.mark.icarus
@pytest.mark.parametrize("name", CASES)
def test_both_simulators_take_a_network_with_all_its_registers_in_use(
    name: str, tmp_path: Path
) -> None:
    (tmp_path / "greatest.toml").write_text(CASES[name] + GROUPS)
    text = Network.load(tmp_path / "greatest.toml").verilog()
    compiles(text, "greatest", tmp_path)
    lints(text, "greatest", tmp_path)
