"""When a search must end, and what it hands back."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from math import inf

from syncfabric.models.collectives.schedule import Step
from syncfabric.models.errors import SpecError, check_range

MOST_SEED = 2**31 - 1
"""What all methods take."""


def check_seed_and_limit(seed: int, time_limit: float) -> None:
    """Refuse a seed or a time limit that no search takes.

    Raises
    ------
    SpecError
        With the range.
    """
    check_range("seed", seed, 0, MOST_SEED)
    if not time_limit > 0:
        raise SpecError(f"time limit: it must be above 0 seconds, not {time_limit:g}")


@dataclass(frozen=True)
class Found:
    """What a search has found so far.

    Parameters
    ----------
    steps : tuple of Step or None
        Only if there is no conflict in them.
    conflicts : int
        Of the best that was found; 0 with ``steps``.
    evaluations : int
        Moves, individuals or branches that were tried.
    work : float
        What all that was done took, and what is to be done next will, in seconds of a processor:
        by counts, so that it is the same on every machine.
    infeasible : bool
        It is proved that there is no schedule with so few steps.
    seconds : float
        That it took, where it is over.
    """

    steps: tuple[Step, ...] | None
    conflicts: int
    evaluations: int = 0
    work: float = 0.0
    infeasible: bool = False
    seconds: float = 0.0

    @property
    def done(self) -> bool:
        """Whether there is no more to find."""
        return self.steps is not None or self.infeasible


Stop = Callable[[], bool]
"""Turns true when a search is to end with the best that it has."""


_LEFT: ContextVar[Callable[[], float]] = ContextVar("seconds left", default=lambda: inf)
"""Of the part of a search that runs; without a search there is no limit."""


class TimeUpError(Exception):
    """A part of a search was cut off: it took longer than it may, or the search is to end."""


def seconds_left() -> float:
    """Return the seconds that the part of a search that runs has left; 0 behind its end."""
    return _LEFT.get()()


def tick() -> None:
    """Cut off what runs if its time is over; to be called in every loop that can take long.

    Raises
    ------
    TimeUpError
        The time is over.
    """
    if seconds_left() <= 0:
        raise TimeUpError


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
        self.limit, self._whole, self._asked = limit, limit, asked
        self._begun = time.monotonic()

    @property
    def passed(self) -> float:
        """Seconds since it was made."""
        return time.monotonic() - self._begun

    def skip(self, seconds: float) -> None:
        """Count so many seconds more as passed; fewer if they are below 0."""
        self._begun -= seconds

    def reserve(self, seconds: float) -> None:
        """Bring the limit forward by so many seconds at least, for what comes after the search."""
        self.limit = min(self.limit, self._whole - seconds)

    @contextmanager
    def stands(self) -> Iterator[None]:
        """Let the clock stand still in the block."""
        begun = time.monotonic()
        yield
        self.skip(begun - time.monotonic())

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

    @contextmanager
    def rules(self, share: float = 1, *, heeds: bool = True, least: float = 0) -> Iterator[None]:
        """Let ``tick`` cut off the block when a share of the limit is over.

        Parameters
        ----------
        share : float
            Of the limit, from the clock's start.
        heeds : bool
            Whether a request ends it as well.
        least : float
            Seconds that the block may take even where the share is over.
        """
        end = max(self.limit * share, self.passed + least)

        def left() -> float:
            over = heeds and self.asked
            return 0.0 if over else max(0.0, end - self.passed)

        token = _LEFT.set(left)
        try:
            yield
        finally:
            _LEFT.reset(token)
