"""What set-up and tear-down are made of: requests to the config port, and waiting."""

from collections.abc import Callable, Generator, Sequence
from typing import NamedTuple, TypeAlias, TypeVar

from syncfabric.models.errors import SyncfabricError

HANG = 10_000
"""Cycles in which something must happen, whatever it is that is waited for."""
LOOK = 100
"""Cycles between two looks."""

Request: TypeAlias = tuple[int, int, int | None]
"""Target, address, and the word to write; None: it is read."""
Answer: TypeAlias = tuple[bool, int]
"""Whether the request was refused, and what was read."""


class Ask(NamedTuple):
    """Requests, one after another; goes on with their answers."""

    requests: Sequence[Request]


class Pause(NamedTuple):
    """Goes on after some cycles."""

    cycles: int


Step: TypeAlias = Ask | Pause
T = TypeVar("T")
Steps: TypeAlias = Generator[Step, list[Answer], T]
"""What software does before it has a result."""


class FoundError(SyncfabricError):
    """The network does not do what it must; the text says what it does."""


def ask_all(requests: Sequence[Request], what: str) -> Steps[list[int]]:
    """Ask for requests, none of which may be refused; return what was read.

    Raises
    ------
    FoundError
        One was refused.
    """
    if not requests:
        return []
    answers = yield Ask(requests)
    for (target, address, _), (refused, _) in zip(requests, answers, strict=True):
        if refused:
            raise FoundError(
                f"{what}: the config port refuses address {address} of target {target}"
            )
    return [data for _, data in answers]


def await_reads(
    requests: Sequence[Request],
    holds: Callable[[Sequence[int]], bool],
    what: str,
    timeout: int = HANG,
) -> Steps[list[int]]:
    """Read again and again, until what is read is as it should be; return it.

    Raises
    ------
    FoundError
        It is not after ``timeout`` cycles, or more.
    """
    for _ in range(timeout // LOOK):
        data = yield from ask_all(requests, what)
        if holds(data):
            return data
        yield Pause(LOOK)
    raise FoundError(f"{what} for {timeout} cycles")
