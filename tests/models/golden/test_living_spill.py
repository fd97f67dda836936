"""Spilled entries that managers set up: their lives by hand, an operation at a time."""

from collections.abc import Callable

import pytest

from syncfabric.models.golden.living_spill import Report
from syncfabric.models.messages import Command, Kind
from tests.models.golden.living_desk import GID, Desk, MeshDesk, NodeDesk, SwitchDesk

GO, BROKEN, REDUCE, DISTRIBUTE = Kind.GO, Kind.BROKEN, Kind.REDUCE, Kind.DISTRIBUTE
LAST = GO

EVERYWHERE = pytest.mark.parametrize("make", [MeshDesk, SwitchDesk, NodeDesk])
WITH_CHILDREN = pytest.mark.parametrize("make", [MeshDesk, SwitchDesk])
WITH_PROCESS = pytest.mark.parametrize("make", [MeshDesk, NodeDesk])

Make = Callable[[], Desk]


def wave(desk: Desk, kind: Kind) -> dict[int, Kind]:
    return dict.fromkeys(desk.children, kind)


@EVERYWHERE
def test_go_opens_an_entry_and_goes_on(make: Make) -> None:
    desk = make()
    process = desk.spill.local is not None
    assert desk.life() == {"valid", "last"}
    assert not process or not desk.arrive()
    assert desk.from_parent(GO)
    assert desk.told() == [(GO, 0)] * process
    assert desk.life() == {"valid", "last", "go"}
    assert desk.send() == wave(desk, GO)
    assert not desk.from_parent(GO)  # it would be LAST, and the parent is no child
    assert desk.told() == []
    desk.arrive_all()
    assert desk.send() == {desk.up: REDUCE}
    assert desk.from_parent(DISTRIBUTE, 5)
    assert desk.told() == [(DISTRIBUTE, 5)] * process


@WITH_CHILDREN
def test_go_does_not_come_to_a_root(make: Make) -> None:
    desk = make()
    desk.write_image(root=True)
    assert not desk.from_parent(GO)
    assert not desk.from_parent(BROKEN)
    assert desk.life() == {"valid", "last"}


def test_go_and_broken_come_to_the_node_where_barriers_turn_around() -> None:
    desk = NodeDesk([0, 1])
    desk.write_image(root=True)
    assert desk.from_parent(GO)
    assert desk.from_parent(REDUCE)
    assert desk.arrive()
    assert desk.told() == [(GO, 0), (DISTRIBUTE, 0)]
    # The wave to the switch is still queued: nothing of it, or of BROKEN, is sent any more.
    assert desk.from_parent(BROKEN)
    assert desk.told() == [(BROKEN, 0)]
    assert desk.fetch() == {}
    assert desk.life() == {"last"}


@WITH_CHILDREN
def test_a_command_opens_and_is_refused_while_go_is_on_its_way(make: Make) -> None:
    desk = make()
    desk.write_image(root=True)
    assert not desk.write(desk.command, 0)
    assert not desk.write(desk.command, 3)
    assert desk.order(Command.GO)
    assert not desk.order(Command.GO)  # queued
    assert desk.fetch() == wave(desk, GO)
    assert not desk.order(Command.GO)  # in the send register
    desk.leave(desk.children)
    desk.told()
    assert desk.order(Command.GO)  # open already: nothing changes
    assert not desk.spill.queue
    assert desk.told() == []


@EVERYWHERE
def test_commands_to_what_is_not_valid_are_refused(make: Make) -> None:
    desk = make()
    assert desk.write(0, 0)
    assert not desk.order(Command.GO)
    assert not desk.order(Command.KILL)
    assert desk.request(desk.command)[0] == (desk.command != desk.status)


def test_a_lone_member_is_told_no_go() -> None:
    desk = NodeDesk()
    desk.write_image(root=True)
    assert desk.arrive(6)
    assert desk.told() == [(DISTRIBUTE, 6)]
    assert desk.order(Command.GO)
    assert desk.told() == []
    assert desk.life() == {"valid", "last", "go"}


def test_a_lone_member_of_a_mesh_waits_for_go() -> None:
    desk = MeshDesk()
    desk.write_image(root=True)
    assert not desk.arrive()
    assert desk.order(Command.GO)
    assert desk.told() == [(GO, 0)]


@EVERYWHERE
def test_whoever_dies_tells_its_children_and_its_process(make: Make) -> None:
    desk = make()
    process = desk.spill.local is not None
    desk.open()
    assert desk.from_parent(BROKEN)
    assert desk.told() == [(BROKEN, 0)] * process
    if desk.children:
        assert desk.life() == {"valid", "last", "dying"}
        assert not desk.write(0, 0)  # queued, and so not gone
        assert desk.fetch() == wave(desk, BROKEN)
        assert desk.life() == {"valid", "last", "dying"}
        desk.leave(desk.children[1:])
        assert not desk.from_parent(BROKEN)
        assert desk.life() == {"valid", "last", "dying"}
        desk.leave(desk.children)
    assert desk.life() == {"last"}
    assert desk.told() == []
    desk.write_image(root=False)
    assert desk.life() == {"valid", "last"}


@WITH_PROCESS
@pytest.mark.parametrize("arrived", [False, True])
def test_broken_shows_whether_the_process_waited(make: Make, arrived: bool) -> None:
    desk = make()
    desk.open()
    assert not arrived or desk.arrive(last=True)
    assert desk.order(Command.KILL)
    assert desk.told() == [(BROKEN, 0)]
    assert not desk.arrive()
    desk.send()
    assert desk.life() == ({"last", "broken"} if arrived else {"last"})
    desk.write_image(root=False)
    assert desk.life() == {"valid", "last"}


@WITH_CHILDREN
def test_who_has_died_dies_no_more(make: Make) -> None:
    desk = make()
    desk.open()
    assert desk.order(Command.KILL)
    assert desk.fetch() == wave(desk, BROKEN)
    desk.told()
    assert desk.order(Command.KILL)
    assert not desk.spill.queue
    assert desk.told() == []
    desk.leave(desk.children)
    assert not desk.order(Command.KILL)


@WITH_CHILDREN
def test_what_is_being_sent_is_sent_before_broken(make: Make) -> None:
    desk = make()
    desk.open()
    desk.arrive_all()
    desk.send()
    assert desk.from_parent(DISTRIBUTE, 7)
    assert desk.fetch() == wave(desk, DISTRIBUTE)
    assert desk.order(Command.KILL)
    assert desk.holds() == wave(desk, DISTRIBUTE)
    assert desk.spill.queue
    desk.leave(desk.children)
    assert desk.life() == {"valid", "last", "dying"}
    assert desk.fetch() == wave(desk, BROKEN)
    assert desk.spill.send.data == 7


@WITH_CHILDREN
@pytest.mark.parametrize("last", [False, True])
def test_what_is_queued_is_dropped_for_broken(make: Make, last: bool) -> None:
    desk = make()
    desk.open()
    desk.arrive_all(last=last)
    assert list(desk.spill.queue) == [GID]
    assert desk.order(Command.KILL)
    assert list(desk.spill.queue) == [GID]
    assert desk.fetch() == wave(desk, BROKEN)
    assert not desk.spill.queue


@EVERYWHERE
def test_whoever_dies_is_deaf(make: Make) -> None:
    desk = make()
    desk.open()
    desk.order(Command.KILL)
    for kind in Kind:
        assert not desk.from_parent(kind)
        for child in range(len(desk.children)):
            assert not desk.from_child(child, kind)


@EVERYWHERE
def test_all_must_say_last(make: Make) -> None:
    desk = make()
    desk.open()
    desk.arrive_all(last=True)
    assert desk.send() == {desk.up: LAST}
    assert desk.from_parent(DISTRIBUTE)
    desk.send()
    for child in range(len(desk.children)):
        assert desk.from_child(child, REDUCE if child else LAST)
    if desk.spill.local is not None:
        assert desk.arrive(last=bool(desk.children))
    assert "last" not in desk.life()
    assert desk.send() == {desk.up: REDUCE}
    assert desk.from_parent(DISTRIBUTE)
    assert "last" in desk.life()


def freed(make: Make) -> Desk:
    """Return an open root."""
    desk = make()
    desk.write_image(root=True)
    assert desk.order(Command.GO)
    desk.send()
    return desk


def look(desk: Desk) -> None:
    """Let the engine do a REPORT, if it would."""
    operation = desk.spill._to_report()
    assert operation is not None
    desk.do(lambda sending: operation(False, sending))


@WITH_CHILDREN
def test_a_freed_root_is_reported_once(make: Make) -> None:
    desk = freed(make)
    for _ in range(2):  # it is in the list already
        desk.arrive_all(last=True)
        desk.send()
    assert "freed" in desk.life()
    assert desk.spill.has_work()
    look(desk)
    assert "freed" not in desk.life()
    assert desk.spill.report == Report(GID, 1)
    desk.spill.report = None
    assert not desk.spill.has_work()
    desk.arrive_all(last=True)
    desk.send()
    desk.spill.report = Report(8, 0)
    assert desk.spill._to_report() is None  # the register is taken
    desk.spill.report = None
    look(desk)
    assert desk.spill.report == Report(GID, 1)


@WITH_CHILDREN
@pytest.mark.parametrize("end", ["clear", "kill"])
def test_a_report_is_forgotten_with_its_group(make: Make, end: str) -> None:
    def over() -> None:
        assert desk.write(0, 0) if end == "clear" else desk.order(Command.KILL)

    desk = freed(make)
    desk.arrive_all(last=True)
    desk.send()
    look(desk)
    desk.write_image(root=True, gid=GID + 1)
    assert desk.spill.report == Report(GID, 1)
    over()
    assert desk.spill.report is None

    desk = freed(make)  # the same before the report
    desk.arrive_all(last=True)
    desk.send()
    over()
    assert "freed" not in desk.life()
    look(desk)
    assert desk.spill.report is None


def test_a_node_interface_reports_nothing() -> None:
    desk = NodeDesk()
    desk.write_image(root=True)
    assert desk.arrive(last=True)
    assert "freed" in desk.life()
    assert desk.spill._to_report() is None


def test_the_root_switch_tells_the_node_that_turns_around() -> None:
    desk = SwitchDesk("node")
    assert desk.order(Command.GO)
    assert desk.fetch() == {0: GO, 2: GO, 3: GO}
    desk.leave([2, 3])
    # All may be in before the node has heard of GO; it hears it before REDUCE.
    desk.arrive_all()
    assert list(desk.spill.queue) == [GID]
    assert desk.holds() == {0: GO}
    desk.leave([0])
    assert desk.send() == {desk.up: REDUCE}
    assert desk.from_parent(DISTRIBUTE)
    assert desk.send() == {2: DISTRIBUTE, 3: DISTRIBUTE}
    assert desk.order(Command.KILL)
    assert desk.send() == {0: BROKEN, 2: BROKEN, 3: BROKEN}


@pytest.mark.parametrize("kind", [GO, BROKEN])
def test_what_comes_from_above_is_not_sent_back(kind: Kind) -> None:
    desk = SwitchDesk("node")
    assert desk.from_parent(kind)
    assert desk.send() == {2: kind, 3: kind}
