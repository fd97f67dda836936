"""Plans of groups as JSON, and JSON that is no plan."""

import copy
import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.spec import GroupSpec, MessageSpec, NetworkSpec
from syncfabric.models.planning.group_plan import FIELDS, GroupPlan
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.models.planning.planners import plan_groups
from tests.models.planning.checker import cluster, groups_of, mesh
from tests.models.planning.irregular import draw_network

CLUSTER = cluster(draw_network(random.Random(5), 6, 4, 12))


def planned(network: MessageSpec, size: int, count: int = 1) -> tuple[GroupPlan, ...]:
    return plan_groups(network, groups_of(network, random.Random(3), count, (size,)))


def test_json_has_the_fields_of_all_plans_and_entries() -> None:
    for network in (mesh(4, 4), CLUSTER, mesh(4, 4, transport="routed")):
        written = planned(network, 3)[0].to_json()
        assert list(written) == [*FIELDS, "entries"]
        assert (written["ring"], written["links"]) == (None, None)
    (plan,) = plan_groups(mesh(3, 1), [GroupSpec(id=9, members=((2, 0), (0, 0)))])
    assert plan.to_json()["edges"] == [[[0, 0], [1, 0]], [[2, 0], [1, 0]]]
    assert plan.to_json()["ports"] == [0, 2, 4]
    assert plan.to_json()["relays"] == [[1, 0]]
    assert plan.to_json()["entries"][1] == {"router": [1, 0], "entry": 0}


def change(path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def apply(entry: dict[str, Any]) -> None:
        *steps, last = (int(step) if step.isdigit() else step for step in path.split("."))
        here: Any = entry
        for step in steps:
            here = here[step]
        here[last] = value

    return apply


@pytest.mark.parametrize(
    ("change_it", "words"),
    [
        (lambda e: e.pop("entries"), "it has no entries, as plans of earlier editions; plan again"),
        (lambda e: e["entries"].pop(), "entries are not at the routers of its tree; plan again"),
        (change("entries.0.entry", 16), r"entry must be 0\.\.15, not 16; plan again"),
        (change("entries.0.entry", True), r"entry must be 0\.\.15, not True; plan again"),
        (change("entries.0.entry", 3), r"registers is not what its tree has: .*; plan again"),
        (change("bound", 3), "bound is not what its tree has: 3 in place of .*; plan again"),
        (change("bound_least", "4"), "bound_least must be cycles, not '4'; plan again"),
        (change("height", 9), "height is not what its tree has: 9 in place of .*; plan again"),
        (change("switches.1.parent", 2), ".*; plan again"),
        (lambda e: e["switches"].pop(0), ".*; plan again"),
        (lambda e: e.pop("members"), "'members'; plan again"),
        (change("members.0", [0, 99]), ".*; plan again"),
    ],
)
def test_what_is_no_plan(change_it: Callable[[dict[str, Any]], Any], words: str) -> None:
    entry = json.loads(json.dumps(planned(CLUSTER, 5)[0].to_json()))
    assert GroupPlan.from_json(copy.deepcopy(entry), CLUSTER).to_json() == entry
    change_it(entry)
    with pytest.raises(SpecError, match=f"^plan: group 0: {words}$"):
        GroupPlan.from_json(entry, CLUSTER)


def test_groups_have_entries_apart() -> None:
    groups = tuple(GroupSpec(id=i, members=((0, 0), (1, 0))) for i in range(2))
    data = make_plan(NetworkSpec(name="n", network=mesh(3, 3), groups=groups)).to_json()
    assert BarrierPlan.from_json(data).to_json() == data
    data["groups"][1] |= {name: data["groups"][0][name] for name in ("registers", "entries")}
    words = r"^plan: group 1: entry 0 of router \(0, 0\) is that of group 0, too; plan again$"
    with pytest.raises(SpecError, match=words):
        BarrierPlan.from_json(data)


@pytest.mark.parametrize(
    "change_it",
    [
        change("edges.0", [[0, 0], [3, 3]]),
        change("root", [3, 3]),
        change("ports.0", 3),
        change("relays", []),
        change("relays", [[9, 9]]),
    ],
)
@pytest.mark.parametrize("transport", ["link", "routed"])
def test_what_is_no_plan_of_a_mesh(
    change_it: Callable[[dict[str, Any]], Any], transport: str
) -> None:
    network = mesh(4, 4, transport=transport)
    group = GroupSpec(id=0, members=((0, 0), (3, 1)), planner="cs" * (transport == "routed"))
    (plan,) = plan_groups(network, [group])
    entry = json.loads(json.dumps(plan.to_json()))
    assert GroupPlan.from_json(entry, network) == plan
    change_it(entry)
    with pytest.raises(SpecError, match=r"^plan: group 0: .*; plan again$"):
        GroupPlan.from_json(entry, network)
