"""Performs programs of `sim.lifecycle` over a driver's config port, a cycle at a time."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TypeAlias, TypeVar

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.sim.drive.config_port import ConfigPort
from syncfabric.sim.lifecycle.effects import Answer, Pause, Step, Steps

__all__ = ["Cycles", "perform"]

T = TypeVar("T")
Cycles: TypeAlias = Generator[None, None, T]
"""Goes on a cycle each time it is resumed."""


def perform(steps: Steps[T], port: ConfigPort, now: Callable[[], int]) -> Cycles[T]:
    """Perform a program; return its result.

    Parameters
    ----------
    steps : Steps
    port : ConfigPort
        Nobody else's requests come between those that the program asks for at once.
    now : callable
        Returns the cycle.

    Raises
    ------
    FoundError
        The program's.
    """
    try:
        step = next(steps)
        while True:
            step = steps.send((yield from _do(step, port, now)))
    except StopIteration as end:
        result: T = end.value
        return result


def _do(step: Step, port: ConfigPort, now: Callable[[], int]) -> Cycles[list[Answer]]:
    """Do one step of a program; return the answers to its requests."""
    answers: list[Answer] = []

    def hear(cycle: int, refused: bool, data: int) -> None:
        answers.append((refused, data))

    if isinstance(step, Pause):
        end = now() + step.cycles
        while now() < end:
            yield
        return answers
    for target, address, word in step.requests:
        port.ask(ConfigRequest(target, address, word is not None, word or 0), hear)
    while len(answers) < len(step.requests):
        yield
    return answers
