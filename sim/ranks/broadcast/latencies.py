"""The latencies that rank 0 knows, and which pairs are measured when."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Pair = tuple[int, int]
"""Two ranks, the lower one first."""

GAIN = 0.5
"""How far a measurement moves the figure: halfway from the old one."""
CHANGED = 0.25
"""By which part a figure must differ from what the tree knows before it is changed there."""


class Latencies:
    """The figure of each pair, in seconds, and what the tree knows."""

    def __init__(self) -> None:
        self._smooth: dict[Pair, float] = {}
        self._told: dict[Pair, float] = {}

    def note(self, pair: Pair, measured: float) -> None:
        """Take a measurement: an exponentially weighted mean, the first one as it is."""
        old = self._smooth.get(pair, measured)
        self._smooth[pair] = old + GAIN * (measured - old)

    def tell(self, pair: Pair, unknown: float) -> float:
        """Return the figure that the tree knows from now on, or another one if there is none."""
        self._told[pair] = self._smooth.get(pair, unknown)
        return self._told[pair]

    def changes(self, members: Iterable[int]) -> list[tuple[Pair, float]]:
        """Return the pairs of these ranks that change in the tree, as known from now on.

        The lowest come first, for a swap should know the ways round what has risen.
        """
        inside = set(members)
        found = []
        for pair, value in self._smooth.items():
            told = self._told.get(pair, 0.0)
            if inside.issuperset(pair) and abs(value - told) > CHANGED * told:
                found.append((pair, value))
        self._told |= dict(found)
        return sorted(found, key=lambda change: change[1])

    def forget(self, rank: int) -> None:
        """Drop what is known of a rank that is gone."""
        for known in (self._smooth, self._told):
            for pair in [pair for pair in known if rank in pair]:
                del known[pair]


def matching(ranks: Sequence[int], number: int) -> list[Pair]:
    """Return disjoint pairs of ranks; N - 1 of them in turn (N if odd) hold every pair once.

    The circle method of tournaments: one stays, the others go round.
    """
    places: list[int | None] = [*ranks, *([None] * (len(ranks) % 2))]
    turn = number % max(1, len(places) - 1)
    circle = places[:1] + places[1 + turn :] + places[1 : 1 + turn]
    half = len(circle) // 2
    pairs = zip(circle[:half], reversed(circle[half:]), strict=True)
    return [pair_of(a, b) for a, b in pairs if a is not None and b is not None]


def pair_of(a: int, b: int) -> Pair:
    """Return two ranks as a pair."""
    return (min(a, b), max(a, b))
