"""When a search must end."""

from __future__ import annotations

import time

from syncfabric.models.collectives.progress import Stop

__all__ = ["Clock"]


class Clock:
    """Seconds since it was made, against a limit and a request.

    Parameters
    ----------
    limit : float
        Seconds.
    asked : callable, optional
        Turns true when the search is to end.
    """

    def __init__(self, limit: float, asked: Stop | None = None) -> None:
        self.limit, self._asked = limit, asked
        self._begun = time.monotonic()

    @property
    def passed(self) -> float:
        """Seconds since it was made."""
        return time.monotonic() - self._begun

    @property
    def left(self) -> float:
        """Seconds until the limit; 0 behind it."""
        return max(0.0, self.limit - self.passed)

    @property
    def asked(self) -> bool:
        """Whether someone asked for the end."""
        return self._asked is not None and self._asked()

    @property
    def over(self) -> bool:
        """Whether the search must end."""
        return self.left == 0 or self.asked
