"""The set-up sink of a router: it makes commands of requests, and sends replies (N4)."""

from collections import deque
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from syncfabric.models.golden.engine.commands import Request
from syncfabric.models.golden.engine.memory import Answer, Freed
from syncfabric.models.golden.router import Flit
from syncfabric.models.layout import setup as words
from syncfabric.models.layout.engine import COMMIT, WORD_BITS, Code
from syncfabric.models.layout.setup import REPLY, REQUEST, Operation
from syncfabric.models.layout.words import EngineWord


class Reply(NamedTuple):
    """What is in a slot, but for its manager."""

    code: int
    tag: int
    epoch: int
    entry: int
    number: int


class Replies:
    """Slots, one a manager, the queue of ended groups, and the sender of replies.

    Parameters
    ----------
    headers : sequence of int
        Of replies, by manager.
    owners : mapping of int to int
        The manager of each entry.
    places : int
        Of the queue.
    router : int
        This router's number.
    channel : int
        Of set-up packets.

    Attributes
    ----------
    slots : list of (Reply or None)
        By manager.
    offer : Flit or None
        The flit on offer in this cycle.
    """

    def __init__(
        self,
        headers: Sequence[int],
        owners: Mapping[int, int],
        places: int,
        router: int,
        channel: int,
    ) -> None:
        self._headers, self._router, self._channel = headers, router, channel
        self.slots: list[Reply | None] = [None] * len(headers)
        self._freed = deque[tuple[int, Reply]]()  # with the manager
        self._places, self._owner = places, owners
        self._chosen: tuple[int, Reply, bool] | None = None  # with: it is the queue's first
        self.offer: Flit | None = None

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to send."""
        return self._chosen is None and not self._freed and not any(self.slots)

    def step(self, reply: tuple[int, Reply] | None, freed: Freed | None, *, granted: bool) -> bool:
        """Go over a clock edge; return whether a report has been dropped.

        Parameters
        ----------
        reply : (int, Reply) or None
            The sink's answer to a manager.
        freed : Freed or None
            The engine's.
        granted : bool
            The flit on offer leaves.
        """
        full = len(self._freed) >= self._places
        if self._chosen is None:
            if self._freed:
                self._chosen = *self._freed[0], True
            else:
                waiting = ((m, held, False) for m, held in enumerate(self.slots) if held)
                self._chosen = next(waiting, None)
            if self._chosen:
                self.offer = Flit(self._channel, self._headers[self._chosen[0]], True, False)
        elif granted and self.offer:
            manager, held, queued = self._chosen
            if self.offer.head:
                word = REPLY.pack(held._asdict())
                self.offer = Flit(self._channel, word, False, True)
            else:
                self.offer = self._chosen = None
                if queued:
                    self._freed.popleft()
                else:
                    self.slots[manager] = None
        if reply:
            self.slots[reply[0]] = reply[1]
        owner = self._owner.get(freed.entry) if freed else None
        if freed is None or owner is None:
            return False
        if not full:
            report = Reply(words.Answer.FREED, 0, freed.epoch, freed.entry, self._router)
            self._freed.append((owner, report))
        return full


WORD = (1 << WORD_BITS) - 1
EPOCHS = 4


class State(Enum):
    """What a sink does in a cycle."""

    LISTEN, WRITE, JUDGE, COMMIT, START, ANSWER = range(6)


class Status(NamedTuple):
    """What the engine answers: the entry before the command."""

    error: bool
    alive: bool
    epoch: int


class Sink:
    """One sink.

    Parameters
    ----------
    owners : mapping of int to int
        The manager of each entry.
    image_words : int

    Attributes
    ----------
    state : State
    """

    def __init__(self, owners: Mapping[int, int], image_words: int) -> None:
        self._owners = owners
        self._words = image_words
        self.state = State.LISTEN
        self._begin()

    def _begin(self) -> None:
        """Await the next packet."""
        self._flits = 0
        self._cut = self._tail = self._accessed = False
        self._request = dict.fromkeys(REQUEST.offsets, 0)
        self._word = 0
        self._code = words.Answer.OK
        self._epoch = 0

    @property
    def listens(self) -> bool:
        """Whether a flit is granted in this cycle."""
        return self.state is State.LISTEN

    @property
    def is_idle(self) -> bool:
        """Whether nothing moves without a flit."""
        return self.state is State.LISTEN

    @property
    def request(self) -> Request | None:
        """What it asks the engine for in this cycle."""
        epoch, entry = self._request["epoch"], self._request["entry"]
        if self.state is State.WRITE:
            return Request(True, EngineWord.IMAGE + self._flits - 3, self._word)
        if self.state is State.COMMIT:
            kills = self._request["operation"] == Operation.KILL
            code = Code.KILL if kills else Code.SETUP
            return Request(True, 0, COMMIT.pack({"code": code, "epoch": epoch, "entry": entry}))
        if self.state is State.START:
            fields = {"code": Code.GO, "epoch": (epoch + 1) % EPOCHS, "entry": entry}
            return Request(True, 0, COMMIT.pack(fields))
        return None

    def accessed(self) -> None:
        """Take note that its request is at the engine."""
        self._accessed = True

    def locks(self, slots: Sequence[Reply | None]) -> bool:
        """Return whether no request of the chain may begin in this cycle."""
        if not self._accessed or self.state is State.ANSWER:
            return False
        return not (self.state is State.JUDGE and self._drops(slots))

    def _drops(self, slots: Sequence[Reply | None]) -> bool:
        """Return whether the packet that is judged is dropped."""
        manager = self._request["manager"]
        if self._flits == 1 or self._cut or manager >= len(slots):
            return True
        return slots[manager] is not None

    def step(
        self, flit: Flit | None, answer: Answer | None, slots: Sequence[Reply | None]
    ) -> tuple[tuple[int, Reply] | None, bool]:
        """Go over a clock edge.

        Parameters
        ----------
        flit : Flit or None
            What is granted in this cycle.
        answer : Answer or None
            The engine's, to its request.
        slots : sequence of (Reply or None)
            Of replies, by manager.

        Returns
        -------
        ((int, Reply) or None, bool)
            What a manager's slot holds from the next cycle on, and whether the packet is dropped.
        """
        state = self.state
        if state is State.LISTEN:
            if flit:
                self._listen(flit)
        elif state is State.JUDGE:
            if self._drops(slots):
                self.state = State.LISTEN
                self._begin()
                return None, True
            self._judge()
        elif state is State.ANSWER:
            request = self._request
            reply = Reply(
                self._code, request["tag"], self._epoch, request["entry"], request["sequence"]
            )
            self.state = State.LISTEN
            self._begin()
            return (request["manager"], reply), False
        elif answer:
            if state is State.WRITE:
                self.state = State.JUDGE if self._tail else State.LISTEN
            else:
                status = Status(answer.error, bool(answer.rdata & 1), answer.rdata >> 1 & 3)
                self._know(status)
        return None, False

    def _listen(self, flit: Flit) -> None:
        self._flits += 1
        self._cut |= flit.cut
        self._tail = flit.tail
        if self._flits == 2:
            self._request = REQUEST.unpack(flit.payload)
        if 0 <= self._flits - 3 < self._words:
            self._word = flit.payload & WORD
            self.state = State.WRITE
        elif flit.tail:
            self.state = State.JUDGE

    def _judge(self) -> None:
        request = self._request
        operation = request["operation"]
        length = 2 if operation == Operation.KILL else 2 + self._words
        self._epoch = request["epoch"]
        self.state = State.ANSWER
        if operation == Operation.ABORT or self._flits != length:
            self._code = words.Answer.BAD
        elif self._owners.get(request["entry"]) != request["manager"]:
            self._code = words.Answer.DENIED
        else:
            self.state = State.COMMIT

    def _know(self, status: Status) -> None:
        """Make a code of the engine's answer, or go on to START."""
        operation, epoch = self._request["operation"], self._request["epoch"]
        made = status.epoch == (epoch + 1) % EPOCHS
        after = status.alive and made
        committed, self.state = self.state is State.COMMIT, State.ANSWER
        kills = operation == Operation.KILL
        self._epoch = status.epoch if status.error else (epoch + (not kills)) % EPOCHS
        if not committed:
            good = not status.error or after
            self._code = words.Answer.OK if good else words.Answer.ENDED
        elif kills:
            self._code = words.Answer.DENIED if status.error else words.Answer.OK
        elif status.error and not after:
            over = words.Answer.ENDED if made else words.Answer.EPOCH
            self._code = words.Answer.BUSY if status.alive else over
        else:
            self._code = words.Answer.OK
            if operation == Operation.START:
                self.state = State.START
