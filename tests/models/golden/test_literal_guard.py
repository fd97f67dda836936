"""Guards against a transcription of F2 and F3 that looks at every channel in every cycle."""

import random

import pytest

from syncfabric.models.golden.receiver_guard import ReceiverGuard, Seen
from syncfabric.models.golden.sender_guard import SenderGuard
from tests.models.golden.literal_guard import LiteralReceiver, LiteralSender

PLACES = (3, 1, 2, 1, 1)
ORDINARY = 3
COUNT = len(PLACES)


def bits(rng: random.Random, chance: float) -> int:
    return sum(1 << c for c in range(COUNT) if rng.random() < chance)


def test_senders() -> None:
    """Busy and quiet times, credits and answers to probes that come at random, or never."""
    rng = random.Random(2)
    guard, literal = SenderGuard(PLACES), LiteralSender(PLACES)
    probed = lost = asked = 0
    for cycle in range(12000):
        busy = cycle // 500 % 3
        sent = bits(rng, (0.3, 0.01, 0.0)[busy])
        credit = bits(rng, (0.3, 0.02, 0.0)[busy])
        empty = asked if rng.random() < 0.5 else bits(rng, 0.05)
        asked = guard.probe
        found = guard.advance(sent, credit, empty)
        assert found == literal.advance(sent, credit, empty)
        assert (guard.probe, guard.quiet, guard.still, guard.out, guard.refund) == (
            literal.probe,
            literal.quiet,
            literal.still,
            literal.out,
            literal.refund,
        )
        assert guard.is_awake() or not literal.is_awake()
        probed += bool(guard.probe)
        lost += found[1]
    assert probed > 20
    assert lost > 10


@pytest.mark.parametrize("own", [False, True])
def test_receivers(own: bool) -> None:
    rng = random.Random(own)
    guard = ReceiverGuard(PLACES, ORDINARY, own=own)
    literal = LiteralReceiver(PLACES, ORDINARY, own=own)
    done = cuts = 0
    for _ in range(12000):
        kind, c, credit = rng.random(), rng.randrange(COUNT), bits(rng, 0.3)
        flit = 1 << c if c < ORDINARY and kind < 0.7 else 0
        sync = 1 << c if c >= ORDINARY and kind < 0.7 else 0
        if own and rng.random() < 0.3:
            sync = 1 << rng.randrange(ORDINARY, COUNT)
        if rng.random() < 0.04:
            flit |= 1 << rng.randrange(ORDINARY)
        assert guard.credit(credit) == literal.credit(credit)
        head, tail = rng.random() < 0.3, rng.random() < 0.3
        if rng.random() < 0.9:
            head = not guard.open & flit
        probe = bits(rng, 0.3) if rng.random() < 0.2 else 0
        right = rng.random() < 0.9, rng.random() < 0.9
        if not own:
            right = right[0], right[0]
        seen = Seen(flit, sync >> ORDINARY, head, tail, probe, *right)
        expected = literal.advance(seen, credit)
        assert guard.advance(seen, credit) == expected
        done += expected.flit >= 0
        cuts += expected.cut >= 0
        assert (guard.empty, guard.open, guard.spoilt, guard.inside, guard.owed) == (
            literal.empty,
            literal.open,
            literal.spoilt,
            literal.inside,
            literal.owed,
        )
        assert guard.is_awake() == literal.is_awake()
    assert done > 1000
    assert cuts > 100
