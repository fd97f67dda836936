"""Plans on barrier wires: trees, slots, what does not fit, JSON."""

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.irregular import Irregular, Place
from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.networks.reader import load
from syncfabric.models.networks.spec import GroupSpec, IrregularSpec, MeshSpec, NetworkSpec
from syncfabric.models.planning.plan_wires import WireGroupPlan
from syncfabric.models.planning.wires import WirePlans, plan_wires, slot_use
from tests.models.planning.irregular import clusters, network_of
from tests.models.planning.wire_plans import check_groups, image_words


def mesh(width: int, height: int, **keys: Any) -> MeshSpec:
    return MeshSpec(**{"kind": "mesh", "width": width, "height": height, "sync": "wires", **keys})


def group(gid: int, members: Any, **keys: Any) -> GroupSpec:
    return GroupSpec(**{"id": gid, "members": tuple(members), "planner": "wires", **keys})


def planned(
    network: MeshSpec | IrregularSpec, groups: list[GroupSpec], brute: bool = True
) -> WirePlans:
    """Plan groups, check all of it, and see that it can be written and read."""
    plans = plan_wires(network, groups)
    found = [plan.id for plan in plans.groups]
    left = [spec.id for spec in plans.left]
    assert sorted(found + left) == sorted(spec.id for spec in groups)
    check_groups(network, plans.groups, brute)
    for plan in plans.groups:
        (asked,) = (spec for spec in groups if spec.id == plan.id)
        assert (plan.members, plan.op) == (asked.members, asked.op)
        again = WireGroupPlan.from_json(json.loads(json.dumps(plan.to_json())), network)
        assert again == plan
        assert sorted(again.images()) == sorted(plan.images())
    use = slot_use(network, plans.groups)
    assert use.least <= use.used <= use.of == network.barrier_registers
    return plans


def all_of(network: MeshSpec | IrregularSpec, brute: bool = True) -> WireGroupPlan:
    (plan,) = planned(network, [group(7, network.topology.nodes)], brute).groups
    return plan


@pytest.mark.parametrize(("side", "links"), [(1, 0), (2, 2), (3, 2), (4, 4), (8, 8), (16, 16)])
def test_all_of_a_mesh(side: int, links: int) -> None:
    plan = all_of(mesh(side, side))
    assert (plan.bound_links, plan.bound, plan.slot) == (links, 2 * links + 2, 0)
    assert all_of(mesh(side, side, link_registers=3)).bound == 8 * links + 2


def test_all_of_a_large_mesh() -> None:
    assert all_of(mesh(64, 64), brute=False).bound == 130


def test_all_of_a_large_irregular_network() -> None:
    drawn = load("cluster-75").network
    assert isinstance(drawn, IrregularSpec)
    network = IrregularSpec(**{**drawn.model_dump(), "sync": "both"})
    assert all_of(network).number == network.barrier_registers


@pytest.mark.parametrize("link_registers", [0, 2])
def test_groups_of_one(link_registers: int) -> None:
    (plan,) = planned(mesh(3, 3, link_registers=link_registers), [group(1, [(2, 1)])]).groups
    assert (plan.root, plan.bound_links, plan.bound) == ((2, 1), 0, 2)
    topology = Irregular(4, 2, (((0, 0), (1, 0)),), ((0, 1), (0, 2), (1, 1)))
    spec = network_of(topology, sync="wires", link_registers=link_registers).network
    assert isinstance(spec, IrregularSpec)
    plans = planned(spec, [group(1, [(0, 2)]), group(2, [(0, 1), (0, 2)]), group(3, [(1, 1)])])
    alone, pair, other = plans.groups
    assert (alone.root, alone.root_switch, alone.bound) == ((0, 2), None, 2)
    assert (pair.root, pair.root_switch, pair.bound_links, pair.height) == (None, 0, 1, 0)
    assert alone.slot != pair.slot
    assert (other.slot, slot_use(spec, plans.groups)) == (0, (4, 2, 2))
    assert [image.target for image in pair.images()] == [0, 1, 3]
    assert next(alone.images()).register.children == (1,)


@st.composite
def on_meshes(draw: st.DrawFn) -> tuple[MeshSpec, list[GroupSpec]]:
    rng = random.Random(draw(st.integers(0, 2**32)))
    nodes = Mesh(rng.randint(1, 7), rng.randint(1, 7))
    keys = {"barrier_registers": rng.randint(1, 5), "link_registers": rng.randint(0, 3)}
    network = mesh(nodes.width, nodes.height, sync="both", **keys)
    most = rng.choice((2, 4, len(nodes.nodes)))
    sizes = [rng.randint(1, min(most, len(nodes.nodes))) for _ in range(rng.randint(1, 8))]
    ops = ("or", "and", "xor")
    return network, [
        group(gid, rng.sample(nodes.nodes, size), op=rng.choice(ops))
        for gid, size in enumerate(sizes)
    ]


@given(on_meshes())
@settings(max_examples=40, deadline=None)
def test_random_groups_on_meshes(case: tuple[MeshSpec, list[GroupSpec]]) -> None:
    network, groups = case
    plans = planned(network, groups)
    load_ = max(sum(node in spec.members for spec in groups) for node in network.mesh.nodes)
    assert len(plans.left) >= load_ - network.barrier_registers
    if len(groups) <= network.barrier_registers:
        assert not plans.left


@given(clusters(), st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_random_groups_on_irregular_networks(
    case: tuple[Irregular, list[Place]], seed: int
) -> None:
    topology, first = case
    rng = random.Random(seed)
    keys = {"barrier_registers": rng.randint(1, 5), "data_bits": 0}
    network = network_of(topology, sync="both", **keys).network
    assert isinstance(network, IrregularSpec)
    groups = [group(0, first)]
    for gid in range(1, rng.randint(1, 6)):
        size = rng.randint(1, min(4, len(topology.nodes)))
        groups.append(group(gid, rng.sample(topology.nodes, size)))
    plans = planned(network, groups)
    if len(groups) <= network.barrier_registers:
        assert not plans.left


def test_parallel_links_come_back_from_json() -> None:
    topology = Irregular(4, 2, (((0, 0), (1, 0)), ((0, 3), (1, 3))), ((0, 1), (1, 1)))
    spec = network_of(topology, sync="wires", wires="shared").network
    assert isinstance(spec, IrregularSpec)
    (plan,) = planned(spec, [group(4, topology.nodes)]).groups
    assert plan.to_json()["edges"] == [[1, 0]]
    assert plan.to_json()["switches"] == [
        {"switch": 0, "parent": None, "children": [0, 1], "register": 0},
        {"switch": 1, "parent": 0, "children": [1], "register": 0},
    ]


def test_what_the_json_says() -> None:
    network = mesh(3, 2, sync="both", barrier_registers=2)
    rows = [group(1, [(0, 0), (2, 0)], op="and"), group(2, [(0, 1), (2, 1)])]
    first, second = planned(network, rows).groups
    assert first.to_json() == {
        "id": 1,
        "planner": "wires",
        "op": "and",
        "root": [1, 0],
        "root_switch": None,
        "root_node": None,
        "height": 1,
        "longest_path": 1,
        "bound_links": 1,
        "bound": 4,
        "bound_btm": None,
        "bound_least": 4,
        "edges": [[[0, 0], [1, 0]], [[2, 0], [1, 0]]],
        "members": [[0, 0], [2, 0]],
        "ports": None,
        "registers": [2, 2],
        "relays": None,
        "switches": None,
        "ring": None,
        "ring_least": None,
        "links": None,
        "flits": None,
        "slot": 0,
    }
    assert (second.slot, second.places) == (0, {(0, 1): 2, (2, 1): 2})
    middle = list(first.images())[2]
    words = {17: 0b101 << 4, 16: 0b1_00_001_0_11}
    assert (middle.target, image_words(middle)) == (1, words)


def test_groups_of_other_planners_are_passed_by() -> None:
    network = mesh(4, 4, sync="both")
    plans = plan_wires(network, [group(1, [(0, 0), (1, 0)], planner="btm"), group(2, [(0, 0)])])
    assert [plan.id for plan in plans.groups] == [2]
    assert plans.left == ()


def test_the_fewest_are_left_out() -> None:
    """A large group would keep three small ones off the one slot."""
    row = [group(gid, [(2 * gid, 0), (2 * gid + 1, 0)]) for gid in range(3)]
    large = group(9, [(0, 0), (5, 0)])
    plans = planned(mesh(6, 1, sync="both", barrier_registers=1), [large, *row])
    assert [spec.id for spec in plans.left] == [9]


def refusal(network: MeshSpec, groups: list[GroupSpec]) -> str:
    with pytest.raises(PlanError) as caught:
        plan_wires(network, groups)
    return str(caught.value)


def test_groups_that_do_not_fit_are_named() -> None:
    everyone = [group(gid, Mesh(2, 2).nodes) for gid in range(6)]
    assert refusal(mesh(2, 2), everyone) == (
        "groups 4, 5: no slot was found beside 4 other groups on wires (barrier_registers = 4); "
        'set barrier_registers = 6, which holds all, or sync = "both" in [network]'
    )
    assert refusal(mesh(2, 2, barrier_registers=5), everyone).startswith("group 5: no slot")
    many = [group(gid, Mesh(2, 2).nodes) for gid in range(70)]
    assert refusal(mesh(2, 2, barrier_registers=64), many).endswith(
        '(barrier_registers = 64); set sync = "both", and they are messages in [network]'
    )


def test_a_group_that_no_manager_can_set_up() -> None:
    network = mesh(33, 32, setup="manager")
    assert refusal(network, [group(3, network.mesh.nodes)]) == (
        "group 3: its tree has 1,056 nodes, and a manager's command can ask 1,024; "
        'set setup = "local" in [network]'
    )


def test_one_plan_whenever_it_is_made() -> None:
    rng = random.Random(3)
    network = mesh(8, 8, sync="both", barrier_registers=3)
    groups = [group(gid, rng.sample(network.mesh.nodes, 5)) for gid in range(8)]
    first, second = (planned(network, groups, brute=False) for _ in range(2))
    assert [plan.to_json() for plan in first.groups] == [plan.to_json() for plan in second.groups]


def test_specs_choose_the_planner() -> None:
    """With both, groups go on wires unless their operation or their planner keeps them off."""
    nodes = ((0, 0), (1, 0))
    groups = (
        GroupSpec(id=1, members=nodes),
        GroupSpec(id=2, members=nodes, planner="shortest"),
        GroupSpec(id=3, members=nodes, op="sum"),
        GroupSpec(id=4, members=nodes, op="xor", planner="wires"),
    )
    network = mesh(4, 4, sync="both", operations="all")
    spec = NetworkSpec(name="n", network=network, groups=groups)
    assert [made.planner for made in spec.groups] == ["wires", "shortest", "btm", "wires"]
    alone = NetworkSpec(name="n", network=mesh(4, 4), groups=groups[:1])
    assert alone.groups[0].planner == "wires"
