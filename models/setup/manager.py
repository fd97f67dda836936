"""A manager's command: which requests it sends, in which order, and what it makes of the answers.

Source: SPEC, rules 3, 5, 6 and 7 of set-up.
"""

from __future__ import annotations

import enum
from typing import NamedTuple

from syncfabric.models.messages import Answer, Request
from syncfabric.models.setup.rules import Rules

__all__ = ["Command", "Mark", "Meddling"]


class Mark(enum.IntEnum):
    """What is to be done, or was answered, for one entry of a command."""

    SKIP, SEND, AWAIT, DONE, REFUSED = range(5)


class Command(NamedTuple):
    """A command under way.

    ``operation`` is what is asked now: CLEAR after a SETUP that was refused, with ``refusal`` set.
    """

    life: int
    operation: Request
    marks: tuple[Mark, ...]
    refusal: Answer | None = None

    @classmethod
    def begin(cls, life: int, operation: Request, count: int, rules: Rules) -> Command:
        """Begin a command on ``count`` entries, of which SETUP leaves the root's for the end."""
        marks = [Mark.SEND] * count
        if operation is Request.SETUP and rules.root_last and count > 1:
            marks[-1] = Mark.SKIP
        return cls(life, operation, tuple(marks))

    @property
    def next(self) -> int | None:
        """The entry to send a request for."""
        return self.marks.index(Mark.SEND) if Mark.SEND in self.marks else None

    @property
    def over(self) -> bool:
        """Whether nothing is left to send or to await."""
        return Mark.SEND not in self.marks and Mark.AWAIT not in self.marks

    def repeatable(self) -> list[int]:
        """Return the entries whose SETUP may be repeated: all that are written, before the root."""
        waits = self.awaits_all_but_root
        return [i for i, mark in enumerate(self.marks) if mark is Mark.DONE] if waits else []

    @property
    def awaits_all_but_root(self) -> bool:
        """Whether a SETUP has not come to the root's entry yet."""
        return self.operation is Request.SETUP and self.marks[-1] is Mark.SKIP

    def again(self, entry: int) -> Command:
        """Have an entry's request sent once more."""
        return self._mark(entry, Mark.SEND)

    def sent(self, entry: int) -> Command:
        """Note that the entry's request is on its way."""
        return self._mark(entry, Mark.AWAIT)

    def answered(self, entry: int, code: Answer, rules: Rules) -> Command:
        """Take in the answer for an entry, and go on to the next stage after the last one."""
        if code is Answer.OK:
            command = self._mark(entry, Mark.DONE)
        elif code is Answer.BUSY:
            command = self._mark(entry, Mark.SEND)
        else:
            command = self._mark(entry, Mark.REFUSED)._replace(refusal=self.refusal or code)
        if command.operation is not Request.SETUP or not command.over:
            return command
        return command._next_stage(rules)

    def _next_stage(self, rules: Rules) -> Command:
        if self.refusal is None:
            unsent = tuple(Mark.SEND if mark is Mark.SKIP else mark for mark in self.marks)
            return self._replace(marks=unsent)
        if not rules.rollback:
            return self
        undo = tuple(Mark.SEND if mark is Mark.DONE else Mark.SKIP for mark in self.marks)
        return self._replace(operation=Request.CLEAR, marks=undo)

    def _mark(self, entry: int, mark: Mark) -> Command:
        return self._replace(marks=(*self.marks[:entry], mark, *self.marks[entry + 1 :]))


class Meddling(NamedTuple):
    """A manager that commands CLEAR or KILL on another's group."""

    manager: int
    life: int
    operation: Request
