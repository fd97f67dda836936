"""The top of a network of engines: constants of routers, and stages of longer links."""

import re
from pathlib import Path

import pytest

from syncfabric.models.layout.slots import MOST_SLOTS
from syncfabric.models.networks.reader import loads
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.sim.assemble.network import verilog
from syncfabric.sim.assemble.nodes import constants_of_router, top_verilog
from tests.sim.assemble.icarus import compiles
from tests.sim.assemble.verilator import lints


def package(**keys: int) -> IrregularSpec:
    """Return two pairs of switches, joined by a link of 6 registers."""
    more = "".join(f"{key} = {value}\n" for key, value in keys.items())
    network = loads(f"""
name = "n"
[network]
kind = "irregular"
setup = "local"
interfaces = true
link_registers = 4
{more}
chiplets = [{{ name = "a", topology = "mesh-2" }}, {{ name = "b", topology = "mesh-2" }}]
bridges = [{{ between = ["a", "b"], switches = [[1, 0]], registers = 6 }}]
""").network
    assert isinstance(network, IrregularSpec)
    return network


def test_guards_know_the_registers_of_their_links() -> None:
    """Those of a node's link are 0; a port without a link counts as the longest."""
    spec = package(check_bits=4)
    assert spec.nodes[:2] == ((0, 1), (1, 2))
    assert constants_of_router(spec, 0)["delays"] == (3 * 3, 0o604)
    assert constants_of_router(spec, 1)["delays"] == (3 * 3, 0o064)
    assert "delays" not in constants_of_router(package(), 0)


def test_longer_links_have_more_stages() -> None:
    text = top_verilog(package(), "n")
    stages = re.findall(r"link_registers registers_(\S+)", text)
    assert len(stages) == 2 * (2 + 2 + 3)
    assert [stage for stage in stages if stage.startswith("link_1_1")] == [
        f"link_1_1_{n}" for n in range(3)
    ]


MESH = 'kind = "mesh"\nwidth = 2\nheight = 1\ngroups = 128\n'
SWITCHES = (
    'kind = "irregular"\nports = 3\nlinks = [[[0, 0], [1, 0]]]\nnodes = [[0, 1], [1, 1]]\n'
    "groups = 128\n"
)
GREATEST = {
    "messages": MESH,
    "wires": f"{MESH}wires = {MOST_SLOTS}\nchannels = 0\n",
    "guards": f"{MESH}wires = {MOST_SLOTS}\ncheck_bits = 8\nwatchdog = 65535\n",
    "serial": f"{MESH}operations = 'all'\ndata_bits = 32\n",
    "irregular": f"{SWITCHES}wires = {MOST_SLOTS}\n",
}
"""Networks with all slots of wires, and as many groups as numbers leave beside them."""


@pytest.mark.nightly
@pytest.mark.icarus
@pytest.mark.parametrize("name", GREATEST)
def test_both_simulators_take_the_greatest_networks(name: str, tmp_path: Path) -> None:
    text = verilog(loads(f'name = "greatest"\n[network]\n{GREATEST[name]}').network, "greatest")
    compiles(text, "greatest", tmp_path)
    lints(text, "greatest", tmp_path)
