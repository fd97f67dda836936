"""Groups on barrier wires: one slot for a tree, which no other tree with that slot touches."""

from typing import Any

import pytest

from syncfabric.models.errors import PlanError, SpecError
from syncfabric.models.layout.setup import owners_of
from syncfabric.models.networks.dead import Dead
from syncfabric.models.networks.reader import loads
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.models.planning.set_up import Epochs, group_images

ROW = [[[0, 0], [3, 0]], [[0, 1], [3, 1]], [[1, 0], [2, 0]], [[0, 0], [1, 1]], [[2, 0], [2, 1]]]


def planned(groups: list[Any], without: Dead | None = None, **keys: Any) -> BarrierPlan:
    """Return the plan of a 4x2 mesh."""
    keys = {"width": 4, "height": 2, "transport": '"link"', "groups": 4, **keys}
    lines = ['name = "n"\n[network]\nkind = "mesh"', *(f"{k} = {v}" for k, v in keys.items())]
    for number, members in enumerate(groups):
        lines.append(f"[[group]]\nid = {number}\nmembers = {members}")
    spec = loads("\n".join(lines))
    return make_plan(spec, without) if without else make_plan(spec)


def slots(plan: BarrierPlan, entries: int = 4) -> list[int | None]:
    """Return the slot of each group; None: it is one of messages."""
    found: list[int | None] = []
    for group in plan.groups:
        numbers = {*group.placement.values()}
        wired = group.slot_register is not None
        assert wired == (group.planner == "wires") == (min(numbers) >= entries)
        assert not wired or len(numbers) == 1
        found.append(min(numbers) - entries if wired else None)
    return found


@pytest.mark.parametrize("wires", range(4))
@pytest.mark.parametrize("transport", ['"link"', '"routed"'])
def test_groups_in_one_slot_have_no_router_in_common(wires: int, transport: str) -> None:
    plan = planned(ROW, wires=wires, transport=transport, setup='"local"')
    taken: dict[tuple[int, int], int] = {}
    for group, slot in zip(plan.groups, slots(plan), strict=True):
        for router in group.placement if slot is not None else ():
            assert slot is not None
            assert taken.setdefault((slot, router), group.id) == group.id
    assert sum(slot is not None for slot in slots(plan)) == [0, 2, 4, 5][wires]
    assert BarrierPlan.from_json(plan.to_json()).groups == plan.groups


def test_a_longer_tree_goes_round_those_that_are_there() -> None:
    plan = planned([[[1, 0], [2, 0]], [[0, 0], [3, 0]]], wires=1)
    around = plan.groups[1]
    assert slots(plan) == [0, 0]
    assert (around.bound_least, around.bound) == (6, 8)


def test_without_a_slot_a_group_goes_as_messages() -> None:
    plan = planned([[[0, 0], [1, 0]], [[0, 0], [3, 0]]], wires=1)
    assert slots(plan) == [0, None]
    assert [group.planner for group in plan.spec.groups] == ["wires", "shortest"]


def test_managers_have_slots_in_turn() -> None:
    keys: dict[str, Any] = {
        "setup": '"manager"',
        "managers": "[[0, 0], [1, 0], [3, 1]]",
        "wires": 6,
    }
    plan = planned(ROW, **keys)
    owners = owners_of(3, 4, 6)
    assert [owners.get(4 + s) for s in range(6)] == [0, 1, 2, None, 0, 1]
    assert [owners[4 + s] for s in slots(plan) if s is not None] == [0, 1, 2, 0, 1]


def test_trees_go_round_what_is_dead() -> None:
    dead = Dead.of(loads(BASE).network.topology, ["1,0-2,0"])
    plan = planned([[[0, 0], [3, 0]]], dead, wires=1)
    assert slots(plan) == [0]
    assert plan.groups[0].bound == 2 * 3 + 2


def test_images_have_no_names() -> None:
    plan = planned(["'all'"], wires=2)
    (group,) = plan.groups
    layout = plan.spec.message_network.shape.router.layout
    for image in group_images(group, layout, Epochs()):
        fields = layout.image.unpack(image.word)
        assert image.entry == 4
        assert not any(value for name, value in fields.items() if name[:5] in ("entry", "epoch"))
        at = group.tree.position[image.router]
        assert fields["children"] == group.tree.child_mask[at]


def _moved(plan: dict[str, Any]) -> None:
    plan["groups"][0]["entries"][0]["entry"] = 5


def _named(plan: dict[str, Any]) -> None:
    plan["groups"][0]["planner"] = "shortest"


def _beyond(plan: dict[str, Any]) -> None:
    for entry in plan["groups"][0]["entries"]:
        entry["entry"] = 6


@pytest.mark.parametrize("corrupt", [_moved, _named, _beyond])
def test_a_plan_that_is_none_is_refused(corrupt: Any) -> None:
    written = planned(["'all'"], wires=2).to_json()
    corrupt(written)
    with pytest.raises((SpecError, PlanError), match="group 0"):
        BarrierPlan.from_json(written)


BASE = """
name = "n"
[network]
kind = "mesh"
transport = "link"
width = 4
height = 2
wires = 1
"""


def test_what_wires_cannot_combine_is_refused() -> None:
    group = '[[group]]\nid = 1\nmembers = "all"\nop = "sum"\n'
    with pytest.raises(SpecError, match='planner = "shortest" or none'):
        loads(BASE + 'operations = "all"\n' + group + 'planner = "wires"')
    spec = loads(BASE + 'operations = "all"\n' + group)
    assert spec.groups[0].planner == "shortest"
