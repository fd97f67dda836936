"""Set-up over the config chain and by managers, and plans as JSON that are no plans."""

import copy
import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.layout.engine import COMMIT, Code
from syncfabric.models.layout.setup import COMMAND, REQUEST, ManagerWord
from syncfabric.models.networks.spec import GroupSpec, MessageSpec, NetworkSpec
from syncfabric.models.planning.entries import owner_of
from syncfabric.models.planning.group_plan import FIELDS, GroupPlan
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.models.planning.planners import plan_groups
from syncfabric.models.planning.set_up import (
    Epochs,
    group_images,
    kill_command,
    kill_writes,
    manager_address,
    set_up_command,
    set_up_writes,
)
from tests.models.planning.checker import cluster, groups_of, mesh, replay
from tests.models.planning.engines import Barriers
from tests.models.planning.irregular import draw_network

CLUSTER = cluster(draw_network(random.Random(5), 6, 4, 12))


def planned(network: MessageSpec, size: int, count: int = 1) -> tuple[GroupPlan, ...]:
    return plan_groups(network, groups_of(network, random.Random(3), count, (size,)))


def test_epochs_are_those_of_each_entry() -> None:
    """Groups that come and go leave entries of one router with different epochs."""
    network = mesh(3, 3)
    first, second = planned(network, 4, 2)
    epochs = Epochs()
    list(set_up_writes([first], network.shape, epochs))
    list(set_up_writes([first, second], network.shape, epochs))
    for router, entry in first.placement.items():
        assert epochs[router, entry] == 2
    for router, entry in second.placement.items():
        assert epochs[router, entry] == 1
        assert epochs.after((router, entry)) == 2
    assert epochs[0, 15] == 0
    for _ in range(3):
        epochs.set_up(second)
    assert {epochs[place] for place in second.placement.items()} == {0}
    epochs[4, 1] = 7
    assert epochs[4, 1] == 3


def test_names_have_the_epoch_after_set_up() -> None:
    network = mesh(2, 1)
    (plan,) = planned(network, 2)
    epochs = Epochs()
    epochs[0, 0], epochs[1, 0] = 3, 1
    images = list(group_images(plan, network.shape.router.layout, epochs))
    root = plan.tree.root
    assert [image.router for image in images] == [1 - root, root]
    assert {image.router: image.epoch for image in images} == {0: 3, 1: 1}
    layout = network.shape.router.layout.image
    fields = {image.router: layout.unpack(image.word) for image in images}
    assert (fields[0]["epoch_0"], fields[1]["epoch_2"]) == (2, 0)


@pytest.mark.parametrize("network", [mesh(4, 4, groups=4), CLUSTER])
def test_groups_are_set_up_again_and_again(network: MessageSpec) -> None:
    """KILL ends a group at once, and its entries are set up anew with the next epochs."""
    plans = planned(network, 5, 3)
    barriers = Barriers(network, plans)
    for _ in range(5):
        assert barriers.barrier(plans[1], [0, 3, 1, 2, 9]) <= plans[1].bound
        for write in kill_writes(plans[1:2], network.shape, barriers.epochs):
            barriers.write(write)
        barriers.rest(40, broken=True)
        for write in set_up_writes(plans[1:2], network.shape, barriers.epochs):
            barriers.write(write)
        barriers.rest(60)
    assert barriers.barrier(plans[0], [0] * 5) <= plans[0].bound


def test_kill_is_for_every_router() -> None:
    (plan,) = planned(CLUSTER, 5)
    epochs = Epochs()
    list(set_up_writes([plan], CLUSTER.shape, epochs))
    writes = list(kill_writes([plan], CLUSTER.shape, epochs))
    assert {w.target - len(CLUSTER.nodes) for w in writes} == plan.placement.keys()
    for target, address, word in writes:
        commit = COMMIT.unpack(word)
        assert (address, commit["code"], commit["epoch"]) == (0, Code.KILL, 1)
        assert commit["entry"] == plan.placement[target - len(CLUSTER.nodes)]


def manager_memory(network: MessageSpec, writes: list[tuple[int, int]]) -> list[dict[str, int]]:
    """Check the shape of a command's requests; return what they ask for."""
    shape = network.shape
    found = []
    assert writes[0] == (manager_address(ManagerWord.POINTER), 0)
    assert {address for address, _ in writes[1:-1]} == {manager_address(ManagerWord.DATA)}
    data, size = [word for _, word in writes[1:-1]], shape.router.layout.image_words + 2
    assert writes[-1][0] == manager_address(ManagerWord.COMMAND)
    assert COMMAND.unpack(writes[-1][1])["count"] * size == len(data)
    for header, request, *words in (data[i : i + size] for i in range(0, len(data), size)):
        at = shape.header.unpack(header)
        assert at.pop("reply") == 0
        router = at["y"] * 4 + at["x"] if "x" in at else at["router"]
        fields = REQUEST.unpack(request)
        assert fields["operation"] == fields["manager"] == fields["tag"] == fields["sequence"] == 0
        image = sum(word << 32 * k for k, word in enumerate(words))
        found.append({"router": router, "image": image, **fields})
    return found


def test_requests_of_a_manager() -> None:
    """They carry what the config chain writes, the root last; KILL is for the same entries."""
    network = mesh(4, 4, setup="manager")
    (plan,) = planned(network, 6)
    epochs = Epochs()
    epochs[plan.tree.root, 0] = 2
    asked = manager_memory(network, set_up_command(plan, network.shape, epochs))
    assert asked[-1]["router"] == plan.tree.root
    assert asked[-1]["epoch"] == 2
    assert all(request["epoch"] == 0 for request in asked[:-1])
    assert {r["router"]: r["entry"] for r in asked} == plan.placement
    images = {
        image.router: image for image in group_images(plan, network.shape.router.layout, epochs)
    }
    assert {r["router"]: r["image"] for r in asked} == {r: i.word for r, i in images.items()}
    epochs.set_up(plan)
    killed = manager_memory(network, kill_command(plan.placement.items(), network.shape, epochs))
    assert {r["router"]: r["entry"] for r in killed} == plan.placement
    assert {r["router"]: r["epoch"] for r in killed} == {
        router: 3 if router == plan.tree.root else 1 for router in plan.placement
    }


def test_the_op_is_written_where_there_are_data() -> None:
    group = GroupSpec(id=1, members=((0, 0), (1, 0)), op="max")
    for data_bits, op in ((0, 0), (4, 3)):
        network = mesh(2, 1, data_bits=data_bits, operations="all")
        plans = plan_groups(network, [group])
        for entry in replay(network, set_up_writes(plans, network.shape, Epochs())).values():
            assert entry.image["op"] == op


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
        *way, last = (int(step) if step.isdigit() else step for step in path.split("."))
        here: Any = entry
        for step in way:
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


def test_entries_are_of_one_manager() -> None:
    network = mesh(4, 4, setup="manager", managers=((0, 0), (1, 0), (2, 0)))
    first, second = planned(network, 5, 2)
    router = network.shape.router
    assert owner_of(first.placement.values(), router) == 0
    assert owner_of(second.placement.values(), router) == 1
    assert owner_of([3, 15], mesh(4, 4).shape.router) == 0
    words = r"entries {} are not of one manager's share"
    for entries, named in (([3, 4], "3 to 4"), ([12, 15], "12 to 15")):
        with pytest.raises(SpecError, match=f"^{words.format(named)}$"):
            owner_of(entries, router)
    entry = json.loads(json.dumps(first.to_json()))
    entry["entries"][0]["entry"] = 4
    with pytest.raises(SpecError, match=r"^plan: group 0: entries 0 to 4 are not of one manager"):
        GroupPlan.from_json(entry, network)


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
