"""The rounds of requests that a manager's command is made of."""

from __future__ import annotations

from typing import NamedTuple

from syncfabric.models.messages import Answer, Request

__all__ = ["Round", "following"]


class Round(NamedTuple):
    """A request to every entry, or to every marked one, of ``first`` up to ``limit``.

    ``fire`` comes with its requests; ``undo``: it takes back what a refused SETUP has written.
    ``entries`` is the command's number of them.
    """

    operation: Request
    entries: int
    first: int
    limit: int
    fire: bool = False
    marked: bool = False
    undo: bool = False

    @classmethod
    def first_of(cls, operation: Request, entries: int) -> Round:
        """Return a command's first round: of SETUP all but the last entry, the root's."""
        limit = entries - 1 if operation is Request.SETUP else entries
        return cls(operation, entries, 0, limit)

    @property
    def marks(self) -> Answer:
        """The answer that marks an entry, for a round to come."""
        return Answer.OK if self.operation is Request.SETUP else Answer.BUSY

    def refuses(self, code: int) -> bool:
        """Return whether an answer makes the command fail."""
        if self.undo:
            return False
        return code not in (Answer.OK, self.marks)


def following(done: Round, *, refused: bool, busy: bool) -> Round | None:
    """Return the round after one whose replies are all in; None if the command is over.

    Parameters
    ----------
    done : Round
        The round.
    refused : bool
        Whether anything has been refused.
    busy : bool
        Whether any of its entries is marked.
    """
    if done.operation is not Request.SETUP:
        return done._replace(first=0, marked=True) if busy else None
    if refused:
        return Round(Request.CLEAR, done.entries, 0, done.limit, marked=True, undo=True)
    if done.fire:
        return None
    return Round(Request.SETUP, done.entries, done.limit, done.entries, fire=True)
