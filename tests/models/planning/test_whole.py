"""Plans that somebody has put together of parts that do not belong together."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.networks import reader
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.models.planning.tree import Tree

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


CLUSTER = "cluster-fig1"
FAR = Tree.from_edges([(0, 0), (9, 9)], [[[9, 9], [0, 0]]], np.array([4, 0]))
APARTS: dict[str, tuple[str, Change, str]] = {
    "no plan of a group": ("mesh-2x2", whole(groups=("x",)), "str is no plan"),
    "another kind": (CLUSTER, on("mesh-8x8"), "IrregularGroupPlan is no plan of a group on"),
    "a smaller mesh": ("mesh-8x8", on("mesh-2x2"), "its tree goes by"),
    "other switches": (CLUSTER, on("twins"), "its tree goes by"),
    "wires of another": ("wires-4x4", on("wires-cluster"), "its network is not that of the"),
    "one group twice": ("mesh-2x2", lambda p: replace(p, groups=p.groups * 2), "id 1 is used"),
    "no groups": ("reflex-2x2", whole(groups=None), "'NoneType' object"),
    "a turnaround": (CLUSTER, first(turnaround="node"), "group 1: its turnaround is not"),
    "a bound in words": ("mesh-2x2", first(bound="soon"), "bound must be cycles or None"),
    "a bound below 0": ("mesh-2x2", first(bound=-1), "bound must be cycles or None, not -1"),
    "a register": ("mesh-2x2", first(slots=lambda g: g.slots + 4), "register 4 is none of the"),
    "a register below 0": ("mesh-2x2", first(slots=lambda g: g.slots - 1), "register -1 is none"),
    "registers too few": ("mesh-2x2", first(slots=lambda g: g.slots[1:]), "shorter than"),
    "a switch's register": (
        CLUSTER,
        first(switch_slots=lambda g: g.switch_slots + 4),
        "register 4 is none of the network's 4",
    ),
    "a slot": ("wires-4x4", first(slot=9), "register 9 is none of the network's"),
    "a tree elsewhere": ("mesh-2x2", first(tree=FAR, slots=np.zeros(2, int)), r"by \(9, 9\)"),
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


@pytest.mark.parametrize("name", ["mesh-8x8", CLUSTER, "reflex-2x2", "wires-4x4", "wires-cluster"])
def test_a_part_of_a_plan_is_a_plan(name: str) -> None:
    part = replace(plan(name), groups=plan(name).groups[:1])
    assert BarrierPlan.from_json(json.loads(json.dumps(part.to_json()))).groups == part.groups


def test_a_switch_by_a_port_without_a_link() -> None:
    read = json.loads(json.dumps(plan(CLUSTER).to_json()))
    read["groups"][0]["switches"][-1]["parent"] = 15
    with pytest.raises(SpecError, match="switch 7: no link is at port 15; plan again"):
        BarrierPlan.from_json(read)
