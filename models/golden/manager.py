"""A node's manager: it sends requests to set-up sinks, and takes in their replies."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.golden.rounds import Round, following
from syncfabric.models.messages import (
    MANAGER_BASE,
    MANAGER_COMMAND,
    MANAGER_STATUS,
    REPLY,
    REQUEST,
    SEQUENCE_BITS,
    TAG_BITS,
    Answer,
    Layout,
    ManagerState,
    ManagerWord,
    Request,
)

__all__ = ["Manager"]

WORD = (1 << 32) - 1
MOST_ENTRIES = 1 << SEQUENCE_BITS
MOST_FREED = 256
FREED_BIT = 1 << 8
KEPT = REQUEST.pack({"gid": 255, "epoch": 3, "op": 7, "root": 1, "turn": 1})
"""What of a request word comes from the memory; the other fields are put in."""


class Manager:
    """One manager (section S5 of docs/microarchitecture.md).

    In a cycle, requests on the config port come first, then flits that are taken and that come, and
    ``advance`` is the edge.

    Parameters
    ----------
    number : int
        Which manager it is.
    image_words : int
        Image words of a SETUP request.
    routers : int
        Routers or switches, for the size of the memory.
    flit : Layout
        What a link carries.
    stray : callable
        Counts a reply that nobody waits for, or a freed group for which there is no room.

    Attributes
    ----------
    state : ManagerState
        What the status word says of the last command.
    freed : deque of int
        Groups that sinks have told are free, the oldest first.
    offer : int or None
        The flit on offer in this cycle.
    sent : int
        Requests that have gone out since reset.
    tag : int
        What marks requests, and their replies, since the last ABORT.
    """

    def __init__(
        self,
        number: int,
        image_words: int,
        routers: int,
        flit: Layout,
        stray: Callable[[], None],
    ) -> None:
        self.number, self.stray = number, stray
        self.stride = 2 + image_words
        entries = min(MOST_ENTRIES, routers)
        self.memory = [0] * (1 << (self.stride * entries - 1).bit_length())
        self.most = min(MOST_ENTRIES, len(self.memory) // self.stride)
        self.head, self.tail = (1 << flit.offsets[mark] for mark in ("head", "tail"))
        self._cut = 1 << flit.offsets["cut"] if "cut" in flit.offsets else 0
        self.pointer = 0
        self.state = ManagerState.IDLE
        self.code = self.entry = 0
        self.freed: deque[int] = deque()
        self.offer: int | None = None
        self.sent = 0
        self.tag = 0
        self._ends = False  # by ABORT, in a cycle to come
        self._abort = False  # was written in this cycle
        self._marks = [False] * MOST_ENTRIES
        self._round: Round | None = None
        self._next = self._word = self._awaited = 0
        self._command: dict[str, int] | None = None
        self._taken = False
        self._reply: int | None = None
        self._read_freed = 0

    # The config port.

    def has(self, address: int) -> bool:
        """Return whether a config address is one of the manager's words."""
        return MANAGER_BASE <= address < MANAGER_BASE + len(ManagerWord)

    def configure(self, request: ConfigRequest) -> tuple[bool, int]:
        """Obey a request for one of its words; return whether it is refused, and the answer."""
        word = request.address - MANAGER_BASE
        if request.write:
            return not self._write(word, request.data), 0
        if word == ManagerWord.STATUS:
            fields = {"state": self.state, "code": self.code, "entry": self.entry}
            return False, MANAGER_STATUS.pack(fields)
        if word != ManagerWord.FREED:
            return True, 0
        if not self.freed:
            return False, 0
        self._read_freed = 1
        return False, FREED_BIT | self.freed.popleft()

    def _write(self, word: int, data: int) -> bool:
        command = MANAGER_COMMAND.unpack(data)
        aborts = word == ManagerWord.COMMAND and command["operation"] == Request.ABORT
        if aborts or self.state is ManagerState.RUNNING:
            self._abort = aborts and self.state is ManagerState.RUNNING
            return self._abort
        if word == ManagerWord.POINTER:
            self.pointer = data % len(self.memory)
        elif word == ManagerWord.DATA:
            self.memory[self.pointer] = data & WORD
            self.pointer = (self.pointer + 1) % len(self.memory)
        elif word == ManagerWord.COMMAND:
            if not 1 <= command["count"] <= self.most:
                return False
            self._command = command
        else:
            return False
        return True

    # Flits.

    def take(self) -> int:
        """Let the flit on offer go; return it."""
        assert self.offer is not None
        self._taken = True
        return self.offer

    def hear(self, raw: int) -> None:
        """Take a flit of a reply from the link."""
        if raw & self.tail:
            self._reply = raw

    # The edge.

    def is_moving(self) -> bool:
        """Return whether it does more than wait for replies."""
        if self.offer is not None or self._command is not None or self._reply is not None:
            return True
        if self._ends or self._abort:
            return True
        if self._round is None:
            return False
        return self._next < self._round.limit or not self._awaited

    def advance(self) -> None:
        """End a cycle."""
        awaited, reply, self._reply = self._awaited, self._reply, None
        ends = self._ends and self._may_end()
        if ends:
            pass
        elif self.offer is not None:
            if self._taken:
                self._go_on(self.offer)
        elif self._round is not None:
            self._step(self._round)
        self._taken = False
        if reply is not None:
            self._answered(reply, awaited)
        self._read_freed = 0
        if ends:
            self._end_early()
        if self._abort:
            self._ends, self._abort = self._round is not None, False
        if self._command is not None:
            self.state, self.code, self.entry = ManagerState.RUNNING, 0, 0
            count = self._command["count"]
            self._begin(Round.first_of(Request(self._command["operation"]), count))
            self._command = None

    def _may_end(self) -> bool:
        """Return whether no packet has begun at the start of this cycle, and none begins in it."""
        return self.offer is None or (self._word == 0 and not self._taken)

    def _end_early(self) -> None:
        """End the command by ABORT."""
        self.state, self.code, self.entry = ManagerState.FAILED, Answer.ABORTED, 0
        self._round, self.offer, self._awaited, self._ends = None, None, 0, False
        self.tag = (self.tag + 1) % (1 << TAG_BITS)

    def _begin(self, turn: Round) -> None:
        self._round, self._next = turn, turn.first

    def _step(self, turn: Round) -> None:
        """Look at the next entry of a round, or whether the round is over."""
        if self._next < turn.limit:
            if not turn.marked or self._marks[self._next]:
                self._word = 0
                self.offer = self._flit(turn)
            else:
                self._next += 1
        elif not self._awaited:
            any_marked = any(self._marks[: turn.limit])
            further = following(turn, refused=self.code != Answer.OK, busy=any_marked)
            if further is None:
                self._round = None
                failed = self.code != Answer.OK
                self.state = ManagerState.FAILED if failed else ManagerState.DONE
            else:
                self._begin(further)

    def _go_on(self, taken: int) -> None:
        """Offer the next flit of the packet, or count one more reply to wait for."""
        assert self._round is not None
        if taken & self.tail:
            self.sent += 1
            self._awaited += 1
            self._next += 1
            self.offer = None
        else:
            self._word += 1
            self.offer = self._flit(self._round)

    def _flit(self, turn: Round) -> int:
        word = self.memory[(self._next * self.stride + self._word) % len(self.memory)]
        if self._word == 1:
            stamps = {
                "operation": turn.operation,
                "manager": self.number,
                "sequence": self._next,
                "fire": turn.fire,
                "tag": self.tag,
            }
            word = word & KEPT | REQUEST.pack(stamps)
        last = self.stride - 1 if turn.operation is Request.SETUP else 1
        return word | (self._word == 0) * self.head | (self._word == last) * self.tail

    def _answered(self, raw: int, awaited: int) -> None:
        if raw & self._cut:
            self.stray()
            return
        reply = REPLY.unpack(raw & WORD)
        code, entry = reply["code"], reply["sequence"]
        if code == Answer.FREED:
            if len(self.freed) + self._read_freed < MOST_FREED:
                self.freed.append(reply["gid"])
            else:
                self.stray()
            return
        if not awaited or self._round is None or reply["tag"] != self.tag:
            self.stray()
            return
        self._awaited -= 1
        self._marks[entry] = code == self._round.marks
        if self._round.refuses(code) and self.code == Answer.OK:
            self.code, self.entry = code, entry
