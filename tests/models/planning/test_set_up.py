"""Set-up over the config chain and by managers: epochs, images, commands and writes."""

import random

import pytest

from syncfabric.models.layout.engine import COMMIT, Code
from syncfabric.models.layout.setup import COMMAND, REQUEST
from syncfabric.models.layout.words import ManagerWord, config_address
from syncfabric.models.networks.spec import GroupSpec, MessageSpec
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.planners import plan_groups
from syncfabric.models.planning.set_up import (
    Epochs,
    group_images,
    kill_command,
    kill_writes,
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


@pytest.mark.parametrize("key_bits", [0, 2, 8, 16])
def test_a_group_has_one_key_and_each_its_own(key_bits: int) -> None:
    network = mesh(3, 3, key_bits=key_bits)
    layout = network.shape.router.layout
    keys = []
    for plan in planned(network, 4, 3):
        images = group_images(plan, layout, Epochs())
        (key,) = {layout.image.unpack(image.word).get("key") for image in images}
        keys.append(key)
    if key_bits:
        assert len(set(keys)) == 3
        assert all(key and key < 1 << key_bits for key in keys)
    else:
        assert keys == [None] * 3


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
    assert writes[0] == (config_address(ManagerWord.POINTER), 0)
    assert {address for address, _ in writes[1:-1]} == {config_address(ManagerWord.DATA)}
    data, size = [word for _, word in writes[1:-1]], shape.router.layout.image_words + 2
    assert writes[-1][0] == config_address(ManagerWord.COMMAND)
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
