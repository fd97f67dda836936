"""Small networks to soak, one of each kind and method of setting groups up."""

import random
from functools import cache

from syncfabric.models.networks.spec import AnySpec, GroupSpec, NetworkSpec, StaticSpec
from syncfabric.sim.fabric.build import build_fabric
from tests.models.planning.checker import cluster, mesh
from tests.models.planning.irregular import draw_network

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
        "engines", mesh(3, 2, setup="manager", managers=((0, 0), (2, 1)), data_bits=4)
    ),
    "engine cluster": engines(
        "cluster",
        cluster(TREE, setup="manager", data_bits=4, message_links="shared", link_registers=1),
    ),
}
"""Collective engines, set up by managers."""


def _sixteen() -> NetworkSpec:
    """Return as many groups on the mesh of these as a router has entries, of 2 to 6 nodes."""
    network = ENGINES["engines"].network
    nodes = tuple(network.topology.nodes)
    members = (nodes[: 2 + n % 5] if n % 2 else nodes[-2 - n % 5 :] for n in range(16))
    groups = (GroupSpec(id=n, members=each, planner="shortest") for n, each in enumerate(members))
    return NetworkSpec(name="sixteen", network=network, groups=tuple(groups))


SIXTEEN = _sixteen()

NETWORKS = {
    **ENGINES,
    "static": _static(),
    "wires": spec_of("wires", mesh(3, 2, wires=3, groups=2), "wires"),
}

STREAMS = spec_of("streams", mesh(3, 2, wires=3, streams=2, groups=2), "wires")
STREAMS = STREAMS.model_copy(
    update={"groups": tuple(g.model_copy(update={"stream": g.id < 3}) for g in STREAMS.groups)}
)

LONG = {
    "streams": STREAMS,
    "engines, routed": engines(
        "routed", mesh(3, 2, setup="manager", transport="routed", data_bits=4)
    ),
    "engines, over the chain": engines("chain", mesh(3, 2, groups=4, link_registers=2)),
    "engines, all operations": engines("all", mesh(3, 2, data_bits=4, operations="all")),
    "engine cluster, over the chain": engines("chained", cluster(TREE, channels=0, data_bits=9)),
    "engine cluster with checks": engines(
        "checked",
        cluster(TREE, setup="manager", check_bits=4, watchdog=200, groups=64, link_registers=1),
    ),
    "wires that managers set up": spec_of(
        "wires", cluster(TREE, wires=3, setup="manager", link_registers=1), "wires"
    ),
    "wires, no packets": spec_of("wires", mesh(3, 2, wires=3, channels=0), "wires"),
    "wires and messages": spec_of(
        "both",
        mesh(3, 2, wires=3, setup="manager"),
        "wires",
        GroupSpec(id=9, members=((0, 0), (2, 1), (1, 0)), planner="shortest", op="xor"),
    ),
}
