"""The fair orders by which the routers choose, kept as plain lists and numbers."""

from __future__ import annotations

from collections.abc import Collection

__all__ = ["LeastRecentlySent", "PatientRobin", "RoundRobin"]

LONGEST_TURN = 15


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
    """Turns of ``size`` places, the first at 0; a turn is kept until its place has sent something.

    Not for ever: after 15 cycles in which it has sent nothing, the turn goes on.

    Attributes
    ----------
    turn : int
        Whose turn it was last.
    stays : int
        For how many cycles it has been kept, 0 to 14; with 0 the next one has its turn.
    """

    __slots__ = ("size", "stays", "turn")

    def __init__(self, size: int) -> None:
        self.turn = size - 1
        self.stays = 0
        self.size = size

    def choose(self, candidates: Collection[int]) -> int:
        """Return whose turn it is in a cycle, and take it to send nothing.

        There must be a candidate; who keeps its turn need not be one any more.
        """
        if self.stays == 0:
            self.turn = min(candidates, key=lambda place: (place - self.turn - 1) % self.size)
        kept = self.turn in candidates and self.stays < LONGEST_TURN - 1
        self.stays = self.stays + 1 if kept else 0
        return self.turn

    def rest(self) -> None:
        """End a turn: the one chosen has sent something, or there are no candidates."""
        self.stays = 0
