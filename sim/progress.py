"""Progress of a long job, reported to what shows it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, Protocol, TypeAlias

Step: TypeAlias = Literal["plan", "emit", "build", "simulate", "draw", "synthesize"]

STEPS: tuple[Step, ...] = ("plan", "emit", "build", "simulate", "draw", "synthesize")
"""The steps of a job, in order; most leave some out."""


class Progress(Protocol):
    """Called when a step begins (``done`` is 0), goes on, and ends (``done`` is ``total``)."""

    def __call__(self, step: Step, done: int, total: int) -> None:
        """Take note.

        Parameters
        ----------
        step : Step
            What is being done.
        done, total : int
            How far it is: episodes when simulating, pictures when drawing, else 0 or 1 of 1.
        """


def silent(step: Step, done: int, total: int) -> None:
    """Show nothing."""


@contextmanager
def stage(progress: Progress, step: Step) -> Iterator[None]:
    """Report that a step of one part begins, and that it ends unless an error ends it."""
    progress(step, 0, 1)
    yield
    progress(step, 1, 1)
