"""Plans of static networks: several groups side by side, bounds, JSON."""

import json
import random
from itertools import pairwise
from typing import Any

import pytest

from syncfabric.models.errors import PlanError
from syncfabric.models.networks import reader
from syncfabric.models.networks.mesh import Mesh, Node, Port
from syncfabric.models.networks.spec import GroupSpec, NetworkSpec, StaticSpec
from syncfabric.models.planning.free_links import Output
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.models.planning.ring import Ring
from syncfabric.models.planning.static_routes import reach
from tests.models.golden.static_bench import Group, ready_bench
from tests.models.golden.static_play import Play
from tests.models.planning.flit_trace import check_ring, check_tree
from tests.models.planning.static_paths import (
    disjoint_groups,
    edges_of,
    passed,
    ring_hops,
    tree_hops,
)


def planned(
    width: int, height: int, groups: list[GroupSpec], **buffers: Any
) -> tuple[GroupPlan, ...]:
    """Plan groups, and see that the plan can be written and read."""
    network = StaticSpec(kind="static", width=width, height=height, **buffers)
    plan = make_plan(NetworkSpec(name="n", network=network, groups=tuple(groups)))
    assert BarrierPlan.from_json(json.loads(json.dumps(plan.to_json()))) == plan
    return plan.groups


def one(width: int, height: int, planner: str, members: Any = None, **buffers: int) -> Any:
    """Plan one group, of all nodes by default."""
    nodes = tuple(members or Mesh(width, height).nodes)
    (group,) = planned(width, height, [GroupSpec(id=7, members=nodes, planner=planner)], **buffers)
    return group


def check(mesh: Mesh, groups: tuple[GroupPlan, ...]) -> None:
    """Load the routes of all groups at once; each root's flits get to its own members alone."""
    routes: dict[Output, Any] = {}
    for group in groups:
        assert routes.keys().isdisjoint(group.routes()), "two groups use an output"
        routes |= group.routes()
    used: set[Output] = set()
    for group in groups:
        if len(group.members) == 1:
            continue
        assert group.route.excess >= 0
        if isinstance(group.route, Ring):
            assert group.planner == "ring"
            assert len(ring_hops(mesh, passed(mesh, group.route.ring))) == group.links
            found = check_ring(mesh.graph, routes, group.members, group.route.root)
            assert group.bound_links == group.links == len(found.links)
        else:
            edges = edges_of(mesh, group.edges or ())
            tree_hops(mesh, group.route.root, edges, group.members)
            found = check_tree(mesh.graph, routes, group.members, group.route.root)
            farthest = max(distances[0] for distances in found.cores.values())
            assert group.bound_links == group.height == farthest
            assert group.links == len(found.links)
        assert reach(group) == {node: distances[0] for node, distances in found.cores.items()}
        used |= found.outputs
    assert used == routes.keys(), "an output selects what never comes"


@pytest.mark.parametrize("name", [n for n in reader.ready_made() if n.startswith("reflex")])
def test_ready_made_networks(name: str) -> None:
    spec = reader.load(name)
    assert isinstance(spec.network, StaticSpec)
    plan = make_plan(spec)
    groups = plan.groups
    assert len(groups) == len(spec.groups)
    if isinstance(spec.network.topology, Mesh):
        check(spec.network.topology, groups)
    if name == "reflex-groups":
        assert {group.planner for group in groups} == {"ring", "tree"}


@pytest.mark.parametrize(("side", "bound"), [(2, 14), (4, 38), (8, 134)])
def test_bounds_of_full_rings(side: int, bound: int) -> None:
    """Paper Reflex and SPEC section 6: 2 N + 6."""
    group = one(side, side, "ring")
    assert (group.bound, group.bound_least, group.links) == (bound, bound, side * side)
    assert (group.height, group.flits, group.edges) == (None, None, None)


@pytest.mark.parametrize(("side", "bound"), [(4, 17), (8, 29), (16, 53)])
@pytest.mark.parametrize("places", [1, 2])
def test_bounds_of_full_trees(side: int, bound: int, places: int) -> None:
    """SPEC section 6: 3 L + 5 with all buffers of two places, or of one."""
    buffers = dict.fromkeys(("switch_buffer", "core_buffer", "injection_buffer"), places)
    group = one(side, side, "tree", **buffers)
    assert (group.bound, group.bound_least, group.height) == (bound, bound, side)
    assert group.flits == places * (side + 2) + 1
    assert (group.ring, group.links) == (None, side * side - 1)


def test_odd_rings_are_longer() -> None:
    for side, links, bound in ((3, 14, 34), (5, 26, 58)):
        group = one(side, side, "ring")
        assert (group.links, group.bound, group.bound_least) == (links, bound, bound)


def test_large_core_buffers_make_the_bound_of_a_ring_longer() -> None:
    """The period, N + B + 3 or N + 2 B + 4, where that is more than 2 N + 6."""
    assert one(2, 2, "ring", core_buffer=7).bound == 14
    assert one(2, 2, "ring", core_buffer=8).bound == 4 + 8 + 3
    assert one(2, 2, "ring", core_buffer=4, switch_buffer=1).bound == 4 + 2 * 4 + 4


@pytest.mark.parametrize("planner", ["ring", "tree"])
@pytest.mark.parametrize("size", [(1, 1), (1, 5), (3, 3)])
def test_a_group_of_one(planner: str, size: tuple[int, int]) -> None:
    """It needs no ring, so it may be alone on a row, too."""
    group = one(*size, planner, [(0, 0)])
    assert group.route.root == (0, 0)
    assert group.routes() == {}
    assert (group.bound, group.bound_least, group.links, group.longest_path) == (1, 1, 0, 0)


def test_a_ring_on_a_row_is_refused_and_the_tree_is_not() -> None:
    rule = (
        r'^group 7: planner = "ring" has no ring on a 5x1 mesh, where it would turn back at a '
        r'switch, which none can; set planner = "tree"$'
    )
    with pytest.raises(PlanError, match=rule):
        one(5, 1, "ring")
    assert one(5, 1, "tree").height == 2
    assert one(1, 5, "tree").root == (0, 2)


def test_a_ring_has_a_member_at_its_root() -> None:
    members: list[Node] = [(0, 3), (3, 3), (3, 0)]
    group = one(4, 4, "ring", members)
    assert Mesh(4, 4).node(group.ring[0]) == group.route.root
    assert group.route.root in members
    assert group.places == dict.fromkeys(members, 0)


def test_a_plan_as_json() -> None:
    found = one(2, 2, "ring").to_json()
    assert found["ring"][0] == found["root"]
    assert found["ring_least"] == {"links": 4, "by": "sides"}
    assert (found["planner"], found["op"], found["bound_links"]) == ("ring", "or", 4)
    nothing = ("root_switch", "root_node", "bound_btm", "edges", "ports", "switches", "flits")
    assert {found[key] for key in nothing} == {None}
    found = one(3, 1, "tree").to_json()
    assert found["edges"] == [[[0, 0], [1, 0]], [[2, 0], [1, 0]]]
    assert (found["root"], found["height"], found["flits"]) == ([1, 0], 1, 7)
    assert (found["ring"], found["ring_least"]) == (None, None)


def test_plans_of_other_members_differ() -> None:
    assert one(3, 2, "ring") != one(3, 2, "ring", [(0, 0), (2, 1)])
    assert one(3, 2, "ring") == one(3, 2, "ring")
    assert one(3, 2, "ring") != "a ring"


@pytest.mark.parametrize("buffers", [(2, 2, 2), (1, 1, 1), (1, 3, 2)])
@pytest.mark.parametrize(
    ("planner", "members"),
    [
        ("ring", None),
        ("ring", [(0, 0), (2, 1), (4, 2)]),
        ("tree", None),
        ("tree", [(0, 2), (4, 0)]),
    ],
)
def test_the_bound_holds_whoever_is_last(
    planner: str, members: list[Node] | None, buffers: tuple[int, int, int]
) -> None:
    """The golden model runs a plan; a ring through all of 5x3 passes one switch twice."""
    keys = ("switch_buffer", "core_buffer", "injection_buffer")
    places: dict[str, Any] = dict(zip(keys, buffers, strict=True))
    group = one(5, 3, planner, members, **places)
    spec = StaticSpec(kind="static", width=5, height=3, **places)
    node = spec.topology.node
    routes = {
        (node(switch), Port(port)): Port(source)
        for (switch, port), source in group.routes().items()
    }
    made = Group(group.route.root, group.members, routes, group.bound_links, planner == "tree")
    count = len(group.members)
    play = Play(ready_bench(spec, made), lambda e, m, _: 300 * (m == e % count))
    course = play.join(made)
    play.run(count)
    assert max(map(course.latency, range(count))) <= group.bound


def check_random(seed: int, count: int) -> int:
    """Check random groups on random meshes; return how often some were refused."""
    rng, refused = random.Random(seed), 0
    for _ in range(count):
        mesh = Mesh(rng.randint(2, 8), rng.randint(2, 8))
        groups = disjoint_groups(mesh, rng, ("ring", "ring", "tree"))
        try:
            check(mesh, planned(mesh.width, mesh.height, groups))
        except PlanError:
            refused += 1
    return refused


def test_random_groups() -> None:
    assert check_random(seed=5, count=4) <= 1


@pytest.mark.nightly
def test_many_random_groups() -> None:
    assert check_random(seed=6, count=100) <= 18


def test_two_rings_in_the_two_directions() -> None:
    groups = [
        GroupSpec(id=1, members=((0, 0), (1, 1)), planner="ring"),
        GroupSpec(id=2, members=((1, 0), (0, 1)), planner="ring"),
    ]
    both = planned(2, 2, groups)
    check(Mesh(2, 2), both)
    assert [group.links for group in both] == [4, 4]
    assert planned(2, 2, groups) == both, "it is the same every time"


def test_too_many_rings_are_refused() -> None:
    """On two rows a ring round the whole takes every link in one direction: there is no third."""
    pairs = pairwise([(0, 0), (2, 1), (2, 0), (0, 1), (1, 0), (1, 1)])
    groups = [
        GroupSpec(id=gid, members=members, planner="ring")
        for gid, members in enumerate(list(pairs)[::2])
    ]
    rule = r'^group \d: planner = "ring" found no ring that shares no link with those of groups '
    with pytest.raises(
        PlanError, match=rule + r'\d, \d, though there may be one; set planner = "t'
    ):
        planned(3, 2, groups)
