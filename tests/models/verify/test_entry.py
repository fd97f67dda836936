"""Entries by themselves: what E6 says of one message."""

import pytest

from tests.models.verify.explorer import Violation
from tests.models.verify.scenario import (
    BROKEN,
    GO,
    LAST,
    PLAIN,
    Entry,
    Image,
    Message,
    kill,
    serve,
)

UP, LEFT, RIGHT, OWN = 1, 2, 4, 8
IMAGE = Image(LEFT | RIGHT, UP, ())
SET_UP = Entry(1, 1, 7, IMAGE, UP, 1, 0, 1)
ROOT = Entry(1, 1, 7, Image(LEFT | RIGHT, 0, ()), 0, 1, 0, 1)


def message(kind: int, data: int = 0, epoch: int = 1, instance: int = 7) -> Message:
    return Message(epoch, kind, data, instance)


def after(entry: Entry, *messages: tuple[int, Message]) -> tuple[Entry, int, int, int]:
    fired = (entry, 0, 0, 0)
    for port, sent in messages:
        result = serve(fired[0], port, sent)
        assert result is not None
        fired = result
    return fired


def test_a_barrier() -> None:
    entry, *sent = after(SET_UP, (UP, message(GO)))
    assert sent == [LEFT | RIGHT, GO, 0]
    entry, *sent = after(entry, (RIGHT, message(PLAIN, 2)))
    assert sent == [0, 0, 0]
    entry, *sent = after(entry, (LEFT, message(LAST, 1)))
    assert sent == [UP, PLAIN, 3]
    entry, *sent = after(entry, (UP, message(PLAIN, 7)))
    assert sent == [LEFT | RIGHT, PLAIN, 7]
    assert entry.missing == LEFT | RIGHT


def test_the_last_barrier() -> None:
    entry, *_ = after(SET_UP, (UP, message(GO)))
    entry, *sent = after(entry, (LEFT, message(LAST, 1)), (RIGHT, message(LAST, 2)))
    assert sent == [UP, LAST, 3]
    entry, *sent = after(entry, (UP, message(LAST, 7)))
    assert sent == [LEFT | RIGHT, LAST, 7]
    assert entry == Entry(1)


def test_the_root_starts_and_turns_round() -> None:
    entry, *sent = after(ROOT, (0, message(GO)))
    assert sent == [LEFT | RIGHT, GO, 0]
    assert serve(entry, 0, message(GO)) is None
    entry, *sent = after(entry, (LEFT, message(PLAIN, 1)), (RIGHT, message(LAST, 2)))
    assert sent == [LEFT | RIGHT, PLAIN, 3]
    entry, *sent = after(entry, (LEFT, message(LAST, 1)), (RIGHT, message(LAST, 2)))
    assert sent == [LEFT | RIGHT, LAST, 3]
    assert not entry.alive


def test_broken_comes_from_the_parent_alone() -> None:
    assert serve(SET_UP, LEFT, message(BROKEN)) is None
    assert after(SET_UP, (UP, message(BROKEN))) == (Entry(1), LEFT | RIGHT, BROKEN, 0)
    assert kill(ROOT) == (Entry(1), LEFT | RIGHT, BROKEN, 0)


@pytest.mark.parametrize(
    ("entry", "port", "sent"),
    [
        (SET_UP, LEFT, message(PLAIN)),
        (SET_UP, UP, message(GO, epoch=2)),
        (SET_UP, UP, message(BROKEN, epoch=0)),
        (Entry(1), UP, message(GO)),
        (Entry(1), UP, message(BROKEN)),
    ],
    ids=["not awaited", "another epoch", "another epoch's BROKEN", "dead", "dead, BROKEN"],
)
def test_what_changes_nothing(entry: Entry, port: int, sent: Message) -> None:
    assert serve(entry, port, sent) is None


def test_epochs_are_compared_modulo() -> None:
    assert serve(SET_UP, UP, message(GO, epoch=5)) is not None
    assert serve(SET_UP, UP, message(GO, epoch=3)) is None
    assert serve(SET_UP, UP, message(GO, epoch=3), modulo=2) is not None


def test_a_message_of_another_instance_may_change_nothing() -> None:
    with pytest.raises(Violation, match="old instance"):
        serve(SET_UP, UP, message(GO, instance=6))


def test_weakened() -> None:
    entry, *_ = after(SET_UP, (UP, message(GO)))
    early = serve(entry, LEFT, message(PLAIN, 1), whole=False)
    assert early is not None
    assert early[1:] == (UP, PLAIN, 1)
    entry, *_ = after(entry, (LEFT, message(PLAIN, 1)))
    ored = serve(entry._replace(last=1), RIGHT, message(LAST, 2), anded=False)
    assert ored is not None
    assert ored[2] == LAST
