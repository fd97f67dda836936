"""How rank 0 speaks to the others: it asks, it broadcasts, and it waits no longer than a time."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from itertools import count
from typing import Any

from syncfabric.sim.ranks.broadcast.member import Member
from syncfabric.sim.ranks.broadcast.post import Data, Kind
from syncfabric.sim.ranks.broadcast.results import Wrong

__all__ = ["CHANGED", "GAIN", "Caller", "Latencies", "matching"]

Pair = tuple[int, int]
"""Two ranks, the lower one first."""

GAIN = 0.5
"""How far a measurement moves the figure: halfway from the old one."""
CHANGED = 0.25
"""By which part a figure must differ from what the tree knows before the tree is told."""


class Latencies:
    """The figure of each pair, in seconds, and what the tree was last told."""

    def __init__(self) -> None:
        self._smooth: dict[Pair, float] = {}
        self._told: dict[Pair, float] = {}

    def note(self, pair: Pair, measured: float) -> None:
        """Take a measurement: an exponentially weighted mean, the first one as it is."""
        old = self._smooth.get(pair, measured)
        self._smooth[pair] = old + GAIN * (measured - old)

    def tell(self, pair: Pair, unknown: float) -> float:
        """Return the figure that the tree is told now, or another one if there is none."""
        self._told[pair] = self._smooth.get(pair, unknown)
        return self._told[pair]

    def changes(self, members: Iterable[int]) -> list[tuple[Pair, float]]:
        """Return the pairs of these ranks that the tree must be told of, and tell them so.

        The lowest come first, for a swap should know the ways round what has risen.
        """
        inside = set(members)
        found = [
            (pair, value)
            for pair, value in self._smooth.items()
            if inside.issuperset(pair) and self._differs(pair, value)
        ]
        for pair, value in found:
            self._told[pair] = value
        return sorted(found, key=lambda change: change[1])

    def forget(self, rank: int) -> None:
        """Drop what is known of a rank that is gone."""
        for known in (self._smooth, self._told):
            for pair in [pair for pair in known if rank in pair]:
                del known[pair]

    def _differs(self, pair: Pair, value: float) -> bool:
        told = self._told.get(pair, 0.0)
        return abs(value - told) > CHANGED * told


def matching(ranks: Sequence[int], number: int) -> list[Pair]:
    """Return disjoint pairs of ranks; N - 1 of them in turn (N if odd) hold every pair once.

    The circle method of tournaments: one stays, the others go round.
    """
    places: list[int | None] = [*ranks, *([None] * (len(ranks) % 2))]
    turn = number % max(1, len(places) - 1)
    circle = places[:1] + places[1 + turn :] + places[1 : 1 + turn]
    half = len(circle) // 2
    pairs = zip(circle[:half], reversed(circle[half:]), strict=True)
    return [(min(a, b), max(a, b)) for a, b in pairs if a is not None and b is not None]


class Caller:
    """Rank 0 towards the others.

    Parameters
    ----------
    member : Member
        What it does as every rank does; it goes on with that while it waits.
    """

    def __init__(self, member: Member) -> None:
        self.member, self.post = member, member.post
        self.timeout = member.setting.timeout
        self.wrong: list[Wrong] = []
        self.checked = 0
        self._numbers = count(1)

    def number(self) -> int:
        """Return a number that no question and no broadcast has had."""
        return next(self._numbers)

    def tell(self, kind: Kind, value: object, ranks: Iterable[int]) -> None:
        """Send a message to some ranks."""
        for rank in ranks:
            self.post.send(rank, kind, value)

    def there(self, ranks: Iterable[int]) -> set[int]:
        """Return who of some ranks answers in time."""
        asked, number = set(ranks), self.number()
        self.tell(Kind.ASK, number, asked)
        return set(self.answers(Kind.HERE, asked, number))

    def measure(self, pairs: Iterable[Pair]) -> dict[Pair, float]:
        """Return the seconds from rank to rank, all measured at once; the lower ones ask."""
        asked: dict[int, list[int]] = {}
        for low, high in pairs:
            asked.setdefault(low, []).append(high)
        number = self.number()
        for rank, peers in asked.items():
            self.post.send(rank, Kind.PROBE, (number, peers))
        seen = self.answers(Kind.SEEN, set(asked), number)
        return {(rank, peer): value for rank in seen for peer, value in seen[rank].items()}

    def answers(self, kind: Kind, ranks: set[int], number: int) -> dict[int, Any]:
        """Return what ranks answer to a question, of those that do in time.

        An answer is the question's number, or that and a value.
        """
        found: dict[int, Any] = {}
        until = time.monotonic() + self.timeout
        while found.keys() != ranks:
            message = self.post.receive(until)
            if message is None:
                break
            if message.kind is not kind:
                self.member.handle(message)
                continue
            told, value = message.value
            if told == number and message.source in ranks:
                found[message.source] = value
        return found

    def spread(self, number: int, turn: int, order: tuple[int, ...]) -> tuple[set[int], float]:
        """Broadcast along a binomial tree, once.

        Returns
        -------
        set of int
            Who did not say in time that it has the data, and that it has compared it.
        float
            When the root heard of the last one that it has the data (``time.monotonic``).
        """
        last = time.monotonic()
        until = last + self.timeout
        data = Data(number, turn, order, self.member.setting.payload(number))
        self.member.pass_on(data, data.pack())
        waiting = {kind: set(order[1:]) for kind in (Kind.GOT, Kind.CHECKED)}
        while any(waiting.values()):
            message = self.post.receive(until)
            if message is None:
                break
            if message.kind not in waiting:
                self.member.handle(message)
                continue
            told, byte = message.value
            if told != number or message.source not in waiting[message.kind]:
                continue
            waiting[message.kind].remove(message.source)
            if message.kind is Kind.GOT:
                last = time.monotonic()
            else:
                self.checked += self.member.setting.size
                if byte is not None:
                    self.wrong.append(Wrong(message.source, turn, byte))
        return waiting[Kind.GOT] | waiting[Kind.CHECKED], last
