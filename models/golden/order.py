"""The fair orders by which the routers choose, kept as plain lists and numbers."""

from __future__ import annotations

from collections.abc import Collection

__all__ = ["LeastRecentlySent", "PatientRobin", "RoundRobin"]

STEPPING = 15


class LeastRecentlySent:
    """Candidates in a queue: whoever sent goes to the end.

    Parameters
    ----------
    size : int
        Candidates 0 to ``size`` - 1, which is also their first order.
    """

    __slots__ = ("order",)

    def __init__(self, size: int) -> None:
        self.order = list(range(size))

    def first(self, candidates: Collection[int]) -> int:
        """Return the one that has waited longest since it sent; there must be one."""
        return next(candidate for candidate in self.order if candidate in candidates)

    def sent(self, candidate: int) -> None:
        """Move a candidate to the end."""
        self.order.remove(candidate)
        self.order.append(candidate)


class RoundRobin:
    """A hand that goes round ``size`` places, first at 0, and stops after the one it chose."""

    __slots__ = ("hand", "size")

    def __init__(self, size: int) -> None:
        self.hand = 0
        self.size = size

    def choose(self, candidates: Collection[int]) -> int:
        """Return the first candidate at or after the hand, and move the hand just after it."""
        chosen = min(candidates, key=lambda place: (place - self.hand) % self.size)
        self.hand = (chosen + 1) % self.size
        return chosen


class PatientRobin:
    """A hand that goes round ``size`` places, and stays until the one it chose has sent something.

    Not for ever: every 15th cycle is a stepping one, and in the second of these the hand goes on.
    """

    __slots__ = ("hand", "late", "size")

    def __init__(self, size: int) -> None:
        self.hand = 0
        self.late = False
        self.size = size

    def choose(self, candidates: Collection[int], now: int) -> int:
        """Return the first candidate at or after the hand, and take it to send nothing."""
        chosen = min(candidates, key=lambda place: (place - self.hand) % self.size)
        if now % STEPPING == STEPPING - 1:
            if self.late:
                self.hand = (chosen + 1) % self.size
            self.late = not self.late
        return chosen

    def sent(self, chosen: int) -> None:
        """Note that the one chosen in this cycle has sent something."""
        self.hand = (chosen + 1) % self.size
        self.late = False

    def rest(self) -> None:
        """Note a cycle without candidates."""
        self.late = False
