"""Groups with streams: their channels, and what plans say of them."""

import json
from collections import deque

import pytest

from syncfabric.models.errors import DeadlockError, PlanError
from syncfabric.models.networks.reader import loads
from syncfabric.models.planning import deadlock
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan import make_plan

HEAD = """name = "a"
[network]
kind = "mesh"
width = 8
height = 8
wires = 4
streams = 2
"""


def _group(number: int, members: str, *, stream: bool) -> str:
    text = f"[[group]]\nid = {number}\nmembers = {members}\n"
    return text + ("stream = true\n" if stream else "")


def _row(y: int) -> str:
    return str([[x, y] for x in range(8)])


def test_streams_take_channels_and_others_leave_them() -> None:
    rows = [_group(y, _row(y), stream=True) for y in range(8)]
    columns = [_group(8 + x, str([[x, y] for y in range(8)]), stream=True) for x in range(8)]
    barriers = [_group(100 + n, '"all"', stream=False) for n in range(3)]
    made = make_plan(loads(HEAD + "".join([*barriers, *rows, *columns])))
    slots = {group.id: set(group.placement.values()) for group in made.groups}
    assert all(slots[y] == {16} for y in range(8)), "rows are apart: one channel does for all"
    assert all(slots[8 + x] == {17} for x in range(8))
    on_wires = [slots[100 + n] for n in range(3) if made.groups[n].slot_register is not None]
    assert on_wires == [{18}, {19}], "slots without streams come first"


def test_a_stream_without_a_channel_is_refused() -> None:
    text = HEAD + "".join(_group(n, '"all"', stream=True) for n in range(3))
    with pytest.raises(
        PlanError, match=r"group 2: no channel is left for its stream.*set streams above 2, "
    ):
        make_plan(loads(text))
    text = HEAD.replace("streams = 2", "streams = 4")
    text += "".join(_group(n, '"all"', stream=True) for n in range(5))
    with pytest.raises(
        PlanError, match="a tree of its own; set it up when another group has ended"
    ):
        make_plan(loads(text))


def test_the_bound_of_all_of_8x8_is_that_of_the_contract() -> None:
    (group,) = make_plan(loads(HEAD + _group(1, '"all"', stream=True))).groups
    assert group.longest_path == 8
    assert group.stream_bound == 58


def test_plans_are_read_again() -> None:
    spec = loads(HEAD + _group(1, _row(0), stream=True) + _group(2, _row(1), stream=False))
    made = make_plan(spec)
    for group in made.groups:
        again = GroupPlan.from_json(json.loads(json.dumps(group.to_json())), spec.network)
        assert again.stream_bound == group.stream_bound


def test_channels_of_their_own_cannot_deadlock_and_shared_ones_can() -> None:
    """Rows and columns of one mesh, and two groups of all its nodes."""
    rows = [_group(y, _row(y), stream=True) for y in range(8)]
    columns = [_group(8 + x, str([[x, y] for y in range(8)]), stream=True) for x in range(8)]
    for groups in ([*rows, *columns], [_group(99, '"all"', stream=True), *rows]):
        made = make_plan(loads(HEAD + "".join(groups)))
        deadlock.check(made)
        with pytest.raises(DeadlockError, match="  stream: "):
            deadlock.check(made, shared=True)
    # One group alone: its channels are its own, however they are numbered.
    deadlock.check(make_plan(loads(HEAD + rows[0])), shared=True)


def test_trees_of_irregular_networks_are_in_the_graph() -> None:
    text = """name = "a"
[network]
kind = "irregular"
switches = 3
ports = 3
wires = 2
streams = 2
links = [[[0, 0], [1, 0]], [[1, 1], [2, 0]]]
nodes = [[0, 1], [1, 2], [2, 1]]
"""
    groups = "".join(_group(n, '"all"', stream=True) for n in (1, 2))
    made = make_plan(loads(text + groups))
    lanes = {channel.lane for channel in deadlock.channel_graph(made)}
    assert {"stream 0", "stream 1"} <= lanes
    deadlock.check(made)
    with pytest.raises(DeadlockError):
        deadlock.check(made, shared=True)


@pytest.mark.parametrize("shared", [True, False])
def test_a_join_by_shared_channels_stops_for_good(shared: bool) -> None:
    """Two members send to two groups at once, each first to the other one.

    A channel is a FIFO of four words; each stream has twenty.
    """
    order = {"east": (1, 2), "west": (2, 1)}
    left = {(side, g): 20 for side in order for g in order[side]}
    fifos = {(side, 0 if shared else g): deque[int]() for side in order for g in (1, 2)}
    joined = {1: 0, 2: 0}
    for _ in range(200):
        for g in joined:
            fronts = [fifos[side, 0 if shared else g] for side in order]
            if all(fifo and fifo[0] == g for fifo in fronts):
                joined[g] += 1
                for fifo in fronts:
                    fifo.popleft()
        for side, groups in order.items():
            for g in groups:
                if left[side, g] and len(fifo := fifos[side, 0 if shared else g]) < 4:
                    fifo.append(g)
                    left[side, g] -= 1
    assert joined == ({1: 0, 2: 0} if shared else {1: 20, 2: 20})
