"""Who is missing is read from entries, down to the node; and where a message was lost."""

import random
import re
from collections.abc import Sequence
from typing import Any

import pytest

from syncfabric.models.errors import PlanError
from syncfabric.models.faults.fault import Fault, FaultKind
from syncfabric.models.faults.missing import Missing, missing
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.spec import GroupSpec, MessageSpec, NetworkSpec
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan import make_plan
from syncfabric.models.planning.set_up import Write
from tests.models.planning.checker import cluster, mesh
from tests.models.planning.engines import Barriers

REST = 400
"""Cycles after which nothing of a barrier moves any more."""


def line(**keys: Any) -> MessageSpec:
    """Return four switches in a row, with two nodes at each but the second."""
    links = tuple(((s, 0), (s + 1, 1)) for s in range(3))
    nodes = tuple((s, p) for s in (0, 2, 3) for p in (2, 3))
    return cluster(Irregular(ports=4, switches=4, links=links, nodes=nodes), **keys)


def square(**keys: Any) -> MessageSpec:
    return mesh(4, 4, **keys)


class Bench:
    """Two groups that are set up; the second is asked for."""

    def __init__(self, network: MessageSpec, members: Sequence[Any]) -> None:
        self.network = network
        groups = tuple(
            GroupSpec(id=gid, members=tuple(some), op="or")
            for gid, some in ((3, members[:2]), (7, members))
        )
        plan = make_plan(NetworkSpec(name="n", network=network, groups=groups))
        group = plan.group(7)
        self.group = group
        self.barriers = Barriers(network, [group])
        self.net = self.barriers.net

    def arrive(self, members: Sequence[Any]) -> None:
        """Let members arrive, and all that they cause happen."""
        endpoints = dict(zip(self.group.members, self.barriers.endpoints(self.group), strict=True))
        self.net.step(arrive={endpoints[member]: 0 for member in members})
        self.barriers.rest(REST, broken=True)

    def read(self, write: Write) -> int | None:
        return self.barriers.ask(ConfigRequest(write.target, write.address, True, write.word))

    def missing(self) -> Missing:
        return missing(self.group, self.network.shape, self.barriers.epochs, self.read)


def drawn(make: Any, rng: random.Random, **keys: Any) -> Bench:
    network = make(**keys)
    nodes = network.topology.nodes
    return Bench(network, rng.sample(nodes, rng.randint(3, len(nodes))))


NETWORKS: list[tuple[Any, dict[str, Any]]] = [
    (square, {}),
    (square, {"transport": "routed"}),
    (square, {"message_links": "shared", "engine_stages": 2, "check_bits": 8}),
    (line, {}),
    (line, {"check_bits": 8, "link_registers": 1}),
]


@pytest.mark.parametrize(("make", "keys"), NETWORKS)
def test_members_that_do_not_arrive(make: Any, keys: dict[str, Any]) -> None:
    rng = random.Random(f"{make.__name__} {keys}")
    for _ in range(4):
        bench = drawn(make, rng, **keys)
        index = bench.network.topology.index
        members = bench.group.members
        absent = rng.sample(members, rng.randint(1, len(members) - 1))
        bench.arrive([member for member in members if member not in absent])
        assert bench.missing() == Missing(members=tuple(sorted(absent, key=index)))
        bench.arrive(absent)
        # All are released, and nobody has arrived again.
        assert bench.missing() == Missing(members=tuple(sorted(members, key=index)))


def above(group: GroupPlan, position: int) -> set[Any]:
    """Return the members to which no message goes by the router at a position."""
    tree = group.tree

    def is_below(place: int) -> bool:
        return place == position or (place >= 0 and is_below(int(tree.parent[place])))

    positions = zip(group.members, tree.member_positions.tolist(), strict=True)
    return {member for member, place in positions if not is_below(place)}


@pytest.mark.parametrize(("make", "keys"), [NETWORKS[2], NETWORKS[4]])
@pytest.mark.parametrize("up", [True, False])
def test_a_message_that_is_lost(make: Any, keys: dict[str, Any], up: bool) -> None:
    """Each link of the tree in turn is dead one way: the report names its ends."""
    rng = random.Random(7)
    seed = rng.random()
    tree = drawn(make, random.Random(seed), **keys).group.tree
    assert len(tree.edges) > 2
    ports = max(make(**keys).shape.router.ports, 1)
    for child, far in enumerate(tree.far_port.tolist()):
        if far < 0:
            continue
        bench = drawn(make, random.Random(seed), **keys)
        ends = int(tree.routers[child]), int(tree.routers[tree.parent[child]])
        port = int(tree.parent_port[child]) if up else far
        link = ends[not up] * ports + port
        bench.net.inject([Fault(bench.net.cycle, link, FaultKind.DEAD)])
        bench.arrive(bench.group.members)
        found = bench.missing()
        assert (found.lost, found.silent) == ((ends,), ())
        # All have arrived; but whoever was released has not again.
        released: set[Any] = set() if up else above(bench.group, child)
        assert set(found.members) == released


def test_a_router_that_is_silent() -> None:
    bench = drawn(square, random.Random(1))
    tree, index = bench.group.tree, bench.network.topology.index
    inner = tree.parent[tree.parent >= 0]
    gone = next(router for router in tree.routers[inner].tolist() if router != tree.root)
    target = bench.network.shape.target_of(gone)
    away = [m for m in bench.group.members if index(m) != gone]
    bench.arrive(away[1:])

    def silent(write: Write) -> int | None:
        return None if write.target == target else bench.read(write)

    def another(write: Write) -> int | None:
        word = bench.read(write)
        return word if write.target != target or word is None else word ^ 0b010  # its epoch

    for read in (silent, another):
        found = missing(bench.group, bench.network.shape, bench.barriers.epochs, read)
        assert found == Missing(members=(away[0],), silent=(gone,))


def test_a_group_that_was_killed_is_forgotten() -> None:
    bench = drawn(square, random.Random(2), watchdog=40)
    bench.arrive(bench.group.members[1:])
    bench.barriers.rest(4 * 40 * bench.network.shape.router.layout.entries, broken=True)
    assert bench.missing() == Missing(silent=tuple(bench.group.tree.routers.tolist()))


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"wires": 2}, "group 7: slots of barrier wires do not say who is awaited"),
        (
            {"read_back": False},
            "group 7: status words lack who is awaited; set read_back = true",
        ),
    ],
)
def test_what_does_not_say_who_is_awaited(keys: dict[str, Any], message: str) -> None:
    bench = Bench(square(**keys), [(0, 0), (1, 0), (2, 2)])
    with pytest.raises(PlanError, match=f"^{re.escape(message)}$"):
        bench.missing()
