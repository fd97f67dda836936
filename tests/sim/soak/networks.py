"""Small networks to soak, one of each kind and way to set groups up."""

import random
from functools import cache

import pytest

from syncfabric.models.networks.spec import (
    AnySpec,
    GroupSpec,
    NetworkSpec,
    StaticSpec,
)
from syncfabric.sim.fabric import build_fabric
from tests.models.planning.irregular import draw_network
from tests.models.planning.links.checker import cluster
from tests.models.planning.links.checker import mesh as engine_mesh
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.networks import irregular, mesh
from tests.sim.drive.wires.nets import network_of

__all__ = ["BUILD", "ENGINES", "LONG", "NETWORKS", "both", "spec_of"]

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


def engines(name: str, network: AnySpec) -> NetworkSpec:
    """Return the same groups on collective engines."""
    return spec_of(name, network, "shortest")


TREE = draw_network(random.Random(5), 4, 2, 7, 5)
ENGINES = {
    "engines": engines(
        "engines", engine_mesh(3, 2, setup="manager", managers=((0, 0), (2, 1)), data_bits=4)
    ),
    "engine cluster": engines(
        "cluster",
        cluster(TREE, setup="manager", data_bits=4, message_links="shared", link_registers=1),
    ),
}
"""Collective engines, set up by managers."""

NETWORKS = {
    **ENGINES,
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
    "engines, routed": engines(
        "routed", engine_mesh(3, 2, setup="manager", transport="routed", data_bits=4)
    ),
    "engines, over the chain": engines("chain", engine_mesh(3, 2, groups=4, link_registers=2)),
    "engine cluster, over the chain": engines("chained", cluster(TREE, channels=0, data_bits=9)),
    "engine cluster with checks": engines(
        "checked",
        cluster(TREE, setup="manager", check_bits=4, watchdog=200, groups=64, link_registers=1),
    ),
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
