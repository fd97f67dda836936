"""The checker passes what is right, and finds what is wrong."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from syncfabric.models.collectives.checker import check
from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.paths import paths
from syncfabric.models.collectives.schedule import Schedule, Step, Transfer
from syncfabric.models.collectives.task import Rules
from syncfabric.models.collectives.topology import Topology, full_duplex
from tests.models.collectives.right_schedules import (
    ALL,
    STORE,
    TABLE_4,
    cube_aas,
    fat_multicast,
    fig_5,
    ring_aab,
    ring_aab_strict,
    ring_oas,
    table_4,
    turned_round,
)

RIGHT = st.sampled_from(list(ALL.values())).map(lambda make: make())


@pytest.mark.parametrize("make", ALL.values(), ids=ALL)
def test_a_right_schedule_passes(make: Callable[[], Schedule]) -> None:
    schedule = make()
    report = check(schedule)
    assert report.conflicts == ()
    assert report.right
    assert report.served == report.required == schedule.collective.demand


def test_table_4_of_the_paper_is_right() -> None:
    report = check(table_4())
    assert report.right
    assert (report.served, report.longest, report.detour) == (56, 2, 0)
    assert [len(line.split()) for line in TABLE_4] == [13, 14, 13, 16]


def test_fig_5_of_the_paper_is_right() -> None:
    report = check(fig_5())
    assert report.right
    assert (report.served, report.longest) == (7, 3)


def steps_with(schedule: Schedule, step: int, transfers: Step) -> Schedule:
    steps = list(schedule.steps)
    steps[step] = transfers
    return replace(schedule, steps=tuple(steps))


@settings(deadline=None)
@given(RIGHT, st.data())
def test_a_transfer_left_out_is_found(schedule: Schedule, data: st.DataObject) -> None:
    step = data.draw(st.sampled_from([t for t, s in enumerate(schedule.steps) if s]))
    place = data.draw(st.integers(0, len(schedule.steps[step]) - 1))
    left = schedule.steps[step]
    report = check(steps_with(schedule, step, left[:place] + left[place + 1 :]))
    assert not report.right
    assert report.conflicts


@settings(deadline=None)
@given(RIGHT, st.data())
def test_a_transfer_made_twice_is_found(schedule: Schedule, data: st.DataObject) -> None:
    step = data.draw(st.sampled_from([t for t, s in enumerate(schedule.steps) if s]))
    transfer = data.draw(st.sampled_from(schedule.steps[step]))
    where = data.draw(st.integers(0, len(schedule.steps) - 1))
    report = check(steps_with(schedule, where, (*schedule.steps[where], transfer)))
    assert not report.right


@settings(deadline=None)
@given(RIGHT, st.data())
def test_two_messages_on_a_channel_are_named(schedule: Schedule, data: st.DataObject) -> None:
    """A message is moved to a step in which its channel is taken."""
    users: dict[tuple[int, int], list[tuple[int, Transfer]]] = {}
    for number, step in enumerate(schedule.steps):
        for transfer in step:
            for channel in pairwise(transfer.path):
                users.setdefault(channel, []).append((number, transfer))
    twice = [
        (channel, a, b)
        for channel, found in users.items()
        for a in found
        for b in found
        if a[0] != b[0]
    ]
    if not twice:
        return
    channel, (old, moved), (new, resident) = data.draw(st.sampled_from(twice))
    steps = [[t for t in step if t is not moved] for step in schedule.steps]
    # First in its step: of a reversed schedule the checker keeps those that it finds first.
    steps[new].insert(0, moved)
    assert old != new
    report = check(replace(schedule, steps=tuple(map(tuple, steps))))
    assert not report.right
    met = [c for c in report.conflicts if c.channel == channel and c.step == new + 1]
    assert met
    assert {moved.message, resident.message} & {m for c in met for m in c.messages}


@settings(deadline=None)
@given(RIGHT, st.data())
def test_a_path_cut_short_is_found(schedule: Schedule, data: st.DataObject) -> None:
    step = data.draw(st.sampled_from([t for t, s in enumerate(schedule.steps) if s]))
    place = data.draw(st.integers(0, len(schedule.steps[step]) - 1))
    transfers = list(schedule.steps[step])
    message, path = transfers[place]
    transfers[place] = Transfer(message, path[:-1])
    assert not check(steps_with(schedule, step, tuple(transfers))).right


@settings(deadline=None)
@given(RIGHT.filter(lambda s: len(s.steps) > 1 and not table_like(s)), st.data())
def test_steps_in_another_order_are_found(schedule: Schedule, data: st.DataObject) -> None:
    """Broadcasts, and what goes hop by hop, need their order."""
    a, b = sorted(
        data.draw(st.sets(st.integers(0, len(schedule.steps) - 1), min_size=2, max_size=2))
    )
    steps = list(schedule.steps)
    steps[a], steps[b] = steps[b], steps[a]
    report = check(replace(schedule, steps=tuple(steps)))
    assert not report.right


def table_like(schedule: Schedule) -> bool:
    return schedule.collective.kind == "AAS"


def transfers(*paths: tuple[int, ...]) -> Step:
    return tuple(Transfer((path[0], path[-1]), path) for path in paths)


RING = named("ring-4")
TWO = Rules(2)


def one_step(
    kind: str, *sent: tuple[tuple[int, int], tuple[int, ...]], rules: Rules = STORE
) -> Schedule:
    return Schedule.of(RING, collective(kind, RING), rules, [sent])


@pytest.mark.parametrize(
    ("schedule", "words"),
    [
        (
            one_step("AAS", ((0, 2), (0, 2)), rules=Rules()),
            "step 1: message 0 to 2: there is no channel 0 to 2",
        ),
        (
            one_step("AAS", ((0, 2), (0, 1)), rules=Rules()),
            "step 1: message 0 to 2: its path ends at node 1",
        ),
        (
            one_step("AAS", ((0, 2), (1, 2)), rules=Rules()),
            "step 1: message 0 to 2: its path begins at node 1, but it is at node 0",
        ),
        (one_step("OAS", ((1, 2), (1, 2))), "step 1: message 1 to 2 is not asked for"),
        (one_step("AAS", ((0, 0), (0,))), "message 0 to 0: its path must lead from node to node"),
        (
            one_step("AAS", ((0, 1), (0, 1, 0, 1)), rules=Rules()),
            "step 1: message 0 to 1 passes vertex 0 twice",
        ),
        (
            one_step("AAS", ((0, 2), (0, 1, 2))),
            "message 0 to 2 passes node 1, but with store and forward it stops there",
        ),
        (one_step("OAB", ((1, 2), (1, 2))), "step 1: message 1 to 2: node 1 is no sender"),
        (one_step("OAB", ((0, 2), (0, 1))), "step 1: message 0 to 2: its path ends at node 1"),
        (
            one_step("OAB", ((0, 2), (1, 2))),
            "step 1: message 0 to 2: node 1 sends it, but has not got it yet",
        ),
        (
            one_step("OAB", ((0, 1), (0, 1)), ((0, 2), (1, 2))),
            "step 1: message 0 to 2: node 1 sends it, but has not got it yet",
        ),
        (
            one_step("OAB", ((0, 0), (1, 0)), ((0, 1), (0, 1))),
            "step 1: message 0 to 0: node 1 sends it, but has not got it yet",
        ),
        (
            one_step("OAB", ((0, 1), (0, 1)), ((0, 1), (0, 1))),
            "step 1: message 0 to 1: node 1 gets it a second time",
        ),
        (one_step("OAB"), "node 1 never gets the message of node 0"),
        (
            one_step("AAS", ((0, 1), (0, 1)), ((0, 1), (0, 1))),
            "step 1: channel 0 to 1 carries both message 0 to 1 and message 0 to 1",
        ),
    ],
)
def test_what_is_wrong_is_named(schedule: Schedule, words: str) -> None:
    assert any(words in conflict.words() for conflict in check(schedule).conflicts)


def test_a_message_is_delivered_once() -> None:
    made = collective("MNS", RING, [0], [1])
    again = Schedule.of(RING, made, Rules(), [[((0, 1), (0, 1))], [((0, 1), (0, 1))]])
    said = [conflict.words() for conflict in check(again).conflicts]
    assert said == ["step 2: message 0 to 1 is delivered a second time"]


def test_a_message_does_not_go_two_ways_at_once() -> None:
    made = collective("MNS", RING, [0], [2])
    both = [[((0, 2), (0, 1)), ((0, 2), (0, 3))], [((0, 2), (1, 2))]]
    said = [conflict.words() for conflict in check(Schedule.of(RING, made, STORE, both)).conflicts]
    assert said == ["step 1: message 0 to 2 is sent twice"]


def test_a_conflict_names_step_channel_and_messages() -> None:
    wrong = Schedule.of(
        RING,
        collective("AAS", RING),
        Rules(),
        [[], [((0, 2), (0, 1, 2)), ((1, 2), (1, 2))]],
    )
    first = check(wrong).conflicts[0]
    assert (first.step, first.channel) == (2, (1, 2))
    assert first.messages == ((0, 2), (1, 2))
    assert first.to_json() == {
        "step": 2,
        "channel": [1, 2],
        "messages": [[0, 2], [1, 2]],
        "text": "channel 1 to 2 carries both message 0 to 2 and message 1 to 2",
    }


def test_a_conflict_of_a_reversed_schedule_is_named_where_it_is() -> None:
    right = turned_round(ring_oas(4), "AOG")
    steps = list(right.steps)
    # One message of the second step is sent over another's channel.
    other = steps[1][0]
    wrong = replace(right, steps=(steps[0], (*steps[1], other), *steps[2:]))
    first = check(wrong).conflicts[0]
    assert first.step == 2
    assert first.channel == other.path
    assert first.messages[0] == other.message


def test_one_port() -> None:
    cube = replace(cube_aas(8), rules=Rules(1))
    report = check(cube)
    assert not report.right
    said = {conflict.words() for conflict in report.conflicts}
    assert "step 2: node 0 injects 2 messages through its one port" in said
    assert "step 2: node 0 ejects 2 messages through its one port" in said
    assert check(replace(cube, rules=TWO)).right


def test_copies_count_once_or_each() -> None:
    # Every node sends its message in both directions in step 1.
    ring = ring_aab(5)
    relaxed, strict = Rules(1, "single-use", STORE.switching), Rules(1, "strict", STORE.switching)
    for rules in (relaxed, strict):
        said = {c.words() for c in check(replace(ring, rules=rules)).conflicts}
        assert "step 1: node 0 ejects 2 messages through its one port" in said
        injects = "step 1: node 0 injects 2 messages through its one port" in said
        assert injects == (rules is strict)
    # In step 2 they are of two origins, and count twice anyway.
    said = {c.words() for c in check(replace(ring, rules=replace(relaxed, ports=1))).conflicts}
    assert "step 2: node 0 injects 2 messages through its one port" in said


def test_routers_copy_only_where_copies_count_once() -> None:
    tree = fat_multicast()
    assert check(tree).right
    strict = check(replace(tree, rules=replace(tree.rules, one_port="strict")))
    assert any(c.channel == (0, 16) for c in strict.conflicts)
    # By wormhole a processor's own channel counts once, but copies that part later do not.
    wormhole = check(replace(tree, rules=replace(tree.rules, switching="wormhole")))
    assert not any(c.channel == (0, 16) for c in wormhole.conflicts)
    assert any(c.channel == (16, 17) for c in wormhole.conflicts)


def test_copies_that_have_parted_share_no_channel() -> None:
    """Two copies meet again on one channel: they came by different paths."""
    fat = named("fat-octagon-16")
    # From router 16 to 18 and 19, both by channel 17 to 18; one of them by 23, 22 and so on.
    near, far = (0, 16, 17, 18, 4), (0, 16, 20, 21, 17, 18, 5)
    made = collective("multicast", fat, [0], [4, 5])
    rules = Rules(1, "single-use", "store-and-forward")
    report = check(Schedule.of(fat, made, rules, [[((0, 4), near), ((0, 5), far)]]))
    assert [c.channel for c in report.conflicts] == [(17, 18)]
    joined = (0, 16, 17, 18, 5)
    assert check(Schedule.of(fat, made, rules, [[((0, 4), near), ((0, 5), joined)]])).right


def test_a_processor_is_not_passed() -> None:
    fat = named("fat-octagon-16")
    made = collective("MNS", fat, [0], [2])
    through = (0, 16, 1, 16, 17, 2)
    report = check(Schedule.of(fat, made, Rules(), [[((0, 2), through)]]))
    assert "passes node 1, which is a processor without a router" in report.conflicts[0].text


def test_relays_need_not_be_receivers() -> None:
    made = collective("multicast", RING, [0], [2])
    steps = [[((0, 1), (0, 1))], [((0, 2), (1, 2))]]
    report = check(Schedule.of(RING, made, STORE, steps))
    assert report.right
    assert (report.required, report.served) == (1, 1)


def test_a_path_longer_than_the_shortest_is_measured() -> None:
    octagon = named("octagon-8")
    made = collective("MNS", octagon, [0], [1, 3])
    long = next(path for path in paths(octagon, 0, 3, 2) if len(path) == 5)
    assert check(Schedule.of(octagon, made, Rules(), [transfers((0, 1), long)])).detour == 2
    # Hop by hop around the ring, end to end: seven hops where one would do.
    assert check(ring_aab_strict(8)).detour == 6
    assert check(ring_aab(8)).detour == 0
    assert check(ring_oas(8)).detour == 6
    assert check(turned_round(ring_aab_strict(8), "AAR")).detour == 6


def test_only_the_first_conflicts_are_kept() -> None:
    empty = replace(table_4(), steps=())
    report = check(empty)
    assert (report.count, len(report.conflicts)) == (56, 20)
    assert report.conflicts[0].words() == "node 1 never gets the message of node 0"


def test_directions_matter() -> None:
    one_way = Topology("t", 3, 0, ((0, 1), (1, 2), (2, 0)))
    made = collective("AAS", one_way)
    near = transfers((0, 1), (1, 2), (2, 0))
    steps = [near, *(transfers(path) for path in ((0, 1, 2), (1, 2, 0), (2, 0, 1)))]
    assert check(Schedule.of(one_way, made, Rules(), steps)).right
    both = Topology("t", 3, 0, full_duplex([(0, 1), (1, 2)]))
    line = collective("AOG", both)
    gather = (((1, 0), (1, 0)), ((2, 0), (2, 1, 0)))
    assert check(Schedule.of(both, line, Rules(), [[sent] for sent in gather])).right
    back = (((1, 0), (0, 1)), ((2, 0), (0, 1, 2)))
    assert not check(Schedule.of(both, line, Rules(), [[sent] for sent in back])).right
