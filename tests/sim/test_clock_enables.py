"""Clocks of routers that stand while these idle: every cycle is as the golden model has it."""

import re

import pytest

from syncfabric import Network
from syncfabric.models.errors import SpecError
from syncfabric.sim.assemble.network import verilog

SMALL = """
name = "quad"
[network]
kind = "mesh"
width = 2
height = 2
clock_enables = true
[[group]]
id = 1
members = "all"
"""
LARGER = SMALL.replace("= 2\nheight = 2", "= 4\nheight = 3")
IRREGULAR = """
name = "irregular"
[network]
kind = "irregular"
setup = "local"
clock_enables = true
KEYS
[[group]]
id = 1
members = { random = 6, seed = 2 }
"""


def larger(**keys: object) -> str:
    """Return the larger mesh with more keys."""
    lines = "".join(f"{key} = {value!r}\n" for key, value in keys.items())
    return LARGER.replace("clock_enables = true\n", f"clock_enables = true\n{lines}")


NETWORKS = {
    "shared": larger(message_links="shared", link_registers=1),
    "routed": larger(transport="routed"),
    "stages": larger(engine_stages=4, channels=2).replace(
        "= 4\nc", "= 4\noutput_register = true\nc"
    ),
    "groups": larger(groups=64, data_bits=16),
    "torus": IRREGULAR.replace("KEYS", 'topology = "torus-4x4"\nchannels = 2'),
    "adaptive": IRREGULAR.replace(
        "KEYS", 'topology = "torus-4x4"\nchannels = 4\nrouting = "adaptive"'
    ),
    "table": IRREGULAR.replace(
        "KEYS", "ports = 5\nrandom = { switches = 5, nodes = 9, connectivity = 0.8, seed = 1 }"
    ),
}


def test_a_small_mesh() -> None:
    network = Network.loads(SMALL)
    result = network.run("verilator", episodes=20, background=0.05)
    assert result.verdict == "match", result.reason
    assert result.gated is not None
    assert len(result.gated) == 4
    assert all(0.3 < share < 0.95 for share in result.gated)
    text = verilog(network.spec.network, "top")
    assert len(re.findall(r"^  clock_gate router_\d_gate", text, re.MULTILINE)) == 4
    assert network.run("model", episodes=1).gated is None


@pytest.mark.nightly
@pytest.mark.parametrize("name", NETWORKS)
def test_networks(name: str) -> None:
    result = Network.loads(NETWORKS[name]).run("verilator", episodes=20, background=0.2)
    assert result.verdict == "match", result.reason
    assert all(0.1 < share < 0.95 for share in result.gated or (0,))


@pytest.mark.nightly
def test_under_icarus() -> None:
    result = Network.loads(SMALL).run("icarus", episodes=4, background=0.1)
    assert result.verdict == "match", result.reason


@pytest.mark.nightly
def test_a_watchdog_needs_every_edge() -> None:
    result = Network.loads(SMALL.replace("[[", "watchdog = 200\n[[")).run("verilator", episodes=4)
    assert result.verdict == "match", result.reason
    assert result.gated == (0.0,) * 4


@pytest.mark.parametrize("key", ["check_bits", "wires"])
def test_what_does_not_go_with_it(key: str) -> None:
    with pytest.raises(SpecError, match=f"clock_enables does not go with {key} = 2 yet"):
        Network.loads(SMALL.replace("[[", f"{key} = 2\n[["))
