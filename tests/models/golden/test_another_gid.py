"""Without managers a group that hangs keeps registers; its members go on under another GID."""

import pytest

from syncfabric.models.golden.model import GoldenModel
from syncfabric.models.golden.network import model_of
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages import register_address
from syncfabric.models.networks.spec import GroupSpec, IrregularSpec, MeshSpec, NetworkSpec
from syncfabric.models.planning.images import group_writes
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from tests.models.golden.irregular_bench import line

H = 60
NETWORKS: dict[str, MeshSpec | IrregularSpec] = {
    "mesh": MeshSpec(kind="mesh", width=4, height=3, setup="local", watchdog=H),
    "irregular": line(4, watchdog=H),
}


def ask(model: GoldenModel, target: int, address: int, data: int | None = None) -> tuple[bool, int]:
    """Write or read; return whether it is refused, and what is read."""
    model.step(config=ConfigRequest(target, address, data is not None, data or 0))
    while not model.config_answer[0]:
        model.step()
    return model.config_answer[1:]


def set_up(model: GoldenModel, plan: BarrierPlan, gid: int) -> None:
    (group,) = (group for group in plan.groups if group.id == gid)
    for target, address, data in group_writes(plan, group):
        assert not ask(model, target, address, data)[0]


def barrier(model: GoldenModel, plan: BarrierPlan, gid: int, absent: int = -1) -> bool:
    """Let a group's members arrive; return whether all are released, and none of them broken."""
    (group,) = (group for group in plan.groups if group.id == gid)
    nodes = [plan.spec.network.topology.index(member) for member in group.members]
    holders = {node: model.holder(node, gid) for node in nodes if node != absent}
    seats = {(node, place) for node, place in holders.items() if place is not None}
    assert len(seats) == len(holders)
    model.step(arrive=dict.fromkeys(seats, 0))
    released = set()
    for _ in range(3 * H):
        released |= {(node, register) for node, register, _ in model.release}
        model.step()
    return seats <= released and not any(model.broken(*seat) for seat in seats)


@pytest.mark.parametrize("name", NETWORKS)
def test_the_others_go_on_under_another_gid(name: str) -> None:
    network = NETWORKS[name]
    nodes = tuple(network.topology.nodes)
    dead = len(nodes) // 2
    left = tuple(node for index, node in enumerate(nodes) if index != dead)
    groups = (
        GroupSpec(id=1, members=nodes),
        GroupSpec(id=2, members=left),
        GroupSpec(id=3, members=(nodes[0], nodes[-1])),
    )
    plan = make_plan(NetworkSpec(name="t", network=network, groups=groups))
    model = model_of(network)
    model.step(start=True)
    set_up(model, plan, 1)
    set_up(model, plan, 3)
    assert barrier(model, plan, 1)
    assert not barrier(model, plan, 1, absent=dead)
    stuck = []
    for target in range(len(model._places)):
        place = model.holder(target, 1)
        if place is not None:
            _, control = ask(model, target, register_address(place, 0))
            stuck += [target] * ask(model, target, register_address(place, 0), control)[0]
    assert stuck
    assert len(stuck) < len(model._places)
    set_up(model, plan, 2)
    for _ in range(3):
        assert barrier(model, plan, 2)
        assert barrier(model, plan, 3)
