"""Small networks to soak, one of each kind and way to set groups up."""

from functools import cache

import pytest

from syncfabric.models.networks.spec import AnySpec, GroupSpec, NetworkSpec, StaticSpec
from syncfabric.sim.fabric import build_fabric
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.networks import irregular, mesh
from tests.sim.drive.wires.nets import network_of

__all__ = ["BUILD", "LONG", "NETWORKS", "both", "spec_of"]

BUILD = cache(build_fabric)


def spec_of(name: str, network: AnySpec, planner: str, *more: GroupSpec) -> NetworkSpec:
    """Return all nodes, half of them, and three."""
    nodes = tuple(network.topology.nodes)
    members = (nodes, nodes[: len(nodes) // 2 + 1], (nodes[0], nodes[-1], nodes[2]))
    ops = ("or", "and", "xor")
    groups = (
        GroupSpec(id=each, members=nodes, planner=planner, op=op)  # type: ignore[arg-type]
        for each, (nodes, op) in enumerate(zip(members, ops, strict=True), 1)
    )
    return NetworkSpec(name=name, network=network, groups=(*groups, *more))


def _static() -> NetworkSpec:
    network = StaticSpec(kind="static", width=4, height=4)
    left, right = (tuple((x, y) for y in range(4) for x in columns) for columns in ((0, 1), (2, 3)))
    groups = (
        GroupSpec(id=1, members=left, planner="ring"),
        GroupSpec(id=2, members=right, planner="tree"),
    )
    return NetworkSpec(name="circuit", network=network, groups=groups)


NETWORKS = {
    "mesh": spec_of("mesh", mesh(3, 2, setup="manager"), "btm"),
    "irregular": spec_of("irregular", irregular(SMALL, setup="manager"), "btin"),
    "static": _static(),
    "wires": spec_of("wires", network_of("mesh"), "wires"),
}


def both() -> NetworkSpec:
    """Return groups on wires, which the config port sets up, beside one that a manager does."""
    network = mesh(3, 2, sync="both", setup="manager")
    group = GroupSpec(id=9, members=((0, 0), (2, 1), (1, 0)), planner="btm", op="xor")
    return spec_of("both", network, "wires", group)


LONG = {
    "mesh, over the config port": spec_of("mesh", mesh(3, 2, operations="all"), "btm"),
    "irregular, over the config port": spec_of("irregular", irregular(SMALL), "btin"),
    "irregular, turned around at a node": spec_of(
        "irregular", irregular(SMALL, setup="manager", turnaround="node"), "btin"
    ),
    "wires that managers set up": spec_of(
        "wires", irregular(SMALL, sync="wires", setup="manager", link_registers=1), "wires"
    ),
    "wires alone": spec_of("wires", network_of("mesh", channels=0), "wires"),
    "wires and messages": both(),
}


@pytest.fixture
def built_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take builds that other tests have: sources whose queue is longer."""
    monkeypatch.setattr(
        "syncfabric.sim.soak.soak.build_fabric", lambda network, queue: BUILD(network)
    )
