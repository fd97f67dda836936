"""A manager: a memory of requests, and what sends them and takes their replies (N5)."""

from collections import deque

from syncfabric.models.golden.counters import Counters
from syncfabric.models.golden.engine.commands import Request
from syncfabric.models.golden.engine.memory import Answer
from syncfabric.models.golden.router import Flit
from syncfabric.models.layout import setup as words
from syncfabric.models.layout.engine import WORD_BITS
from syncfabric.models.layout.setup import (
    COMMAND,
    FREED,
    FREED_PLACES,
    MANAGER_STATUS,
    MOST_REQUESTS,
    REPLY,
    REQUEST,
    ManagerState,
    Operation,
    manager_words,
)
from syncfabric.models.layout.words import ManagerWord

WORD = (1 << WORD_BITS) - 1
TAGS = 4


class Manager:
    """One manager.

    In a cycle ``offer`` is the flit that may leave; then ``step`` is its edge.

    Parameters
    ----------
    number : int
        Which manager it is.
    image_words, routers : int
        For requests, and the size of the memory.
    channel : int
        Of set-up packets.
    counters : bool
        UNEXPECTED is there.

    Attributes
    ----------
    state : ManagerState
        What STATUS says.
    offer : Flit or None
        The flit on offer in this cycle.
    sent : int
        Requests that have left since reset.
    answer : Answer or None
        To the config node in this cycle.
    freed : deque of int
        Reports of ended groups, the oldest first.
    """

    def __init__(
        self, number: int, image_words: int, routers: int, channel: int, *, counters: bool
    ) -> None:
        self._number, self._channel = number, channel
        self._stride = 2 + image_words
        self._memory = [0] * manager_words(image_words, routers)
        self._most = min(MOST_REQUESTS, len(self._memory) // self._stride)
        self._pointer = 0
        self.state = ManagerState.IDLE
        self._code = self._epoch = self._request = 0
        self.freed = deque[int]()
        self.offer: Flit | None = None
        self.sent = 0
        self.answer: Answer | None = None
        self._tag = 0
        self._operation, self._count = Operation.SETUP, 0
        self._next = self._limit = self._word = 0  # request, end of the part, flit on offer
        self._last_part = True
        self._awaited = 0
        self._aborts = False
        self._counters = Counters(ManagerWord, built=counters)

    @property
    def is_idle(self) -> bool:
        """Whether nothing moves without a request, a flit, or the leaving of the one on offer."""
        runs = self.state is ManagerState.RUNNING
        waits = runs and not self._aborts and self._next == self._limit and self._awaited
        quiet = self.offer is None and self.answer is None and self._counters.is_idle
        return quiet and (not runs or bool(waits))

    def step(self, request: Request | None, flit: Flit | None, *, granted: bool) -> None:
        """Go over a clock edge.

        Parameters
        ----------
        request : Request or None
            From the config node.
        flit : Flit or None
            What comes.
        granted : bool
            The flit on offer leaves.
        """
        events = 0
        awaited, tag, full = self._awaited, self._tag, len(self.freed) >= FREED_PLACES
        ran = self.state is ManagerState.RUNNING
        begun = self.offer is not None and self._word > 0
        ends = self._aborts and not begun and not granted
        answered = self.answer is not None
        self.answer = None
        command: dict[str, int] | None = None
        if request and not answered:
            self.answer, command = self._obey(request, ran=ran)
        if ran and not ends:
            if self.offer is None:
                self._step(awaited)
            elif granted:
                self._go_on(self.offer)
        if flit and flit.tail:
            events = self._receive(flit, awaited, tag, full=full)
        if ends:
            self.state, self._code = ManagerState.FAILED, words.Answer.ABORTED
            self.offer, self._aborts, self._awaited = None, False, 0
            self._tag = (tag + 1) % TAGS
        if command:
            self._take(command)
        self._counters.step([ManagerWord.UNEXPECTED] * events)

    # Words.

    def _obey(self, request: Request, *, ran: bool) -> tuple[Answer, dict[str, int] | None]:
        """Return the answer, and the command that is granted."""
        if request.write:
            command = COMMAND.unpack(request.data)
            is_command = request.address == ManagerWord.COMMAND
            aborts = is_command and command["operation"] == Operation.ABORT
            if aborts or ran:
                return Answer(not (aborts and ran)), command if aborts and ran else None
            if is_command:
                fits = 1 <= command["count"] <= self._most
                good = fits and command["operation"] in (Operation.SETUP, Operation.KILL)
                return Answer(not good), command if good else None
            if request.address == ManagerWord.POINTER:
                self._pointer = request.data % len(self._memory)
            elif request.address == ManagerWord.DATA:
                self._memory[self._pointer] = request.data & WORD
                self._pointer = (self._pointer + 1) % len(self._memory)
            else:
                return Answer(True), None
            return Answer(False), None
        if request.address == ManagerWord.STATUS:
            status = self.state, self._code, self._epoch, self._request
            names = ("state", "code", "epoch", "request")
            return Answer(False, MANAGER_STATUS.pack(dict(zip(names, status, strict=True)))), None
        if request.address == ManagerWord.FREED:
            return Answer(False, self.freed.popleft() if self.freed else 0), None
        if request.address in self._counters:
            return Answer(False, self._counters[request.address]), None
        return Answer(True), None

    def _take(self, command: dict[str, int]) -> None:
        """Begin a command, or note that it is to end."""
        if command["operation"] == Operation.ABORT:
            self._aborts = self.state is ManagerState.RUNNING
            return
        self.state = ManagerState.RUNNING
        self._code = self._epoch = self._request = self._next = 0
        self._operation, self._count = Operation(command["operation"]), command["count"]
        self._last_part = self._operation is Operation.KILL
        self._limit = self._count if self._last_part else self._count - 1

    # Requests.

    def _step(self, awaited: int) -> None:
        """Offer the next header, or go on to the next part, or end."""
        if self._next < self._limit:
            self._word = 0
            self.offer = self._flit()
        elif not awaited:
            failed = self._code != words.Answer.OK
            if failed or self._last_part:
                self.state = ManagerState.FAILED if failed else ManagerState.DONE
            else:
                self._last_part, self._limit = True, self._count

    def _go_on(self, left: Flit) -> None:
        """Offer the flit after the one that leaves, or await the reply after a tail."""
        if left.tail:
            self.sent += 1
            self._next += 1
            self._awaited += 1
            self.offer = None
        else:
            self._word += 1
            self.offer = self._flit()

    def _flit(self) -> Flit:
        """Return a flit of the request that is sent."""
        number, word = self._next, self._word
        payload = self._memory[(number * self._stride + word) % len(self._memory)]
        operation = self._operation
        if operation is Operation.SETUP and self._last_part:
            operation = Operation.START
        if word == 1:
            stamps = {
                "operation": operation,
                "manager": self._number,
                "tag": self._tag,
                "sequence": number,
            }
            payload = REQUEST.pack(REQUEST.unpack(payload) | stamps)
        last = 1 if operation is Operation.KILL else self._stride - 1
        return Flit(self._channel, payload, word == 0, word == last)

    # Replies.

    def _receive(self, flit: Flit, awaited: int, tag: int, *, full: bool) -> int:
        """Take the last flit of a reply; return how many events it is."""
        if flit.cut:
            return 1
        reply = REPLY.unpack(flit.payload)
        if reply["code"] == words.Answer.FREED:
            if full:
                return 1
            report = {"router": reply["number"], "epoch": reply["epoch"], "entry": reply["entry"]}
            self.freed.append(FREED.pack({**report, "valid": 1}))
            return 0
        if not awaited or reply["tag"] != tag:
            return 1
        self._awaited -= 1
        if self._code == words.Answer.OK:
            self._epoch = reply["epoch"]
            if reply["code"] != words.Answer.OK:
                self._code, self._request = reply["code"], reply["number"] % MOST_REQUESTS
        return 0
