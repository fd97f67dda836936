"""Groups with streams: their channels, and what plans say of them."""

import json

import pytest

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.reader import loads
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
    with pytest.raises(PlanError, match="group 2: no channel is left for its stream"):
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
