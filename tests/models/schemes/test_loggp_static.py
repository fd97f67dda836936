"""Schemes of static networks: by hand on small ones, and flits counted on the golden model."""

import random
from typing import Any

import pytest

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.schemes.loggp import STATIC, planned
from syncfabric.models.schemes.scheme import Cost
from syncfabric.models.timing.loggp import TILE64, TILE64_CYCLE_NS, LogGP
from tests.models.golden.static_bench import Group, ready_bench, static
from tests.models.golden.static_play import Play
from tests.models.schemes.walks import way

SCHEMES = {scheme.name: scheme for scheme in STATIC}
BY_HAND = LogGP(L=1_000, o=100, g=10, G=0.5, h=1)
"""A message takes 1,200 ns and its hops, a flit behind another 2."""

CORNERS = [(0, 0), (2, 0), (0, 2), (2, 2)]
SQUARE = [(0, 0), (1, 0), (0, 1), (1, 1)]

# On 3x3 the ring of the corners goes round the rim, 8 links past 4 others. A tree from one corner
# has 6 links past 3 others, the farthest 4 away: F = 1 + 2 + 4 * 2 + 2. Messages go 2, 2, 4 links.
HAND = {
    ("reflex", 2): Cost(1, 4, 4, 2_400 + 2 * 4, 4 * (2 + 2)),
    ("reflex-tree", 2): Cost(0, 4, 2, 1_200 + 2 + 8 * 2, 3 * 9),
    ("udn-stn", 2): Cost(0, 4, 2, 3 * 10 + 2 * 2 + 400, 1 + 1 + 2 + 3),
    ("reflex", 3): Cost(4 + 1, 8, 8, 2_400 + 2 * 8, 8 * (2 + 2)),
    ("reflex-tree", 3): Cost(3, 7, 4, 1_200 + 4 + 12 * 2, 6 * 13),
    ("udn-stn", 3): Cost(3, 7, 4, 3 * 10 + 2 * 4 + 400, 2 + 2 + 4 + 6),
}


@pytest.mark.parametrize(("name", "side"), HAND)
def test_by_hand(name: str, side: int) -> None:
    members = SQUARE if side == 2 else CORNERS
    assert SCHEMES[name].cost(static(side, side), members, BY_HAND) == HAND[name, side]


@pytest.mark.parametrize("name", SCHEMES)
def test_one_member_waits_for_nobody(name: str) -> None:
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
    others = tuple(member for member in plan.members if member != plan.way.root)
    tree = plan.flits is not None
    group = Group(plan.way.root, (plan.way.root, *others), routes, plan.longest_path, tree=tree)
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
    bench.settle()
    return count


@pytest.mark.parametrize("seed", range(10))
def test_messages_to_the_root_are_walked(seed: int) -> None:
    """Each message X first, then Y; the release down the plan's edges."""
    rng = random.Random(seed)
    network = static(rng.randint(1, 6), rng.randint(2, 6))
    nodes = network.topology.nodes
    members = rng.sample(nodes, rng.randint(2, len(nodes)))
    plan = planned(network, members, "tree")
    passed = sum(len(way(member, plan.way.root)) for member in members)
    assert plan.edges is not None
    cost = SCHEMES["udn-stn"].cost(network, members)
    assert cost.traversals == passed + len(plan.edges)
    node = network.topology.node
    tree = {plan.way.root, *(node(switch) for edge in plan.edges for switch in edge)}
    assert cost.setup_nodes == len(tree)
    assert cost.setup_messages == len(tree - set(members))
