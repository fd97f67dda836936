"""One register: what it takes in, and what is a stray to it."""

import pytest

from syncfabric.models.messages import Kind
from syncfabric.models.setup.entry import Change, Entry, Release, arrive, die, receive, send, start
from syncfabric.models.setup.message import NO_PARENT, Image, Message
from syncfabric.models.setup.rules import Rules

ROOT = Image(gid=5, epoch=1, manager=0, root=True, parent=NO_PARENT, children=0b0110)
INNER = Image(gid=5, epoch=1, manager=0, root=False, parent=0, children=0b0110)
NODE = Image(gid=5, epoch=1, manager=0, root=False, parent=0, children=0b10)


def message(kind: Kind, *, epoch: int = 1, last: bool = False) -> Message:
    return Message(kind, 5, epoch, last, 0)


def take(entry: Entry, port: int, kind: Kind, *, node: bool = False, last: bool = False) -> Entry:
    change = receive(entry, port, message(kind, last=last), node=node, rules=Rules())
    assert change is not None
    assert change.entry is not None
    return change.entry


def flush(entry: Entry) -> tuple[Entry | None, list[tuple[int, Kind, bool]]]:
    """Let everything pending go."""
    sent = []
    left: Entry | None = entry
    while left and (left.pending or left.up):
        port = left.image.parent if left.up else left.pending.bit_length() - 1
        change, out = send(left, port, node=False)
        left = change.entry
        sent.append((port, out.kind, out.last))
    return left, sent


def test_go_goes_down_from_the_root_and_makes_ready() -> None:
    root, sent = flush(start(Entry(ROOT, 0)))
    assert sent == [(2, Kind.GO, False), (1, Kind.GO, False)]
    assert root == Entry(ROOT, 0, go=True, wave=Kind.GO)
    _, passed = flush(take(Entry(INNER, 0), 0, Kind.GO))
    assert [(port, kind) for port, kind, _ in passed] == [(2, Kind.GO), (1, Kind.GO)]
    node = take(Entry(NODE, 0), 0, Kind.GO, node=True)
    assert node.go
    assert not node.busy


@pytest.mark.parametrize("firsts", [(True, True), (True, False), (False, True)])
def test_the_last_barrier_is_one_that_all_call_so(firsts: tuple[bool, bool]) -> None:
    entry = Entry(INNER, 0, go=True)
    for port, last in zip((1, 2), firsts, strict=True):
        entry = take(entry, port, Kind.REDUCE, last=last)
    assert flush(entry)[1] == [(0, Kind.REDUCE, all(firsts))]
    root = Entry(ROOT, 0, go=True)
    for port, last in zip((1, 2), firsts, strict=True):
        root = take(root, port, Kind.REDUCE, last=last)
    assert root.freed == all(firsts)
    assert root.last


def test_a_member_is_released_by_a_distribution_only_after_its_arrival() -> None:
    ready = Entry(NODE, 0, go=True)
    assert receive(ready, 0, message(Kind.DISTRIBUTE), node=True, rules=Rules()) is None
    fired = arrive(ready, last=False)
    assert fired.entry is not None
    assert fired.release is Release.NONE
    waits, reduce = send(fired.entry, 0, node=True)
    assert reduce.kind is Kind.REDUCE
    assert waits.entry is not None
    released = receive(waits.entry, 0, message(Kind.DISTRIBUTE), node=True, rules=Rules())
    assert released == Change(Entry(NODE, 0, go=True), Release.RELEASED)


@pytest.mark.parametrize(
    ("entry", "port", "kind", "epoch"),
    [
        (Entry(INNER, 0, go=True), 1, Kind.REDUCE, 0),
        (Entry(INNER, 0, go=True), 0, Kind.REDUCE, 1),
        (Entry(INNER, 0, go=True), 3, Kind.REDUCE, 1),
        (Entry(INNER, 0, go=True, arrived=2), 1, Kind.REDUCE, 1),
        (Entry(INNER, 0, go=True, pending=2), 1, Kind.REDUCE, 1),
        (Entry(INNER, 0, go=True, arrived=2), 0, Kind.DISTRIBUTE, 1),
        (Entry(INNER, 0, go=True, arrived=6, fired=True, up=True), 0, Kind.DISTRIBUTE, 1),
        (Entry(INNER, 0, go=True, arrived=2), 0, Kind.GO, 1),
        (Entry(INNER, 0, go=True), 0, Kind.GO, 1),
        (Entry(INNER, 0), 1, Kind.GO, 1),
        (Entry(INNER, 0, dying=True, pending=2), 0, Kind.BROKEN, 1),
        (Entry(INNER, 0), 1, Kind.BROKEN, 1),
        (Entry(ROOT, 0), 0, Kind.BROKEN, 1),
    ],
)
def test_strays(entry: Entry, port: int, kind: Kind, epoch: int) -> None:
    assert receive(entry, port, message(kind, epoch=epoch), node=False, rules=Rules()) is None


def test_a_dying_register_drops_everything_and_tells_its_children() -> None:
    entry = Entry(INNER, 0, go=True, arrived=6, fired=True, up=True, freed=True)
    dead = die(entry, node=False, up=False, rules=Rules())
    assert dead.entry is not None
    assert not dead.entry.freed
    left, sent = flush(dead.entry)
    assert sent == [(2, Kind.BROKEN, False), (1, Kind.BROKEN, False)]
    assert left is None


@pytest.mark.parametrize("arrived", [False, True])
def test_broken_releases_a_member_that_waits(arrived: bool) -> None:
    member = Entry(NODE, 0, go=True)
    if arrived:
        fired = arrive(member, last=True).entry
        assert fired is not None
        member = fired
    dead = receive(member, 0, message(Kind.BROKEN), node=True, rules=Rules())
    assert dead == Change(None, Release.BROKEN if arrived else Release.NONE)
