"""The whole plan: placement in entries, bounds, JSON, and parts that do not belong together."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from syncfabric.models.errors import PlanError, SpecError
from syncfabric.models.networks import reader
from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.networks.spec import GroupSpec, MeshSpec, NetworkSpec
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan import BarrierPlan, make_plan

NAMES = list(reader.ready_made())


@pytest.mark.parametrize("name", NAMES)
def test_ready_made_networks_are_planned_and_read_again(name: str) -> None:
    plan = make_plan(reader.load(name))
    assert BarrierPlan.from_json(json.loads(json.dumps(plan.to_json()))) == plan


def test_the_plan_of_figure_1() -> None:
    """All is merged 16 cycles after the last arrival at most, by hand; 11 down, and a release."""
    (group,) = make_plan(reader.load("fig1")).to_json()["groups"]
    assert group["id"] == 1
    assert group["root"] == [4, 4]
    assert (group["height"], group["longest_path"], group["bound"]) == (2, 9, 28)
    assert [[6, 7], [4, 4]] in group["edges"]
    assert len(group["edges"]) == 13
    assert group["registers"] == [0] * 14


def test_groups_share_no_entry() -> None:
    """Each takes one at every router of its tree, and members name that of their own."""
    plan = make_plan(reader.load("demo"))
    taken = [place for group in plan.engine_groups for place in group.placement.items()]
    assert len(set(taken)) == len(taken)
    for group in plan.engine_groups:
        for (x, y), register in group.places.items():
            assert register == group.placement[8 * y + x]
    assert plan.group(3) is plan.groups[2]


def everyone(side: int, planner: str, **keys: Any) -> BarrierPlan:
    """Plan one group of all nodes of a mesh whose messages are routed."""
    given = {"kind": "mesh", "width": side, "height": side, "transport": "routed", **keys}
    network = MeshSpec.model_validate(given)
    group = GroupSpec(id=0, members=tuple(Mesh(side, side).nodes), planner=planner)
    return make_plan(NetworkSpec(name="n", network=network, groups=(group,)))


def test_shortest_is_planned_beside_btm() -> None:
    (paper,) = everyone(8, "btm").engine_groups
    (ours,) = everyone(8, "shortest").engine_groups
    assert ours.planner == "shortest"
    assert paper.bound == paper.bound_btm == ours.bound_btm
    assert paper.bound_least <= ours.bound < paper.bound


def test_an_unknown_group_is_named_with_the_known() -> None:
    message = "Network demo has no group 4; its groups: 1, 2, 3"
    with pytest.raises(PlanError, match=f"^{message}$"):
        make_plan(reader.load("demo")).group(4)


APART = "^plan: its parts do not belong together: "
Change = Callable[[BarrierPlan], BarrierPlan]


@cache
def plan(name: str) -> BarrierPlan:
    return make_plan(reader.load(name))


def first(**changed: Any) -> Change:
    """Return what changes the first group's plan."""

    def change(given: BarrierPlan) -> BarrierPlan:
        group, *others = given.groups
        values = {
            name: value(group) if callable(value) else value for name, value in changed.items()
        }
        return replace(given, groups=(replace(group, **values), *others))

    return change


def whole(**changed: Any) -> Change:
    """Return what changes a plan."""
    return lambda given: replace(given, **changed)


def on(name: str) -> Change:
    """Return what puts groups on another network."""
    return whole(spec=plan(name).spec)


def moved(by: int) -> Callable[[GroupPlan], dict[int, int]]:
    """Return what moves a group's entries."""
    return lambda group: {router: entry + by for router, entry in group.placement.items()}


CLUSTER, WIRES = "cluster-fig1", "wires-8x8"
APARTS: dict[str, tuple[str, Change, str]] = {
    "no plan of a group": (
        "mesh-2x2",
        whole(groups=("x",)),
        "no attribute 'to_json'",
    ),
    "another kind": ("reflex-2x2", on("mesh-2x2"), "group 1: it has no entries"),
    "a smaller mesh": ("mesh-8x8", on("mesh-2x2"), "group 1"),
    "other switches": (CLUSTER, on("twins"), "group 1"),
    "slots of another": (WIRES, on("mesh-8x8"), "group 1"),
    "one group twice": (
        "mesh-2x2",
        lambda p: replace(p, groups=p.groups * 2),
        "id 1 is used twice",
    ),
    "no groups": ("reflex-2x2", whole(groups=None), "'NoneType' object"),
    "a bound in words": ("mesh-2x2", first(bound="soon"), "bound is not what its tree has: 'soon'"),
    "a bound below 0": ("mesh-2x2", first(bound=-1), "bound is not what its tree has: -1"),
    "a bound of others": ("mesh-2x2", first(bound=99), "bound is not what its tree has: 99"),
    "a least below 0": ("mesh-2x2", first(bound_least=-1), "bound_least must be cycles, not -1"),
    "an entry": ("mesh-2x2", first(placement=moved(by=16)), r"entry must be 0\.\.15, not 16"),
    "an entry below 0": ("mesh-2x2", first(placement=moved(by=-1)), r"entry must be 0\.\.15"),
    "entries too few": ("mesh-2x2", first(placement=lambda g: {0: 0}), "KeyError"),
    "flits": ("reflex-2x2", first(flits=7), "groups is not what it is read as again; plan again"),
    "members": ("reflex-2x2", first(members=((0, 0), (7, 7))), "reflex-2x2|group 1|groups"),
    "an operation": ("mesh-2x2", first(op="mean"), 'group 1: op must be "or"'),
    "what is dead": ("mesh-2x2", whole(without="x"), "'str' object"),
    "left out": ("mesh-2x2", whole(left_out={1: "ab"}), "not enough values"),
}


@pytest.mark.parametrize("what", APARTS)
def test_a_plan_of_parts_that_contradict_each_other(what: str) -> None:
    name, change, message = APARTS[what]
    with pytest.raises(SpecError, match=APART + f".*({message})"):
        change(plan(name)).to_json()


@pytest.mark.parametrize("name", ["mesh-8x8", CLUSTER, "reflex-2x2", WIRES])
def test_a_part_of_a_plan_is_a_plan(name: str) -> None:
    part = replace(plan(name), groups=plan(name).groups[:1])
    assert BarrierPlan.from_json(json.loads(json.dumps(part.to_json()))).groups == part.groups


def test_a_switch_by_a_port_without_a_link() -> None:
    read = json.loads(json.dumps(plan(CLUSTER).to_json()))
    read["groups"][0]["switches"][-1]["parent"] = 15
    words = "^plan: group 1: Tree goes by port 15 of 7, which has no link; plan again$"
    with pytest.raises(SpecError, match=words):
        BarrierPlan.from_json(read)


def test_a_plan_of_an_earlier_edition_is_to_be_made_again() -> None:
    """Such a plan has settings that networks no longer have, or groups without entries."""
    read = json.loads(json.dumps(plan("mesh-2x2").to_json()))
    settings = {key: value for key, value in read["settings"].items() if key != "groups"}
    old = read | {"settings": settings | {"barrier_registers": 4}, "slots": None}
    with pytest.raises(SpecError, match=r"^plan: settings: .*barrier_registers.*; plan again$"):
        BarrierPlan.from_json(old)
    del read["groups"][0]["entries"]
    words = "^plan: group 1: it has no entries, as plans of earlier editions; plan again$"
    with pytest.raises(SpecError, match=words):
        BarrierPlan.from_json(read)
