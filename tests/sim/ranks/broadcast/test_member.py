"""What a rank does with the messages that come."""

import numpy as np
import pytest

from syncfabric.sim.ranks.broadcast import member as module
from syncfabric.sim.ranks.broadcast.member import PINGS, Member, Setting
from syncfabric.sim.ranks.broadcast.post import Data, Kind, Received, pickled
from syncfabric.sim.ranks.broadcast.script import Event, Script
from tests.sim.ranks.broadcast.virtual import Comm

SCRIPT = Script(4, 9, 0.01, events=(Event("leave", 2, 1), Event("join", 2, 3)))


class Sent:
    def __init__(self) -> None:
        self.all: list[tuple[int, Kind, object, bool]] = []

    def send(self, to: int, kind: Kind, value: object = None, *, held: bool = False) -> None:
        self.all.append((to, kind, value, held))

    def take(self) -> list[tuple[int, Kind, object, bool]]:
        taken, self.all = self.all, []
        return taken


def made(rank: int) -> tuple[Member, Sent]:
    member = Member(Comm(rank), Setting(SCRIPT, 24, 1, 2.0), shared=True)
    sent = Sent()
    member.post = sent  # type: ignore[assignment]
    return member, sent


def data(member: Member, turn: int = 0) -> Received:
    content = Data(5, turn, (0, 3, 2, 1), member.setting.payload(5))
    return Received(0, Kind.DATA, content.pack())


def kinds(sent: Sent) -> list[tuple[int, Kind]]:
    return [(to, kind) for to, kind, _, _ in sent.take()]


def test_data_is_passed_on_before_anything_else() -> None:
    member, sent = made(2)
    message = data(member)
    member.handle(message)
    onward, got, checked = sent.take()
    assert (onward[0], onward[1], onward[3]) == (1, Kind.DATA, True)
    assert onward[2] is message.body
    assert got == (0, Kind.GOT, (5, None), False)
    assert checked == (0, Kind.CHECKED, (5, None), False)


def test_every_byte_is_compared() -> None:
    member, sent = made(1)
    for place in (0, 23):
        message = data(member)
        message.body[len(message.body) - 24 + place] ^= 128
        member.handle(message)
        assert sent.take()[-1] == (0, Kind.CHECKED, (5, place), False)


def test_a_rank_that_has_left_answers_nothing_until_it_joins_or_all_is_over() -> None:
    member, sent = made(2)
    ask = Received(0, Kind.ASK, pickled(8))
    member.handle(ask)
    assert sent.take() == [(0, Kind.HERE, (8, None), False)]
    member.handle(data(member, turn=1))
    member.handle(ask)
    member.handle(Received(1, Kind.PING, pickled(3)))
    assert sent.take() == []
    member.handle(Received(0, Kind.END, pickled(9)))
    assert sent.take() == [(0, Kind.HERE, (9, None), False)]
    member.handle(Received(0, Kind.JOIN, pickled((4, [0, 1]))))
    assert kinds(sent) == [(0, Kind.PING), (1, Kind.PING)]
    member.handle(data(member, turn=4))
    assert kinds(sent) == [(1, Kind.DATA), (0, Kind.GOT), (0, Kind.CHECKED)]


def test_the_shortest_of_three_ping_pongs_counts_half(monkeypatch: pytest.MonkeyPatch) -> None:
    class Clock:
        now = 0.0

        def monotonic(self) -> float:
            return self.now

    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    member, sent = made(1)
    member.handle(Received(0, Kind.PROBE, pickled((6, [3]))))
    assert PINGS == 3
    for there_and_back in (8.0, 3.0, 5.0):
        assert sent.take() == [(3, Kind.PING, 6, True)]
        # One of a measurement that is over says nothing.
        member.handle(Received(3, Kind.PONG, pickled(5)))
        clock.now += there_and_back
        member.handle(Received(3, Kind.PONG, pickled(6)))
    assert sent.take() == [(0, Kind.SEEN, (6, {3: 1.5}), False)]


def test_pings_are_answered_over_the_link() -> None:
    member, sent = made(1)
    member.handle(Received(3, Kind.PING, pickled(6)))
    assert sent.take() == [(3, Kind.PONG, 6, True)]


def test_a_slow_link_is_slow_both_ways_and_others_are_not() -> None:
    for rank, other in ((1, 3), (3, 1)):
        member, _ = made(rank)
        assert member.delay(other) == 0.01
        member.handle(Received(0, Kind.ROUND, pickled({(1, 3): 7.0})))
        assert member.delay(other) == pytest.approx(0.07)
        assert member.delay(0) == 0.01


def test_a_broadcast_has_a_payload_of_its_own() -> None:
    member, _ = made(1)
    assert not np.array_equal(member.setting.payload(1), member.setting.payload(2))
