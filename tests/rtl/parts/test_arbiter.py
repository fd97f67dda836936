"""Both arbiters against lists: who is granted in every cycle, and how long anybody waits."""

import random
from collections.abc import Collection
from typing import Any

import pytest

from syncfabric.models.golden.transport import LeastRecentlySent
from syncfabric.rtl.parts.arbiter import LeastRecentArbiter, RoundRobinArbiter
from tests.rtl.support import SEED, agree, simulate

COUNTS = (1, 2, 3, 5, 8, 17)
"""The last are the ports of the largest switch, and its set-up sink."""


class RoundRobin:
    """A hand that goes round ``size`` places, first at 0, and stops after the one it chose."""

    def __init__(self, size: int) -> None:
        self.hand, self.size = 0, size

    def choose(self, candidates: Collection[int]) -> int:
        """Return the first candidate at or after the hand, and move the hand just after it."""
        chosen = min(candidates, key=lambda place: (place - self.hand) % self.size)
        self.hand = (chosen + 1) % self.size
        return chosen


def requests(rng: random.Random, count: int) -> list[list[int]]:
    """Return who asks, cycle by cycle: all for some rounds, then any."""
    some = [[i for i in range(count) if rng.getrandbits(1)] for _ in range(400)]
    return [*[[*range(count)]] * 3 * count, *some]


@pytest.mark.parametrize("count", COUNTS)
def test_least_recent_agrees_with_list(count: int) -> None:
    """``sent`` is the grant, nothing, or anybody: only who was sent moves to the end."""
    rng, model = random.Random(f"{SEED}/{count}"), LeastRecentlySent(count)
    cases, expected = [], []
    for asked in requests(rng, count):
        grant = 1 << model.first(asked) if asked else 0
        all_ask = len(asked) == count
        sent = grant if all_ask else rng.choice([grant, grant, 0, 1 << rng.randrange(count)])
        cases.append({"request": sum(1 << i for i in asked), "sent": sent})
        expected.append({"grant": grant})
        if sent:
            model.sent(sent.bit_length() - 1)
    agree(LeastRecentArbiter(count), cases, expected)


@pytest.mark.parametrize("count", COUNTS)
def test_round_robin_agrees_with_pointer(count: int) -> None:
    """The pointer moves with ``advance`` only, and only if somebody was granted."""
    rng, model = random.Random(f"{SEED}/{count}"), RoundRobin(count)
    cases, expected = [], []
    for asked in requests(rng, count):
        advance, hand = len(asked) == count or rng.random() < 0.7, model.hand
        cases.append({"request": sum(1 << i for i in asked), "advance": advance})
        expected.append({"grant": 1 << model.choose(asked) if asked else 0})
        if not advance:
            model.hand = hand
    agree(RoundRobinArbiter(count), cases, expected)


@pytest.mark.parametrize("kind", [LeastRecentArbiter, RoundRobinArbiter])
@pytest.mark.parametrize("count", COUNTS[1:])
def test_no_request_waits_longer_than_a_round(kind: Any, count: int) -> None:
    """One grant a cycle while anybody asks, to one who asks, and each within ``count`` cycles."""
    part, rng = kind(count), random.Random(f"{SEED}/{count}")

    async def bench(context: Any) -> None:
        request, waited = 0, [0] * count
        for _ in range(400):
            request |= rng.getrandbits(count) & rng.getrandbits(count)
            context.set(part.request, request)
            grant = context.get(part.grant)
            moves = part.sent if kind is LeastRecentArbiter else part.advance
            context.set(moves, grant if kind is LeastRecentArbiter else 1)
            assert grant & ~request == 0
            assert grant.bit_count() == bool(request)
            for i in range(count):
                waited[i] = waited[i] + 1 if (request & ~grant) >> i & 1 else 0
            assert max(waited) < count
            request &= ~grant
            await context.tick()

    simulate(part, bench)
