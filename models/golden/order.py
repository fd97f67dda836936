"""The fair order by which routers choose, kept as a plain list."""

from __future__ import annotations

from collections.abc import Collection

__all__ = ["LeastRecentlySent"]


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
