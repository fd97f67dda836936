"""The speed of barrier wires, on networks small enough for a test."""

import pytest

from syncfabric.models.networks.spec import GroupSpec, MeshSpec, NetworkSpec
from syncfabric.sim.experiments.bench import wires as wire_speed
from tests.sim.experiments.bench.conftest import met, rows_of


@pytest.mark.long
def test_large_networks_are_compared_with_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    network = MeshSpec(kind="mesh", width=3, height=2, wires=1, groups=1, channels=0)
    groups = (GroupSpec(id=1, members=tuple(network.mesh.nodes)),)
    spec = NetworkSpec(name="little", network=network, groups=groups)
    monkeypatch.setattr(wire_speed, "load", lambda name: spec)
    monkeypatch.setattr(wire_speed, "LONG", 40)
    monkeypatch.setattr(wire_speed, "MEMBERS", 2)
    compared, long, written, large, few = rows_of(wire_speed.wire_speed)
    assert met(compared)
    assert long.paper == ">= 20,000"
    assert written.claim.startswith("little: 0.")
    assert (large.paper, met(large)) == ("match, 6 cycles", True)
    assert (few.claim, met(few)) == ("little, 2 members, long run", True)
