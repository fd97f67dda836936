# amaranth: UnusedElaboratable=no
"""Modules of networks as Verilog: no warnings, and the ports that tops place."""

import os
import subprocess
from pathlib import Path

import pytest
from amaranth.lib import wiring

from syncfabric.models.layout.shape import NodeShape
from syncfabric.models.networks.kinds import MeshNodeShape
from syncfabric.sim.assemble.modules import interface_of, node_of
from syncfabric.sim.assemble.verilog import convert, ports_of
from syncfabric.sim.core_file import LINT_OPTIONS
from syncfabric.sim.simulators.verilator import Verilator
from tests.rtl.planes.draws import headers

MESH = MeshNodeShape(width=4, height=2, managers=3, registers=4, channels=2, check_bits=5)
LINKS = NodeShape(
    links=3,
    own=False,
    routing="table",
    routers=5,
    managers=1,
    channels=2,
    datelines=True,
    message_links="shared",
    flit_bits=40,
)
PLAIN = NodeShape(links=3, own=False, routing="table", routers=5, check_bits=3)

CONSTANTS = {"index": 16, "number": 3, "manager": 1, "manager_index": 2}
PARTS = {
    "mesh": (node_of(MESH, *headers(MESH)), {**CONSTANTS, "x": 2, "y": 1}),
    # A sink port is one more port of the router.
    "router": (
        node_of(LINKS, *headers(LINKS)),
        {"index": 16, "number": 3, "routes": 2 * 5, "dateline": 4},
    ),
    "interface": (
        interface_of(LINKS, 8, *headers(LINKS)),
        {"index": 16, "manager": 1, "manager_index": 2},
    ),
    "plain router": (node_of(PLAIN), {"index": 16, "number": 3, "routes": 2 * 5}),
    "plain interface": (interface_of(PLAIN, 2), {"index": 16}),
}


def lint(text: str, folder: Path) -> None:
    source, tool = folder / "part.v", Verilator.find()
    source.write_text(text)
    command = [tool.program, "--lint-only", *LINT_OPTIONS, "--top-module", "part", str(source)]
    environment = {**os.environ, **tool.environment}
    run = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert (run.returncode, run.stderr) == (0, "")


@pytest.mark.parametrize("name", PARTS)
def test_lint_and_constants(name: str, tmp_path: Path) -> None:
    part: wiring.Component
    part, constants = PARTS[name]
    text = convert(part, "part")
    lint(text, tmp_path)
    found = {port: width for port, (comes_in, width) in ports_of(text, "part").items() if comes_in}
    assert {port: found[port] for port in constants} == constants
    assert not found.keys() & CONSTANTS.keys() - constants.keys()
