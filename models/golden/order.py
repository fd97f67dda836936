"""The fair orders by which the routers choose, kept as plain lists and numbers."""

from __future__ import annotations

from collections.abc import Collection

__all__ = ["LeastRecentlySent", "PatientRobin", "RoundRobin"]

MOST_STAYS = 15


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


class PatientRobin(RoundRobin):
    """A hand that passes over whoever is chosen and sends nothing once, and then stays at it.

    It stays for ``MOST_STAYS`` cycles on end, no matter at whom, and then goes on.

    Attributes
    ----------
    missed : set of int
        Places that sent nothing when they were chosen last.
    stays : int
        How often on end the hand has stayed.
    """

    __slots__ = ("missed", "stays")

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.missed: set[int] = set()
        self.stays = 0

    def choose(self, candidates: Collection[int]) -> int:
        """Return the first candidate at or after the hand, and take it to send nothing."""
        chosen = super().choose(candidates)
        if chosen in self.missed and self.stays < MOST_STAYS:
            self.hand = chosen
            self.stays += 1
        else:
            self.stays = 0
        self.missed.add(chosen)
        return chosen

    def sent(self, chosen: int) -> None:
        """Note that the one chosen in this cycle has sent something."""
        self.missed.discard(chosen)
        self.hand = (chosen + 1) % self.size
        self.stays = 0

    def rest(self) -> None:
        """Note a cycle without candidates."""
        self.stays = 0
