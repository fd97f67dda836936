"""Plans that somebody has put together of parts that do not belong together."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.networks import reader
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan import BarrierPlan, make_plan

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
    "no plan of a group": ("mesh-2x2", whole(groups=("x",)), "str is no plan"),
    "another kind": ("reflex-2x2", on("mesh-2x2"), "StaticGroupPlan is no plan of a group on"),
    "a smaller mesh": ("mesh-8x8", on("mesh-2x2"), "group 1"),
    "other switches": (CLUSTER, on("twins"), "group 1"),
    "slots of another": (WIRES, on("mesh-8x8"), "group 1"),
    "one group twice": (
        "mesh-2x2",
        lambda p: replace(p, groups=p.groups * 2),
        "id 1 is used twice",
    ),
    "no groups": ("reflex-2x2", whole(groups=None), "'NoneType' object"),
    "a bound in words": ("mesh-2x2", first(bound="soon"), "bound must be cycles or None"),
    "a bound below 0": ("mesh-2x2", first(bound=-1), "bound must be cycles or None, not -1"),
    "a bound of others": ("mesh-2x2", first(bound=99), "bound is not what its tree has: 99"),
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
