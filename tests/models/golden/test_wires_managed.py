"""Groups on barrier wires that a manager sets up, clears and kills by packets."""

import random
from typing import Any

import pytest

from syncfabric.models.messages import Answer, ManagerState, Request
from syncfabric.models.messages.wires import WireWord
from syncfabric.models.traffic import rate_word
from tests.models.golden.wire_bench import WireBench, mesh_keys, switch_keys

DONE, FAILED = ManagerState.DONE, ManagerState.FAILED
GROUPS = {3: (0, 1, 2, 3, 4), 5: (1, 3), 7: (0, 4)}
KINDS = ["mesh", "irregular"]
R = 4


def make(kind: str, traffic: float = 0, **options: Any) -> WireBench:
    keys = mesh_keys(3, 3) if kind == "mesh" else switch_keys()
    keys |= {"setup": "manager", "sync": "wires", "barrier_registers": R, **options}
    made = WireBench(keys, GROUPS, traffic=rate_word(traffic))
    made.write_own()
    return made


def routers(made: WireBench) -> list[int]:
    """Return the places with set-up sinks, as on the config port."""
    nodes = len(made.network.topology.nodes)
    return list(range(9)) if nodes == 9 else list(range(nodes, nodes + 4))


def holders(made: WireBench, gid: int) -> dict[int, int]:
    found = {place: made.model.holder(place, gid) for place in routers(made)}
    return {place: register for place, register in found.items() if register is not None}


@pytest.mark.parametrize("kind", KINDS)
def test_whole_lives_beside_traffic(kind: str) -> None:
    made, rng = make(kind, traffic=0.3, link_registers=1), random.Random(kind)
    for gid, group in made.groups.items():
        entries = made.entries(gid)
        assert made.command(Request.SETUP, entries) == (DONE, Answer.OK)
        assert set(holders(made, gid).values()) == {group.slot}
        assert len(holders(made, gid)) == len(entries)
    assert len({group.slot for group in made.groups.values()}) > 1
    for _ in range(2):
        for gid, group in made.groups.items():
            assert made.barrier(gid, rng) == group.bound
    for gid in made.groups:
        assert made.command(Request.CLEAR, made.entries(gid)) == (DONE, Answer.OK)
        assert not holders(made, gid)
    for place in routers(made):
        assert made.counters(place) == [0, 0, 0, 0]


@pytest.mark.parametrize(("kind", "operation"), [(k, o) for k in KINDS for o in ("CLEAR", "KILL")])
def test_ending_a_group_breaks_who_waits_in_a_router(kind: str, operation: str) -> None:
    """On a mesh, where processes are at routers; nobody is ever told BUSY."""
    made = make(kind)
    gid, group = 3, make(kind).groups[3]
    assert made.command(Request.SETUP, made.entries(gid)) == (DONE, Answer.OK)
    for node in (0, 3):
        made.step(arrive={(node, group.number): 1})
    made.rest(40)
    made.released.clear()
    assert made.command(Request[operation], made.entries(gid)) == (DONE, Answer.OK)
    made.rest(5)
    told = sorted((node, broken) for _, node, _, _, broken in made.released)
    if kind == "mesh":
        assert told == [(0, True), (3, True)]
        assert made.model.broken(0, group.number)
    else:
        assert not told
        made.request(0, 8 * group.number, 0)
        made.rest(2)
        assert [(node, broken) for _, node, _, _, broken in made.released] == [(0, True)]
    assert not holders(made, gid)
    assert not made.model.freed(0)


@pytest.mark.parametrize("kind", KINDS)
def test_a_request_names_its_slot(kind: str) -> None:
    made = make(kind)
    assert made.command(Request.SETUP, made.entries(5, slot=2)) == (DONE, Answer.OK)
    places = holders(made, 5)
    assert set(places.values()) == {2}
    # Another group finds that slot taken somewhere, though others are free: all is undone.
    assert made.command(Request.SETUP, made.entries(3, slot=2)) == (FAILED, Answer.FULL)
    assert not holders(made, 3)
    assert made.command(Request.SETUP, made.entries(3, slot=R)) == (FAILED, Answer.FULL)
    assert made.command(Request.SETUP, made.entries(3, slot=R - 1)) == (DONE, Answer.OK)
    # The slot keeps no number.
    place = next(iter(places))
    assert (made.request(place, 8 * 2 + WireWord.TREE) or 0) >> 20 == 0
    assert holders(made, 5) == places


@pytest.mark.parametrize("kind", KINDS)
def test_a_group_that_is_there_as_asked_is_there(kind: str) -> None:
    made = make(kind)
    entries = made.entries(7)
    assert made.command(Request.SETUP, entries) == (DONE, Answer.OK)
    # Whatever slot is asked for: it is found by its group.
    assert made.command(Request.SETUP, made.entries(7, slot=3)) == (DONE, Answer.OK)
    group = made.groups[7]
    assert set(holders(made, 7).values()) == {group.slot}
    if kind == "mesh":
        made.step(arrive={(0, group.number): 1})
        made.rest(30)
        assert made.command(Request.SETUP, entries) == (FAILED, Answer.EXISTS)
        # All that is busy is left; what was as asked is undone.
        assert list(holders(made, 7)) == [0, 1]


@pytest.mark.parametrize("kind", KINDS)
def test_managers_beside_messages_leave_slots_alone(kind: str) -> None:
    keys = mesh_keys(3, 3) if kind == "mesh" else switch_keys()
    keys |= {"setup": "manager", "sync": "both", "barrier_registers": R}
    planner = "btm" if kind == "mesh" else "btin"
    made, rng = WireBench(keys, {1: (0, 4), **GROUPS}, {1: planner}), random.Random(3)
    made.write_own()
    assert made.entries(3) == []
    for gid, group in made.groups.items():
        assert made.model.holder(0, gid) in (None, group.number)
        assert made.barrier(gid, rng) == group.bound
    assert made.command(Request.SETUP, made.entries(1)) == (DONE, Answer.OK)
    made.rest(50)
    register = made.model.holder(0, 1)
    assert register is not None
    assert register < R
    for node in (0, 4):
        made.step(arrive={(node, register): 1}, last=[(node, register), (node, R)])
    made.rest(60)
    assert made.model.freed(0) == [1]
    for gid, group in made.groups.items():
        assert made.barrier(gid, rng) == group.bound
