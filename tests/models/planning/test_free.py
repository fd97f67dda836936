"""Entries that groups take and leave."""

from syncfabric.models.networks.spec import GroupSpec
from syncfabric.models.planning.free import FreeEntries
from syncfabric.models.planning.planners import plan_groups
from tests.models.planning.checker import mesh


def test_free_entries_are_those_with_registers_at_members_alone() -> None:
    keys = {"managers": ((0, 0), (1, 0)), "groups": 64, "port_registers": 4}
    network = mesh(3, 1, setup="manager", **keys)
    ends = GroupSpec(id=1, members=((0, 0), (2, 0)))
    (group,) = plan_groups(network, [ends])
    free = FreeEntries(network.shape)
    taken = [free.take(group) for _ in range(4)]
    seen = [each and [each.placement[router] for router in range(3)] for each in taken]
    assert seen == [[i, 31 - i, i] for i in range(4)]
    assert free.take(group) is None  # nodes have 4 registers
    assert taken[2]
    free.leave(taken[2])
    again = free.take(group)
    assert again
    assert again.placement == taken[2].placement
    assert free.take(group, owner=1) is None  # none of whose entries has a register
