"""``syncfabric board``: from the command line to registers, over a pseudo-terminal."""

import json
from pathlib import Path

import pytest

from syncfabric import Network
from syncfabric.fpga.host.host import Host
from syncfabric.fpga.host.link import Link
from syncfabric.sim.board import SimulatedBoard
from tests.cli.conftest import Call
from tests.fpga.host.peer import Peer, Words
from tests.nightly import nightly_but

NET = """
name = "little"
[network]
kind = "mesh"
width = 2
height = 2
channels = 0
data_bits = 4
{keys}
[[group]]
id = 3
members = "all"
op = "xor"
[[group]]
id = 9
members = [[1, 0], [1, 1]]
"""


@pytest.fixture(params=nightly_but(["groups = 2"], ["wires = 2\ngroups = 1", "groups = 2"]))
def net(here: Path, request: pytest.FixtureRequest) -> str:
    """Write a network that is emitted soon, too: its groups on wires, or as messages."""
    (here / "little.toml").write_text(NET.format(keys=request.param))
    return "little.toml"


def test_barriers_on_a_simulated_board(call: Call, net: str) -> None:
    result = call("board", net, "--simulate", "--episodes", 4, "--json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert (found["network"], found["simulated"], found["ok"]) == ("little", True, True)
    plan = Network.load(net).plan()
    for group, planned in zip(found["groups"], plan.groups, strict=True):
        meter = group["meter"]
        assert (group["id"], group["asked"], group["bound"]) == (planned.id, 4, planned.bound)
        assert (meter["episodes"], meter["histogram"][0], sum(meter["histogram"])) == (4, 3, 4)
        assert 0 < meter["least"] <= meter["last"] <= meter["greatest"] <= planned.bound
        assert group["wrong"] == []
    assert found["traffic"] is None


def test_a_simulated_board_for_others(
    call: Call, net: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody opens its port, and closes it; somebody else does, and then Ctrl-C."""

    def wait(simulated: SimulatedBoard) -> int:
        with open(simulated.port, "r+b", buffering=0) as plain:  # no terminal program
            plain.write(b"r 0\n")
            heard = b""
            while not heard.endswith(b"\n"):
                heard += plain.read(1)
        assert heard == b"= 53464142\r\n"
        for _ in range(2):
            with Link(simulated.port, timeout=60) as link:
                assert Host(link).identity.nodes == 4
        raise KeyboardInterrupt

    monkeypatch.setattr(SimulatedBoard, "wait", wait)
    result = call("board", net, "--serve")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("little listens at /dev/")


@pytest.mark.nightly
def test_messages_beside_traffic(call: Call) -> None:
    result = call("board", "board-4x4", "--simulate", "--episodes", 10, "--traffic", 0.1)
    assert result.exit_code == 0, result.stderr
    assert "traffic: offered 0.1 flits a node a cycle" in result.stdout


@pytest.mark.nightly
def test_streams_on_a_simulated_board(call: Call) -> None:
    asked = ("--episodes", 2, "--stream", "allreduce", "--words", 100)
    result = call("board", "board-streams", "--simulate", *asked)
    assert result.exit_code == 0, result.stderr
    (row,) = (line for line in result.stdout.splitlines() if "add.i32" in line)
    gid, op, words, first, bound, last, rate, checked = row.split()
    assert (gid, op, words, rate, checked) == ("1", "add.i32", "100", "1", "yes")
    assert 0 < int(first) <= int(bound)
    assert int(last) == int(first) + 99


def test_a_stream_of_a_network_without_any_is_refused(call: Call) -> None:
    result = call("board", "mesh-2x2", "--simulate", "--stream", "reduce")
    assert result.exit_code == 2
    assert "stream = reduce: no group of mesh-2x2 has a stream" in result.stderr


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["churn-cluster", "reflex-2x2", "wires-both", "cluster-19"])
def test_other_networks(call: Call, name: str) -> None:
    result = call("board", name, "--simulate", "--episodes", 3)
    assert result.exit_code == 0, result.stderr


def test_the_board_of_another_network(call: Call) -> None:
    with Peer(Words()) as peer:
        result = call("board", "mesh-2x2", "--port", peer.port)
    assert result.exit_code == 2
    assert "the board has 1 registers a node, and mesh-2x2 has 16" in result.stderr
