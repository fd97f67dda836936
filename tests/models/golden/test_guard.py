"""Guards of a link alone: what they find, what they let through, and what comes back."""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations

import pytest

from syncfabric.models.golden.link_form import LinkForm, Wires
from syncfabric.models.golden.receiver_guard import ReceiverGuard, Seen
from tests.models.golden.link_bench import Link, form_of, whole_packets

BACK = 131
"""Cycles within which all is back after a channel has come to rest (F3)."""

Spoil = Callable[[int, int, int, int], tuple[int, int, int]]


def flips(form: LinkForm, most: int) -> Iterator[int]:
    for count in range(1, most + 1):
        for places in combinations(range(form.width), count):
            yield sum(1 << place for place in places)


def seen_in(form: LinkForm, word: int) -> Seen:
    there = form.unpack(word)
    head, tail = (bool(there.flit >> form.flit_bits - back & 1) for back in (3, 2))
    return Seen(there.valid, there.sync_valid, head, tail, there.probe, *form.is_right(there))


@pytest.mark.parametrize("links", ["shared", "own"])
def test_words_come_apart_as_they_were_put_together(links: str) -> None:
    form, rng = form_of(sync_links=links), random.Random(1)
    for _ in range(200):
        sync = rng.getrandbits(form.sync_bits)
        flit = sync if links == "shared" else rng.getrandbits(form.flit_bits)
        wires = Wires(flit, rng.getrandbits(2), sync, rng.getrandbits(2), rng.getrandbits(4), 0, 0)
        wires = form.checked(wires)
        assert form.unpack(form.pack(wires)) == wires
        assert form.is_right(wires) == (True, True)
    assert form.pack(form.checked(Wires())) == 0


@pytest.mark.parametrize(
    ("links", "bits", "most"),
    [
        ("shared", 8, 3),
        ("shared", 1, 1),
        ("own", 8, 2),
        ("own", 1, 1),
        pytest.param("own", 8, 3, marks=pytest.mark.long),
    ],
)
def test_no_flips_pass(links: str, bits: int, most: int) -> None:
    """Every 1 to 3 flips, of flit, message, probe or nothing: nothing wrong goes on to a router.

    What is on the other wires of a link of its own goes on as it was.
    """
    form = form_of(bits, sync_links=links, channels=1, data_bits=0)
    flit = 0b1011 | 1 << form.flit_bits - 3
    own = links == "own"
    cases = [
        Wires(),
        Wires(flit=flit, valid=1),
        Wires(flit=0 if own else 9, sync=9, sync_valid=2),
        Wires(probe=0b101),
    ]
    if own:
        cases.append(Wires(flit, 1, 9, 2, 0b101))
    for wires in cases:
        word = form.pack(form.checked(wires))
        for mask in flips(form, most if wires.valid or most < 3 else 2):
            for is_open in (0, 1):
                guard = ReceiverGuard(form.places, form.ordinary, own=own)
                guard.open = is_open
                seen = seen_in(form, word ^ mask)
                given = guard.advance(seen, 0)
                if given.flit >= 0 or given.cut >= 0:
                    assert own
                    assert seen.right
                    assert seen.valid == wires.valid
                if given.sync >= 0:
                    assert own
                    assert seen.sync_right
                    assert seen.sync_valid == wires.sync_valid
                    assert form.unpack(word ^ mask).sync == wires.sync


def one(at: int, word: int = 0, credit: int = 0, *, drop: bool = False) -> Spoil:
    """Return a fault of one cycle: flips, credits lost, or all forward wires lost."""

    def spoil(now: int, wires: int, credits: int, empty: int) -> tuple[int, int, int]:
        if now != at:
            return wires, credits, empty
        return 0 if drop else wires ^ word, credits & ~credit, empty

    return spoil


def traffic(link: Link, packets: int) -> Counter[int]:
    """Queue packets and messages; return how many packets each channel has."""
    many: Counter[int] = Counter()
    for number in range(packets):
        c = link.rng.randrange(link.form.ordinary)
        link.put(c, number, link.rng.choice([1, 2, 5]))
        many[c] += 1
    link.tokens = [packets // 2] * link.form.classes
    return many


def settle(link: Link) -> None:
    """Let all that is queued go; then wait as long as F3 says that anything can take to be back.

    A probe that meets something else on the link puts it off by 64 cycles, and a cut has to leave
    its buffer again before the credits of its channel can come back.
    """
    for _ in range(4000):
        if not (any(link.queues) or any(link.tokens) or any(link.buffers) or link.freed):
            break
        link.step()
    link.run(2 * BACK)


@pytest.mark.parametrize("links", ["shared", "own"])
def test_without_faults_guards_change_nothing(links: str) -> None:
    form = form_of(sync_links=links)
    link = Link(form, random.Random(3))
    many = traffic(link, 60)
    settle(link)
    assert link.is_whole()
    assert (link.events, link.lost, link.messages) == (0, 0, 60)
    for c in range(form.ordinary):
        packets = whole_packets(link.got, c)
        assert len(packets) == many[c]
        assert not any(cut for _, cut in packets)


@pytest.mark.parametrize("links", ["shared", "own"])
@pytest.mark.parametrize("kind", ["flip", "drop", "credit"])
def test_whatever_is_lost_comes_back(links: str, kind: str) -> None:
    """One fault in a random cycle: no channel is stuck, and all credits return."""
    form = form_of(sync_links=links)
    rng = random.Random(f"{links} {kind}")
    found: Counter[str] = Counter()
    for seed in range(25):
        at = rng.randrange(90)
        mask = sum(1 << place for place in rng.sample(range(form.width), rng.randint(1, 3)))
        spoil = {
            "flip": one(at, word=mask),
            "drop": one(at, drop=True),
            "credit": one(at, credit=rng.randrange(1, 1 << len(form.places))),
        }[kind]
        link = Link(form, random.Random(seed), spoil, drain=rng.choice([0.3, 0.9]))
        many = traffic(link, 30)
        settle(link)
        assert link.is_whole()
        cuts = 0
        for c in range(form.ordinary):
            packets = whole_packets(link.got, c)
            cuts += sum(cut for _, cut in packets)
            assert many[c] - len(packets) <= 1
        assert link.messages >= 30 - 1
        # Flips of `valid` spoil the packets of other channels, too.
        assert cuts <= (form.ordinary if kind == "flip" else 1)
        found["cut"] += cuts
        found["told"] += bool(link.events or link.lost)
        # Nothing that is lost is lost in silence.
        if link.messages < 30 or any(
            len(whole_packets(link.got, c)) < many[c] for c in range(form.ordinary)
        ):
            assert link.events or link.lost
            found["lost"] += 1
    assert found["told"] > 5
    assert kind == "credit" or found["cut"] + found["lost"] > 2


@pytest.mark.parametrize("channel", range(4))
def test_a_credit_is_back_in_time(channel: int) -> None:
    """After its channel has come to rest, in 131 cycles at most, with a link in use beside it."""
    form = form_of()
    worst = 0
    for start in range(0, 64, 5):
        link = Link(form, random.Random(start), drain=1.0)
        link.run(start)
        if channel < form.ordinary:
            link.put(channel, 0, 1)
        else:
            link.tokens[channel - form.ordinary] = 1
        back = link.now + 2
        link.spoil = one(back, credit=1 << channel)
        link.run(3)
        rest = link.now
        assert not link.is_whole()
        other = 1 if channel == 0 else 0
        while link.credits[channel] < form.places[channel]:
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
        link.spoil = one(2, drop=True) if drop else one(2, word=0b1100)
        link.run(3)
        rest = link.now
        while len(link.got) < 3:
            link.step()
            assert link.now - rest <= BACK + 1
        assert whole_packets(link.got, 1) == [(0, True)]
        settle(link)
        assert link.is_whole()


def test_a_packet_without_its_head_is_dropped_to_its_end() -> None:
    form = form_of()
    link = Link(form, random.Random(2), one(0, drop=True), drain=1.0)
    for number in range(3):
        link.put(0, number, 4)
    settle(link)
    assert [number for number, _ in whole_packets(link.got, 0)] == [1, 2]
    assert (link.events, link.lost) == (3, 1)
    assert link.is_whole()


def test_a_packet_with_a_wrong_flit_is_cut_at_the_next() -> None:
    form = form_of()
    for place in (1, 2, 3):
        link = Link(form, random.Random(2), one(place, word=0b11), drain=1.0)
        link.put(0, 0, 5)
        link.put(0, 1, 2)
        settle(link)
        assert whole_packets(link.got, 0) == [(0, True), (1, False)]
        assert [piece.place for _, piece in link.got[:place]] == list(range(place))
        # The wrong flit, the one that is cut, and those after it.
        assert link.events == 5 - place
        assert link.is_whole()
