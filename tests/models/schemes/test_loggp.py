"""Schemes under LogGP: on meshes and irregular networks, and of static networks."""

import random
from dataclasses import replace
from typing import Any

import pytest

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.reader import load
from syncfabric.models.networks.spec import (
    GroupSpec,
    IrregularSpec,
    MeshSpec,
    NetworkSpec,
    StaticSpec,
)
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan import make_plan
from syncfabric.models.planning.updown import updown_tables
from syncfabric.models.schemes.loggp import ANYWHERE, STATIC, planned
from syncfabric.models.schemes.scheme import Cost
from syncfabric.models.timing.loggp import TILE64, TILE64_CYCLE_NS, TILE64_MEMORY, LogGP
from tests.models.golden.static_bench import Group, ready_bench, static
from tests.models.golden.static_play import Play
from tests.models.planning.irregular import draw_network
from tests.models.schemes import mesh_paths
from tests.models.schemes.mesh_paths import path

SCHEMES = {scheme.name: scheme for scheme in (*ANYWHERE, *STATIC)}
BY_HAND = LogGP(L=1_000, o=100, g=10, G=0.5, h=1)
MEMBERS = [(0, 0), (1, 0), (3, 0)]
ROW = MeshSpec(kind="mesh", width=4, height=1)
CLUSTER = load("cluster-fig1")

# The signals go 1, 2, 3 hops, so members are through at 1,203, 1,201, 1,202 ns; then 3, 1, 2 hops:
# the third is through last, 1,203 ns after 1,203. The counter lies with the second member, 1, 0, 2
# hops away: three accesses, a store over 2 hops, a read over 1 there and back, and g. The wires'
# root is there as well: two links to the farthest, past a router without a member.
HAND = {
    "dissemination": Cost(0, 0, 2, 2 * 1_203, 1 + 2 + 3 + 3 + 1 + 2),
    "centralized": Cost(0, 1, 3, 3 * 2_400 + 6 + 1_202 + 2_402 + 10, 6 + 2 + 2),
    "wires": Cost(1, 4, 2, 200 + 2 * 2, 2 * 3),
}


@pytest.mark.parametrize("name", HAND)
def test_by_hand(name: str) -> None:
    assert SCHEMES[name].cost(ROW, MEMBERS, BY_HAND) == HAND[name]
    assert SCHEMES[name].cost(ROW, MEMBERS[:1], BY_HAND) == Cost()
    if "static" in SCHEMES[name].kinds:
        assert SCHEMES[name].cost(static(4, 1), MEMBERS, BY_HAND) == HAND[name]


def test_defaults_are_the_presets_of_tile64() -> None:
    assert SCHEMES["dissemination"].times() == TILE64
    assert SCHEMES["wires"].times() == TILE64
    assert SCHEMES["centralized"].times() == TILE64_MEMORY


def test_link_registers_make_links_longer() -> None:
    registers = MeshSpec(kind="mesh", width=4, height=1, link_registers=2)
    assert SCHEMES["wires"].cost(registers, MEMBERS, BY_HAND).latency_ns == 200 + 2 * 2 * 3


@pytest.mark.parametrize("name", ["cluster-fig1", "4x4"])
def test_wires_are_as_their_plan(name: str) -> None:
    """On the cluster 3 links from the root switch to a node; on 4x4 4 between routers."""
    if name == "4x4":
        network: Any = MeshSpec(kind="mesh", width=4, height=4, wires=1)
        members: Any = tuple(network.topology.nodes)
    else:
        assert isinstance(CLUSTER.network, IrregularSpec)
        network = IrregularSpec(**{**CLUSTER.network.model_dump(), "wires": 1})
        members = CLUSTER.groups[0].members
    groups = (GroupSpec(id=1, members=members),)
    (plan,) = make_plan(NetworkSpec(name="wired", network=network, groups=groups)).engine_groups
    assert plan.slot_register is not None
    shown, cost = plan.to_json(), SCHEMES["wires"].cost(network, members, BY_HAND)
    assert cost.traversals == 2 * len(shown["edges"])
    assert cost.height == shown["height"]
    assert cost.latency_ns == 200 + 2 * shown["bound_links"]
    assert shown["bound_links"] == (4 if name == "4x4" else 3)
    own = 0 if name == "4x4" else len(members)
    assert cost.setup_nodes == len(shown["entries"]) + own


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("kind", ["mesh", "irregular"])
def test_links_of_messages(kind: str, seed: int) -> None:
    """Every message link by link: X first and then Y, or by the routing tables."""
    rng = random.Random(seed)
    if kind == "mesh":
        network: Any = MeshSpec(kind="mesh", width=rng.randint(1, 6), height=rng.randint(2, 6))
    else:
        topology = draw_network(rng, rng.randint(2, 12), rng.randint(0, 8), rng.randint(2, 20))
        network = IrregularSpec(
            kind="irregular",
            **{key: getattr(topology, key) for key in ("ports", "switches", "links", "nodes")},
        )
        tables = updown_tables(topology)

    def path(start: tuple[int, int], end: tuple[int, int]) -> int:
        if kind == "mesh":
            return len(mesh_paths.path(start, end))
        here, passed = start[0], 0
        while here != end[0]:
            across = topology.across(here, int(tables[here][end[0]]))
            assert across is not None
            here, passed = across[0], passed + 1
        return passed

    nodes = network.topology.nodes
    members = rng.sample(list(nodes), rng.randint(2, len(nodes)))
    count = len(members)
    signals, distance = 0, 1
    while distance < count:
        signals += sum(path(members[i], members[(i + distance) % count]) for i in range(count))
        distance *= 2
    assert SCHEMES["dissemination"].cost(network, members).traversals == signals
    hops = [[(path(a, home), path(home, a)) for a in members] for home in members]
    least = min(hops, key=lambda pairs: sum(map(sum, pairs)))
    *others, last = sorted(least, key=sum)
    passed = sum(map(sum, least)) + last[0] + sum(map(sum, others))
    assert SCHEMES["centralized"].cost(network, members).traversals == passed


@pytest.mark.parametrize("count", [2, 3, 5, 8, 13])
def test_a_signal_is_awaited_by_its_receiver(count: int) -> None:
    """Plain recursion over rounds, members on a row in a random order."""
    rng = random.Random(count)
    row = MeshSpec(kind="mesh", width=20, height=1)
    members = rng.sample(row.topology.nodes, count)
    times = replace(BY_HAND, h=rng.choice((1, 70, 3_000)))

    def through(member: int, rounds: int) -> float:
        if not rounds:
            return 0
        other = (member - (1 << rounds - 1)) % count
        hops = abs(members[member][0] - members[other][0])
        signal = through(other, rounds - 1) + 1_200 + hops * times.h
        return max(through(member, rounds - 1) + 200, signal)

    rounds = len(bin(count - 1)) - 2
    wanted = max(through(member, rounds) for member in range(count))
    assert SCHEMES["dissemination"].cost(row, members, times).latency_ns == pytest.approx(wanted)


CORNERS = [(0, 0), (2, 0), (0, 2), (2, 2)]
SQUARE = [(0, 0), (1, 0), (0, 1), (1, 1)]

# On 3x3 the ring of the corners goes round the rim, 8 links past 4 others. A tree from one corner
# has 6 links past 3 others, the farthest 4 away: F = 1 + 2 + 4 * 2 + 2. Messages go 2, 2, 4 links.
ON_SQUARES = {
    ("reflex", 2): Cost(1, 4, 4, 2_400 + 2 * 4, 4 * (2 + 2)),
    ("reflex-tree", 2): Cost(0, 4, 2, 1_200 + 2 + 8 * 2, 3 * 9),
    ("udn-stn", 2): Cost(0, 4, 2, 3 * 10 + 2 * 2 + 400, 1 + 1 + 2 + 3),
    ("reflex", 3): Cost(4 + 1, 8, 8, 2_400 + 2 * 8, 8 * (2 + 2)),
    ("reflex-tree", 3): Cost(3, 7, 4, 1_200 + 4 + 12 * 2, 6 * 13),
    ("udn-stn", 3): Cost(3, 7, 4, 3 * 10 + 2 * 4 + 400, 2 + 2 + 4 + 6),
}


@pytest.mark.parametrize(("name", "side"), ON_SQUARES)
def test_static_by_hand(name: str, side: int) -> None:
    members = SQUARE if side == 2 else CORNERS
    assert SCHEMES[name].cost(static(side, side), members, BY_HAND) == ON_SQUARES[name, side]


@pytest.mark.parametrize("name", [scheme.name for scheme in STATIC])
def test_one_member_waits_for_no_other(name: str) -> None:
    assert SCHEMES[name].cost(static(3, 3), [(1, 1)]) == Cost()


@pytest.mark.parametrize(("side", "cycles"), [(2, 14), (4, 38), (8, 134)])
def test_by_default_a_ring_of_tile64_takes_its_cycles(side: int, cycles: int) -> None:
    network = static(side, side)
    cost = SCHEMES["reflex"].cost(network, network.topology.nodes)
    assert cost.latency_ns == pytest.approx(cycles * TILE64_CYCLE_NS)


@pytest.mark.parametrize("buffers", [(2, 2, 2), (3, 2, 4), (1, 1, 1), (2, 1, 2)])
def test_a_tree_takes_two_cycles_more_than_hardware(buffers: tuple[int, int, int]) -> None:
    network = static(4, 4, buffers)
    nodes = network.topology.nodes
    cost = SCHEMES["reflex-tree"].cost(network, nodes, TILE64)
    bound = planned(network, nodes, "tree").bound
    assert cost.latency_ns == pytest.approx((bound + 2) * TILE64_CYCLE_NS)


def test_a_row_has_no_ring_but_a_tree() -> None:
    network = static(5, 1)
    with pytest.raises(PlanError, match=r"has no ring on a 5x1 mesh.*set planner = \"tree\""):
        SCHEMES["reflex"].cost(network, network.topology.nodes)
    assert SCHEMES["reflex-tree"].cost(network, network.topology.nodes).height == 2


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("planner", ["ring", "tree"])
def test_flits_are_counted_on_the_golden_model(planner: str, seed: int) -> None:
    rng = random.Random(seed)
    buffers = rng.randint(1, 3), rng.randint(1, 3), rng.randint(1, 3)
    network = static(rng.randint(2, 4), rng.randint(2, 4), buffers)
    nodes = network.topology.nodes
    members = rng.sample(nodes, rng.randint(2, len(nodes)))
    plan = planned(network, members, planner)
    passed = [_passed(network, plan, episodes) for episodes in (2, 7)]
    name = "reflex" if planner == "ring" else "reflex-tree"
    assert passed[1] - passed[0] == 5 * SCHEMES[name].cost(network, members).traversals


def _passed(network: StaticSpec, plan: GroupPlan, episodes: int) -> int:
    """Return the flits on links between switches in some barriers, until all is quiet."""
    node = network.topology.node
    routes = {
        (node(switch), Port(output)): Port(port) for (switch, output), port in plan.routes().items()
    }
    others = tuple(member for member in plan.members if member != plan.route.root)
    tree = plan.flits is not None
    group = Group(plan.route.root, (plan.route.root, *others), routes, plan.longest_path, tree=tree)
    bench = ready_bench(network, group)
    between = sum(
        1 << 5 * network.topology.index(node) + port
        for node in network.topology.nodes
        for port in Port
        if port is not Port.LOCAL
    )
    count, step = 0, bench.model.step

    def counting(**inputs: Any) -> Any:
        nonlocal count
        record = step(**inputs)
        count += (record.valid & between).bit_count() if record else 0
        return record

    bench.model.step = counting  # type: ignore[method-assign]
    bench.clock = counting
    play = Play(bench, lambda *_: random.Random(episodes).randint(0, 9))
    play.join(group, episodes)
    play.run(episodes)
    bench.quiesce()
    return count


@pytest.mark.parametrize("seed", range(10))
def test_links_of_messages_to_the_root(seed: int) -> None:
    """Each message X first, then Y; the release down the plan's edges."""
    rng = random.Random(seed)
    network = static(rng.randint(1, 6), rng.randint(2, 6))
    nodes = network.topology.nodes
    members = rng.sample(nodes, rng.randint(2, len(nodes)))
    plan = planned(network, members, "tree")
    passed = sum(len(path(member, plan.route.root)) for member in members)
    assert plan.edges is not None
    cost = SCHEMES["udn-stn"].cost(network, members)
    assert cost.traversals == passed + len(plan.edges)
    node = network.topology.node
    tree = {plan.route.root, *(node(switch) for edge in plan.edges for switch in edge)}
    assert cost.setup_nodes == len(tree)
    assert cost.setup_messages == len(tree - set(members))
