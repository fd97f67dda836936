"""Rings and trees of static networks on any graph, by a checker that reads the routes alone."""

import json
import random
from collections.abc import Sequence
from itertools import permutations, product

import pytest

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.mesh import Node
from syncfabric.models.networks.reader import loads
from syncfabric.models.networks.spec import GroupSpec, NetworkSpec, StaticSpec
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.models.planning.ring import best_ring
from syncfabric.models.planning.static_routes import reach, through_cores
from tests.models.golden.static_plans import plan_of
from tests.models.planning.flit_trace import check_ring, check_tree
from tests.nightly import nightly_but

FAMILIES = {
    "torus-4x4": 16,
    "torus-3x3x3": 27,
    "torus-5x5": 25,
    "mesh-3x3x5": 46,
    "ring-64": 64,
    "torus-32x8": 256,
    "mesh-5": 8,
    "mesh-3x3": 10,
    "mesh-2x3x4": 24,
    "hypercube-16": 16,
    "k-ring-8": 8,
    "ring-7": 7,
    "complete-6": 6,
    "star-6": 10,
    "octagon-8": 8,
    "octagon-bridged-15": 16,
    "amp-32": 32,
    "twisted-ladder-10": 10,
    "moore-petersen": 11,
    "fat-octagon-16": 8,
    "fat-tree-2x3": 12,
    "coated-mesh-3x3": 8,
    "dragonfly-2x4x1": 20,
}
SLOW = [("moore-petersen", "ring"), ("octagon-bridged-15", "ring")]
QUICK = [case for case in product(FAMILIES, ["ring", "tree"]) if case not in SLOW]
"""Links of a ring of all nodes: a Hamiltonian cycle of the members' switches where there is one."""


def check(group: GroupPlan, routes: dict[tuple[int, int], int]) -> None:
    """Follow a flit; see that plan and routes say the same."""
    graph, root = group.graph, group.route.root
    if group.planner == "ring":
        found = check_ring(graph, routes, group.members, root)
        assert group.bound_links == len(found.links) >= group.route.least.links  # type: ignore[union-attr]
    else:
        found = check_tree(graph, routes, group.members, root)
        assert group.bound_links == max(distances[0] for distances in found.cores.values())
    assert group.links == len(found.links) == len(set(found.links))
    assert reach(group) == {node: distances[0] for node, distances in found.cores.items()}


def checked(plan: BarrierPlan) -> BarrierPlan:
    """Load the routes of all groups at once, no two over one output, and follow their flits."""
    assert BarrierPlan.from_json(json.loads(json.dumps(plan.to_json()))) == plan
    routes: dict[tuple[int, int], int] = {}
    for group in plan.groups:
        assert routes.keys().isdisjoint(group.routes())
        routes |= group.routes()
    for group in plan.groups:
        if len(group.members) > 1:
            check(group, routes)
    return plan


@pytest.mark.parametrize(("name", "planner"), nightly_but(QUICK, [*QUICK, *SLOW]))
def test_all_nodes_of_a_family(name: str, planner: str) -> None:
    (group,) = checked(plan_of(f'topology = "{name}"', planner)).groups
    if planner == "ring":
        assert group.links == FAMILIES[name]
    else:
        levels = [group.graph.levels(at).max() for at, _ in map(group.graph.port_of, group.members)]
        assert group.height is not None
        assert group.height <= min(levels)


@pytest.mark.parametrize(("leaves", "links"), [(2, 2), (3, 4), (7, 12)])
def test_a_star_is_gone_round_link_by_link(leaves: int, links: int) -> None:
    """The tour of a spanning tree, each link once in each direction: 2 (n - 1)."""
    (group,) = checked(plan_of(f'topology = "star-{leaves}"')).groups
    assert group.links == links == 2 * (leaves - 1)
    routes = group.routes()
    turns = [output for output, source in routes.items() if output[1] == source]
    assert len(turns) == max(1, leaves - 2), "it turns back at all leaves but its root"


def random_graph(rng: random.Random) -> str:
    """Return a network file's words for a connected graph, with no to three nodes a switch."""
    switches = rng.randint(1, 9)
    pairs = [(rng.randrange(s), s) for s in range(1, switches)]
    if switches > 1:  # several links between two switches, too
        pairs += [tuple(rng.sample(range(switches), 2)) for _ in range(rng.randint(0, 8))]  # type: ignore[misc]
    used = [0] * switches

    def port(switch: int) -> list[int]:
        used[switch] += 1
        return [switch, used[switch] - 1]

    links = [[port(a), port(b)] for a, b in pairs if max(used[a], used[b]) < 12]
    nodes = [port(s) for s in range(switches) for _ in range(rng.choice((0, 1, 1, 1, 3)))]
    nodes += [port(0), port(switches - 1)]
    return f"links = {links}\nnodes = {nodes}"


def groups_on(rng: random.Random, network: StaticSpec) -> tuple[GroupSpec, ...]:
    nodes = rng.sample(network.topology.nodes, len(network.topology.nodes))
    cut = rng.randint(1, len(nodes))
    parts = (nodes[:cut], nodes[cut:])
    return tuple(
        GroupSpec(id=i, members=tuple(part), planner=rng.choice(("ring", "tree")))
        for i, part in enumerate(parts)
        if part
    )


def check_random(seeds: Sequence[int]) -> int:
    refused = 0
    for seed in seeds:
        rng = random.Random(seed)
        network = loads(f'name = "a"\n[network]\nkind = "static"\n{random_graph(rng)}\n').network
        assert isinstance(network, StaticSpec)
        spec = NetworkSpec(name="a", network=network, groups=groups_on(rng, network))
        try:
            checked(make_plan(spec))
        except PlanError:
            refused += 1
    return refused


def test_random_graphs() -> None:
    assert check_random(range(25)) <= 9


@pytest.mark.nightly
def test_many_random_graphs() -> None:
    assert check_random(range(1000, 2000)) <= 330


def shortest(graph: Irregular, switches: list[int]) -> int:
    """Return the links of a shortest circuit past switches, by trying ever longer ones."""
    for length in range(len(switches), 3 * len(graph.links) + 2):
        if closed(graph, switches[0], switches[0], frozenset(switches[1:]), frozenset(), length):
            return length
    raise AssertionError("there is no ring")


def closed(
    graph: Irregular,
    here: int,
    start: int,
    missing: frozenset[int],
    used: frozenset[tuple[int, int]],
    left: int,
) -> bool:
    if not left:
        return here == start and not missing
    if len(missing) > left:
        return False
    for port in range(graph.ports):
        to = graph.across(here, port)
        if to is not None and (here, port) not in used:
            after = missing - {to[0]}, used | {(here, port)}
            if closed(graph, to[0], start, *after, left - 1):
                return True
    return False


@pytest.mark.parametrize("name", ["star-4", "ring-5", "mesh-2x3", "complete-4", "hypercube-8"])
def test_no_ring_is_shorter(name: str) -> None:
    (group,) = plan_of(f'topology = "{name}"').groups
    graph, rng = group.graph, random.Random(name)
    for size in (2, 3, 4):
        members = rng.sample(graph.nodes, size)
        ring = best_ring(graph, members)
        assert ring is not None
        assert ring.length == shortest(graph, [switch for switch, _ in members])
        assert ring.excess == 0


@pytest.mark.parametrize("name", ["star-5", "fat-tree-2x2", "fat-octagon-16", "torus-3x3"])
def test_the_token_passes_every_core_once(name: str) -> None:
    (group,) = plan_of(f'topology = "{name}"').groups
    routes, graph = through_cores(group).routes(), group.graph
    outputs = {(switch, source): (switch, port) for (switch, port), source in routes.items()}
    assert len(outputs) == len(routes) == len(group.routes())
    at_port = {graph.port_of(node): node for node in group.members}
    here, met, links = graph.port_of(group.route.root), list[Node](), 0
    while not met or met[-1] != group.route.root:
        output = outputs[here]
        if output in at_port:
            met.append(at_port[output])
            here = output
        else:
            links, to = links + 1, graph.across(*output)
            assert to is not None
            here = to
    assert (sorted(met), links) == (sorted(group.members), group.links)


def test_several_members_at_one_switch_need_no_link() -> None:
    nodes = "links = []\nnodes = [[0, 0], [0, 1], [0, 2]]"
    (ring,) = checked(plan_of(nodes)).groups
    (tree,) = checked(plan_of(nodes, "tree")).groups
    assert (ring.links, ring.bound, tree.links, tree.bound) == (0, 6, 0, 6)
    assert ring.routes() == {(0, 0): 0, (0, 1): 0, (0, 2): 0}
    assert tree.routes() == {(0, 1): 0, (0, 2): 0}


def test_routes_around_what_is_dead() -> None:
    for name in ("torus-3x3", "hypercube-8", "fat-tree-2x2"):
        plan = plan_of(f'topology = "{name}"')
        graph = plan.groups[0].graph
        for a, b in graph.links:
            names = [f"{a[0]},{a[1]}-{b[0]},{b[1]}"]
            dead = type(plan.without).of(plan.spec.network.topology, names)
            around = checked(make_plan(plan.spec, dead)).groups[0]
            assert {a, b}.isdisjoint(around.route.outputs)


def test_rings_do_not_depend_on_the_order_of_members_alone() -> None:
    """Every order of three members of a star has the ring of the same length."""
    for order in permutations([[1, 5], [2, 5], [4, 5]]):
        (group,) = checked(plan_of('topology = "star-6"\nports = 6', members=str([*order]))).groups
        assert group.links == 6
