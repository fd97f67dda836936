"""The whole plan: placement in entries, bounds, JSON."""

import json
from typing import Any

import pytest

from syncfabric.models.errors import PlanError
from syncfabric.models.networks import reader
from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.networks.spec import GroupSpec, MeshSpec, NetworkSpec
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
