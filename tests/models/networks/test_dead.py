"""Plans around dead links and nodes: nothing that is planned comes upon them."""

import random
from collections.abc import Callable

import networkx as nx
import pytest

from syncfabric.models.errors import PlanError, SpecError
from syncfabric.models.networks.dead import Dead
from syncfabric.models.networks.irregular import Place
from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.networks.reader import load
from syncfabric.models.networks.spec import GroupSpec, NetworkSpec, StaticSpec
from syncfabric.models.planning import deadlock
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from tests.models.planning.without import (
    Crossing,
    crossings,
    draw_dead,
    draw_irregular,
    draw_mesh,
    draw_static,
)

Draw = Callable[[random.Random], NetworkSpec]

KINDS: dict[str, Draw] = {
    "mesh": draw_mesh,
    "mesh, wires": lambda rng: draw_mesh(rng, wires=2),
    "irregular": draw_irregular,
    "irregular, wires": lambda rng: draw_irregular(rng, wires=2),
    "static": draw_static,
}


def plan_drawn(draw: Draw, seed: int) -> BarrierPlan | None:
    """Draw a network and what is dead, plan around it, and check; None if it is refused."""
    rng = random.Random(seed)
    spec = draw(rng)
    names, gone, nodes = draw_dead(rng, spec)
    dead = Dead.of(spec.network.topology, names)
    plan, refusal = planned(spec, dead)
    if plan is None:
        assert "\n" not in refusal
        assert is_excused(spec, gone, nodes, refusal), refusal
        return None
    for gid, crossing in crossings(plan):
        assert crossing not in gone, (gid, crossing, names)
    for group in spec.groups:
        left = [member for member in group.members if member not in nodes]
        same = [each for each in plan.groups if each.id == group.id]
        assert [list(each.members) for each in same] == ([left] if left else [])
        lost = tuple(member for member in group.members if member in nodes)
        assert plan.left_out.get(group.id, ()) == lost
    assert BarrierPlan.from_json(plan.to_json()) == plan
    if not isinstance(spec.network, StaticSpec):
        deadlock.check(plan)
    return plan


def planned(spec: NetworkSpec, dead: Dead) -> tuple[BarrierPlan | None, str]:
    """Plan; or return why not."""
    try:
        return make_plan(spec, dead), ""
    except PlanError as error:
        return None, str(error)


def is_excused(spec: NetworkSpec, gone: set[Crossing], nodes: set[Place], error: str) -> bool:
    """Whether a refusal is right: members are apart; rings may need another path."""
    if "found no ring" in error:
        return True
    topology = spec.network.topology
    graph: nx.Graph[object] = nx.Graph()
    if isinstance(topology, Mesh):
        steps = [((x, y), (x + a, y + b)) for x, y in topology.nodes for a, b in ((1, 0), (0, 1))]
        graph.add_edges_from(s for s in steps if topology.contains(s[1]) and s not in gone)
        where = {node: node for node in topology.nodes}
    else:
        graph.add_edges_from((a[0], b[0]) for a, b in topology.links if (a, None) not in gone)
        where = {node: node[0] for node in topology.nodes}  # type: ignore[misc]
    graph.add_nodes_from(where.values())
    for group in spec.groups:
        left = [where[member] for member in group.members if member not in nodes]
        if left and not set(left) <= nx.node_connected_component(graph, left[0]):
            return True
    return False


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_comes_upon_what_is_dead(kind: str) -> None:
    plans = [plan_drawn(KINDS[kind], seed) for seed in range(3 if kind == "static" else 8)]
    assert any(plan is not None and plan.without for plan in plans)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_comes_upon_what_is_dead_in_hundreds_of_networks(kind: str) -> None:
    plans = [plan_drawn(KINDS[kind], seed) for seed in range(100, 500)]
    assert sum(plan is not None for plan in plans) > 200


def test_a_tree_is_left_as_it_is_where_nothing_of_it_is_dead() -> None:
    spec = load("mesh-8x8")
    used = {link for _, link in crossings(make_plan(spec))}
    across = [((x, y), (x + 1, y)) for x in range(7) for y in range(8)]
    (x, y), (a, b) = next(link for link in across if link not in used)
    dead = Dead.of(spec.network.topology, [f"{x},{y}-{a},{b}"])
    assert make_plan(spec, dead).groups == make_plan(spec).groups


def test_a_detour_passes_the_routers_beside() -> None:
    group = GroupSpec(id=1, members=((0, 1), (3, 1)))
    spec = NetworkSpec(name="t", network=load("mesh-4x4").network, groups=(group,))
    (straight,), (around,) = (
        make_plan(spec, dead).engine_groups
        for dead in (Dead(), Dead.of(spec.network.topology, ["1,1-2,1"]))
    )
    assert (len(straight.tree), len(around.tree)) == (4, 6)
    assert len(around.tree.edges) == 5


def test_routed_messages_cannot_go_around() -> None:
    spec = load("fig1")
    words = r'^fig1: network: routed messages cannot go around .*; set transport = "link"'
    with pytest.raises(PlanError, match=words.replace("fig1: ", "(.*: )?")):
        make_plan(spec, Dead.of(spec.network.topology, ["0,1-1,1"]))


@pytest.mark.parametrize(
    ("network", "name", "words"),
    [
        ("fig1", "8,0", "(8, 0) is outside the 8x8 mesh; x must be 0..7, y 0..7"),
        ("fig1", "1,1-2,2", "(1, 1) and (2, 2) are no neighbours"),
        ("fig1", "1", "is no node or link of a 8x8 mesh"),
        ("fig1", "a,b", "is no node or link of a 8x8 mesh"),
        ("reflex-4x4", "1,1-1,1", "are no neighbours"),
        ("cluster-fig1", "9", "there is no switch 9; switches are 0..8"),
        ("cluster-fig1", "0,7", "there is no node (0, 7)"),
        ("cluster-fig1", "0,1-1,1", "no link joins (0, 1) and (1, 1)"),
        ("cluster-fig1", "-1", "is no switch, node or link"),
    ],
)
def test_what_is_no_link_or_node_is_refused(network: str, name: str, words: str) -> None:
    spec = load(network)
    with pytest.raises(SpecError, match=r"^--without") as refusal:
        Dead.of(spec.network.topology, [name])
    assert words in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_member_that_is_cut_off_is_named() -> None:
    spec = load("mesh-4x4")
    dead = Dead.of(spec.network.topology, ["0,0-1,0", "0,0-0,1"])
    with pytest.raises(PlanError, match=r"member \(0, 0\) cannot be reached from \(1, 0\)"):
        make_plan(spec, dead)


def test_a_group_of_which_no_member_is_left_is_left_out() -> None:
    spec = load("mesh-2x2")
    group = {"id": 7, "members": ((1, 1),)}
    spec = NetworkSpec(name="t", network=spec.network, groups=(*spec.groups, group))  # type: ignore[arg-type]
    plan = make_plan(spec, Dead.of(spec.network.topology, ["1,1"]))
    assert [group.id for group in plan.groups] == [1]
    assert plan.left_out == {1: ((1, 1),), 7: ((1, 1),)}
