"""What a switch refuses, and what a manager does about it."""

import random

import pytest

from syncfabric.models.messages import Answer, Request
from syncfabric.models.setup.entry import Entry
from syncfabric.models.setup.explore import run
from syncfabric.models.setup.life import Life, Stage, life_of
from syncfabric.models.setup.managed import ManagedNetwork
from syncfabric.models.setup.manager import Command, Mark, Meddling
from syncfabric.models.setup.message import NO_PARENT, Image, Packet
from syncfabric.models.setup.rules import Rules
from syncfabric.models.setup.switch import serve
from tests.models.setup.instances import line, plan

IMAGE = Image(gid=5, epoch=1, manager=0, root=True, parent=NO_PARENT, children=6)
IDLE = Entry(IMAGE, 0)
BUSY = Entry(IMAGE, 0, go=True, arrived=2)


@pytest.mark.parametrize(
    ("operation", "image", "found", "full", "code", "kept"),
    [
        (Request.SETUP, IMAGE, None, False, Answer.OK, IDLE),
        (Request.SETUP, IMAGE, None, True, Answer.FULL, None),
        (Request.SETUP, IMAGE, IDLE, True, Answer.OK, IDLE),
        (Request.SETUP, IMAGE, BUSY, False, Answer.EXISTS, BUSY),
        (Request.SETUP, IMAGE._replace(manager=1), IDLE, False, Answer.EXISTS, IDLE),
        (Request.SETUP, IMAGE._replace(epoch=2), IDLE, False, Answer.EXISTS, IDLE),
        (Request.SETUP, IMAGE._replace(children=2), IDLE, False, Answer.EXISTS, IDLE),
        (Request.CLEAR, IMAGE, None, False, Answer.OK, None),
        (Request.CLEAR, IMAGE, IDLE, False, Answer.OK, None),
        (Request.CLEAR, IMAGE, BUSY, False, Answer.BUSY, BUSY),
        (Request.CLEAR, IMAGE._replace(manager=1), IDLE, False, Answer.DENIED, IDLE),
        (Request.KILL, IMAGE._replace(manager=1), BUSY, False, Answer.DENIED, BUSY),
        (Request.KILL, IMAGE, None, False, Answer.OK, None),
    ],
)
def test_a_switch_answers(
    operation: Request, image: Image, found: Entry | None, full: bool, code: Answer, kept: object
) -> None:
    packet = Packet(operation, image.manager, 0, image, False, 0)
    assert serve(packet, found, full=full, rules=Rules()) == (code, kept)


def test_kill_is_obeyed_on_a_busy_entry() -> None:
    code, left = serve(Packet(Request.KILL, 0, 0, IMAGE, True, 0), BUSY, full=False, rules=Rules())
    assert code is Answer.OK
    assert left is not None
    assert left.dying


def test_a_refused_set_up_is_rolled_back() -> None:
    rules = Rules()
    command = Command.begin(0, Request.SETUP, 4, rules)
    assert command.marks == (Mark.SEND, Mark.SEND, Mark.SEND, Mark.SKIP)
    for entry in range(3):
        command = command.sent(entry)
    for entry, code in ((2, Answer.OK), (0, Answer.FULL)):
        command = command.answered(entry, code, rules)
        assert command.operation is Request.SETUP, "one reply is missing"
    command = command.answered(1, Answer.OK, rules)
    assert command.operation is Request.CLEAR
    assert command.marks == (Mark.SKIP, Mark.SEND, Mark.SEND, Mark.SKIP)
    command = command.sent(1).sent(2).answered(1, Answer.BUSY, rules)
    assert command.marks[1] is Mark.SEND
    command = command.sent(1).answered(1, Answer.OK, rules).answered(2, Answer.OK, rules)
    assert command.over
    assert command.refusal is Answer.FULL


def ended(network: ManagedNetwork) -> ManagedNetwork:
    return run(network, random.Random(1))


def test_a_full_switch_leaves_nothing_behind() -> None:
    """A group on three switches; the middle one has its only register taken."""
    row = line(3, 2)
    keeper = life_of(plan(row, 1, [(1, 2), (1, 3)]), 0, last=False, kill=True)
    late = life_of(plan(row, 2, [(0, 2), (2, 2)]), 1, manager=1, patience=1)
    network = ManagedNetwork(row, [keeper, late], registers=1)
    network = until(network, keeper, Stage.ALIVE)
    network = until(network, late, Stage.REFUSED)
    assert network.answers[Answer.FULL] == 1
    assert [seat for seat, gid in network.entries if gid == 2 and isinstance(seat, int)] == []
    ended(network)


def until(network: ManagedNetwork, life: Life, stage: Stage) -> ManagedNetwork:
    """Let only this life go on, until it is at a stage."""
    others = [n for n in network.lives if n != life.number]
    while network.progress[life.number].stage is not stage:
        events = network.events()
        mine = [e for e in events if not _about(network, e, others)]
        assert mine, events
        network.apply(mine[0])
    return network


def _about(network: ManagedNetwork, event: tuple[object, ...], lives: list[int]) -> bool:
    gids = {network.lives[n].gid for n in lives}
    if event[0] in ("open", "close", "arrive", "command"):
        return event[1] in lives
    return event[0] == "send" and event[2] in gids


def test_of_two_groups_with_one_gid_only_one_lives() -> None:
    row = line(2, 2)
    lives = [
        life_of(plan(row, 3, members), n, manager=n, epoch=n, patience=1)
        for n, members in enumerate([[(0, 2), (1, 2)], [(0, 3), (1, 3)]])
    ]
    network = until(ManagedNetwork(row, lives), lives[0], Stage.ALIVE)
    network = until(network, lives[1], Stage.REFUSED)
    assert network.answers[Answer.EXISTS] == 1
    ended(network)


@pytest.mark.parametrize("operation", [Request.CLEAR, Request.KILL])
def test_no_manager_ends_the_group_of_another(operation: Request) -> None:
    row = line(2)
    life = life_of(plan(row, 3, row.nodes), 0, barriers=2)
    network = ManagedNetwork(row, [life], meddlings=[Meddling(1, 0, operation)])
    network = until(network, life, Stage.ALIVE)
    network.apply(("meddle", Meddling(1, 0, operation)))
    network = ended(network)
    assert network.answers[Answer.DENIED] == 2
