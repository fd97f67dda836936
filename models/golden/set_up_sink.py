"""The set-up sink of a router: requests come in, and replies go out."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from syncfabric.models.golden.set_up_steps import Access, Dialect, Holder, obey
from syncfabric.models.messages import REPLY, REQUEST, Answer, Counter, Layout

__all__ = ["SetUpSink"]

WORD = (1 << 32) - 1
SENDERS = (1 << 9) - 1

Does: TypeAlias = Callable[[Access], tuple[bool, int]]
"""Does an access at once; returns whether it is refused, and the answer's data."""


class Register(Protocol):
    """A register that can be freed."""

    gid: int
    freed: bool
    manager: int


class Unit(Protocol):
    """Registers and counters of a router."""

    @property
    def holders(self) -> Sequence[Holder]:
        """All registers."""

    @property
    def living(self) -> Sequence[Register]:
        """Those that can be freed by a last barrier: all, or none."""

    def count(self, counter: Counter) -> None:
        """Count an event."""


class Freed(NamedTuple):
    """A group that is freed, as at the start of the cycle."""

    register: Register
    gid: int
    manager: int


class SetUpSink:
    """One set-up sink (section S4 of docs/microarchitecture.md).

    In a cycle, ``begin`` comes first, then ``accept`` and ``replied``, and ``end`` is the edge.

    Parameters
    ----------
    unit : Unit
        The router's registers.
    dialect : Dialect
        Of the network's kind.
    sender : int
        The router's number.
    headers : sequence of int
        By manager, the header that leads a reply to it.
    flit : Layout
        What a link carries.

    Attributes
    ----------
    listening : bool
        Whether it takes a flit in this cycle.
    """

    def __init__(
        self,
        unit: Unit,
        dialect: Dialect,
        sender: int,
        headers: Sequence[int],
        flit: Layout,
    ) -> None:
        self.unit, self.dialect, self.headers = unit, dialect, headers
        self.sender = sender & SENDERS
        self.head, self.tail = (1 << flit.offsets[mark] for mark in ("head", "tail"))
        self._cut = 1 << flit.offsets["cut"] if "cut" in flit.offsets else 0
        self.listening = True
        self._words: list[int] = []
        self._flit: int | None = None
        self._steps: Generator[Access | None, tuple[bool, int], None] | None = None
        self._access: Access | None = None
        self._answer: tuple[bool, int] | None = None
        self._due = 0
        # One slot for each manager's answers, and the last one for groups that are free.
        self._slots: list[tuple[int, int] | None] = [None] * (len(headers) + 1)
        self._chosen: int | None = None
        self._choice: int | None = None
        self._freed: Freed | None = None
        self._gone = False

    def is_awake(self) -> bool:
        """Return whether it has something to do without a flit."""
        if self._steps is not None or any(slot is not None for slot in self._slots):
            return True
        return any(register.freed for register in self.unit.living)

    def begin(self, now: int, free: bool, does: Does) -> None:
        """Do a step, by the state at the start of the cycle.

        Parameters
        ----------
        now : int
            This cycle.
        free : bool
            Whether no request from outside is looked at here.
        does : callable
            Does an access.
        """
        if self._chosen is None:
            slots = enumerate(self._slots)
            self._choice = next((slot for slot, reply in slots if reply is not None), None)
        if self._steps is not None:
            self._go_on(now, free, does)
        elif not self._words and self._slots[-1] is None:
            registers = (register for register in self.unit.living if register.freed)
            register = next(registers, None)
            if register is not None:
                self._freed = Freed(register, register.gid, register.manager)

    def _go_on(self, now: int, free: bool, does: Does) -> None:
        assert self._steps is not None
        if self._access is None and now >= self._due:
            answer, self._answer = self._answer, None
            try:
                self._access = next(self._steps) if answer is None else self._steps.send(answer)
            except StopIteration:
                self._steps = None
                return
        if self._access is not None and free:
            self._answer, self._access = does(self._access), None
            self._due = now + 2

    def _serve(self, words: list[int]) -> Generator[Access | None, tuple[bool, int], None]:
        """Go from LOOK to ANSWER."""
        request = REQUEST.unpack(words[1]) if len(words) > 1 else {"manager": len(self.headers)}
        manager = request["manager"]
        if manager >= len(self.headers) or self._slots[manager] is not None:
            self.unit.count(Counter.STRAY)
            return
        code = yield from obey(words, self.unit.holders, self.dialect)
        back = {name: request[name] for name in ("sequence", "gid", "tag")}
        self._put(manager, manager, {"code": code, **back})

    def _put(self, slot: int, manager: int, fields: dict[str, int]) -> None:
        self._slots[slot] = manager, REPLY.pack({**fields, "sender": self.sender})

    def accept(self, raw: int) -> None:
        """Take a flit from the network."""
        self._flit = raw

    def replied(self) -> None:
        """Learn that the last flit of the reply on its way has been taken in this cycle."""
        self._gone = True

    def end(self) -> list[int]:
        """End the cycle; return the flits of a reply of which the first is now on offer."""
        offered: list[int] = []
        if self._gone:
            assert self._chosen is not None
            self._slots[self._chosen] = None
            self._chosen, self._gone = None, False
        if self._choice is not None:
            offered = self._offer(self._choice)
        if self._flit is not None:
            self._words.append(self._flit & WORD)
            if self._flit & self.tail and self._flit & self._cut:
                self._words = []
                self.unit.count(Counter.STRAY)
            elif self._flit & self.tail:
                self._steps, self._words = self._serve(self._words), []
        elif self._freed is not None:
            self._tell(self._freed)
        self._choice = self._flit = self._freed = None
        self.listening = self._steps is None
        return offered

    def _offer(self, slot: int) -> list[int]:
        reply = self._slots[slot]
        assert reply is not None
        manager, word = reply
        self._chosen = slot
        return [self.headers[manager] | self.head, word | self.tail]

    def _tell(self, freed: Freed) -> None:
        """Tell a manager that a group of its has had its last barrier."""
        freed.register.freed = False
        if freed.manager < len(self.headers):
            self._put(-1, freed.manager, {"code": Answer.FREED, "gid": freed.gid})
        else:
            self.unit.count(Counter.STRAY)
