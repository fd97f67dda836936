"""Guards of a link alone: what they find, what they let through, and what comes back."""

import random
from collections import Counter
from collections.abc import Iterator
from itertools import combinations

import pytest

from syncfabric.models.golden.engine.memory import Message, Route
from syncfabric.models.golden.link import Back, Forward, LinkForm, Sent
from syncfabric.models.golden.router import Flit
from syncfabric.models.layout.engine import Kind
from tests.models.golden.link_bench import Inject, Link, end_of, form_of, whole_packets

BACK = 131
"""Cycles within which all is back after a channel has come to rest (F3)."""

TRANSPORTS = ["own", "shared", "routed"]


def flips(form: LinkForm, most: int) -> Iterator[int]:
    for count in range(1, most + 1):
        for places in combinations(range(form.width), count):
            yield sum(1 << place for place in places)


def sent_on(form: LinkForm, entry: int, epoch: int, route_class: int = 0) -> Sent:
    route = Route((1, 0), route_class) if form.transport == "routed" else None
    return Sent(Message(entry, epoch, Kind.PLAIN, 0), route)


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_words_come_apart_as_they_were_put_together(transport: str) -> None:
    form, rng = form_of(transport), random.Random(1)
    for _ in range(200):
        sent = sent_on(form, rng.randrange(2), rng.randrange(4), rng.randrange(2))
        marks = (rng.random() < 0.5 for _ in range(3))
        flit = Flit(rng.randrange(2), rng.getrandbits(16), *marks)
        carried = [(flit, None), (None, sent), *([(flit, sent)] if transport == "own" else [])]
        for both in carried:
            number = rng.getrandbits(2) if both[0] else 0
            wires = form.pack(*both, probe=rng.getrandbits(2), sequence=number)
            assert form.unpack(wires) == both
            assert form.right(wires) == (True, True)
    assert form.pack(None, None) == Forward()


@pytest.mark.parametrize(
    ("transport", "bits", "most"),
    [
        ("routed", 8, 2),
        ("routed", 1, 1),
        ("shared", 8, 3),
        ("own", 8, 2),
        ("own", 1, 1),
        pytest.param("routed", 8, 3, marks=pytest.mark.nightly),
        pytest.param("own", 8, 3, marks=pytest.mark.nightly),
    ],
)
def test_no_flips_pass(transport: str, bits: int, most: int) -> None:
    """Every 1 to 3 flips, of flit, message, probe or nothing: nothing wrong goes on to a router.

    What is on the other wires of a link of its own goes on as it was.
    """
    form = form_of(transport, bits, channels=1)
    own = transport == "own"
    head, body = Flit(0, 7, True, False, False), Flit(0, 11, False, False, False)
    sent = sent_on(form, 1, 2, form.classes - 1)
    cases: list[tuple[Flit | None, Sent | None, int]] = [
        (None, None, 0),
        (head, None, 0),
        (body, None, 0),
        (None, sent, 0),
        (None, None, 1),
    ]
    if own:
        cases += [(head, sent, 1), (body, sent, 1)]
    for flit, message, probe in cases:
        wires = form.pack(flit, message, probe, sequence=int(flit is body))
        for mask in flips(form, most if flit or most < 3 else 2):
            there = form.flip(wires, mask)
            for is_open in (False, True):
                end = end_of(form)
                if is_open:
                    end.step(None, None, 0, form.pack(head, None), Back())
                got = end.step(None, None, 0, there, Back())
                if got.flit:
                    assert own
                    assert there[:2] == wires[:2]
                    assert got.flit.cut or got.flit == flit
                if got.sent:
                    assert own
                    assert got.sent == message


def one(form: LinkForm, at: int, word: int = 0, credit: int = 0, *, drop: bool = False) -> Inject:
    """Return a fault of one cycle: flips, credits lost, or all forward wires lost."""
    channels = form.channels

    def inject(now: int, forward: Forward, back: Back) -> tuple[Forward, Back]:
        if now != at:
            return forward, back
        of_flits, of_messages = back.credit & ~credit, back.message_credit & ~(credit >> channels)
        return Forward() if drop else form.flip(forward, word), Back(
            of_flits, of_messages, back.empty
        )

    return inject


def traffic(link: Link, packets: int) -> Counter[int]:
    """Queue packets and messages; return how many packets each channel has."""
    many: Counter[int] = Counter()
    for number in range(packets):
        c = link.rng.randrange(link.form.channels)
        link.put(c, number, link.rng.choice([1, 2, 5]))
        many[c] += 1
    link.tokens = [packets // link.form.classes] * link.form.classes
    return many


def quiesce(link: Link) -> None:
    """Let all that is queued go; then wait as long as F3 says that anything can take to be back.

    A probe that meets something else on the link puts it off by 64 cycles, and a cut has to leave
    its buffer again before the credits of its channel can come back.
    """
    for _ in range(4000):
        if not (any(link.queues) or any(link.tokens) or any(link.buffers) or link.freed):
            break
        link.step()
    link.run(2 * BACK)


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_without_faults_guards_change_nothing(transport: str) -> None:
    form = form_of(transport)
    link = Link(form, random.Random(3))
    many = traffic(link, 60)
    quiesce(link)
    assert link.is_whole()
    assert (link.events, link.lost, link.messages) == (0, 0, 60)
    for c in range(form.channels):
        packets = whole_packets(link.got, c)
        assert len(packets) == many[c]
        assert not any(cut for _, cut in packets)


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("kind", ["flip", "drop", "credit"])
def test_whatever_is_lost_comes_back(transport: str, kind: str) -> None:
    """One fault in a random cycle: no channel is stuck, and all credits return."""
    form = form_of(transport)
    credited = len(Link(form, random.Random()).places)
    rng = random.Random(f"{transport} {kind}")
    found: Counter[str] = Counter()
    for seed in range(25):
        at = rng.randrange(90)
        mask = sum(1 << place for place in rng.sample(range(form.width), rng.randint(1, 3)))
        inject = {
            "flip": one(form, at, word=mask),
            "drop": one(form, at, drop=True),
            "credit": one(form, at, credit=rng.randrange(1, 1 << credited)),
        }[kind]
        link = Link(form, random.Random(seed), inject, drain=rng.choice([0.3, 0.9]))
        many = traffic(link, 30)
        quiesce(link)
        assert link.is_whole()
        cuts = 0
        for c in range(form.channels):
            packets = whole_packets(link.got, c)
            cuts += sum(cut for _, cut in packets)
            assert many[c] - len(packets) <= 1
        assert link.messages >= 30 - 1
        # Flips of `valid` poison the packets of other channels, too.
        assert cuts <= (form.channels if kind == "flip" else 1)
        found["cut"] += cuts
        found["report"] += bool(link.events or link.lost)
        # Nothing that is lost is lost in silence, but a message without a credit.
        counted = transport == "routed" or kind != "drop"
        if (counted and link.messages < 30) or any(
            len(whole_packets(link.got, c)) < many[c] for c in range(form.channels)
        ):
            assert link.events or link.lost
            found["lost"] += 1
    assert found["report"] > 5
    assert kind == "credit" or found["cut"] + found["lost"] > 2


@pytest.mark.parametrize("channel", range(4))
def test_a_credit_is_back_in_time(channel: int) -> None:
    """After its channel has come to rest, in 131 cycles at most, with a link in use beside it."""
    form = form_of()
    worst = 0
    for start in range(0, 64, 5):
        link = Link(form, random.Random(start), drain=1.0)
        link.run(start)
        if channel < form.channels:
            link.put(channel, 0, 1)
        else:
            link.tokens[channel - form.channels] = 1
        back = link.now + 2
        link.inject = one(form, back, credit=1 << channel)
        link.run(3)
        rest = link.now
        assert not link.is_whole()
        other = 1 if channel == 0 else 0
        while link.credits[channel] < link.places[channel]:
            link.put(other, link.now, 1)
            link.step()
            assert link.now - rest <= BACK
        worst = max(worst, link.now - rest)
        assert link.lost == 1
    assert worst > BACK // 2


def test_a_lost_tail_is_cut_in_time() -> None:
    form = form_of()
    for drop in (True, False):
        link = Link(form, random.Random(2), drain=1.0)
        link.put(1, 0, 3)
        link.inject = one(form, 2, drop=True) if drop else one(form, 2, word=0b1100)
        link.run(3)
        rest = link.now
        while len(link.got) < 3:
            link.step()
            assert link.now - rest <= BACK + 1
        assert whole_packets(link.got, 1) == [(0, True)]
        quiesce(link)
        assert link.is_whole()


def test_a_packet_without_its_head_is_dropped_to_its_end() -> None:
    form = form_of()
    link = Link(form, random.Random(2), one(form, 0, drop=True), drain=1.0)
    for number in range(3):
        link.put(0, number, 4)
    quiesce(link)
    assert [number for number, _ in whole_packets(link.got, 0)] == [1, 2]
    assert (link.events, link.lost) == (3, 1)
    assert link.is_whole()


@pytest.mark.parametrize("drop", [False, True])
def test_a_packet_with_a_wrong_or_a_lost_flit_is_cut_at_the_next(*, drop: bool) -> None:
    form = form_of()
    for place in (1, 2, 3):
        word = 0 if drop else 0b11
        link = Link(form, random.Random(2), one(form, place, word, drop=drop), drain=1.0)
        link.put(0, 0, 5)
        link.put(0, 1, 2)
        quiesce(link)
        assert whole_packets(link.got, 0) == [(0, True), (1, False)]
        assert [piece.place for _, piece in link.got[:place]] == list(range(place))
        # The wrong flit, the one that is cut, and those after it.
        assert link.events == 5 - place - drop
        assert link.is_whole()
