"""The spill engine of a switch or node interface, as section I6 tells it."""

from collections import defaultdict, deque
from typing import NamedTuple

from syncfabric.models.messages import Kind, SwitchWord
from syncfabric.models.networks.spec import IrregularSpec
from tests.rtl.irregular.sync_model import Message
from tests.rtl.irregular.tree_model import Inputs, TreeModel

__all__ = ["Answer", "Request", "SpillModel", "SpillOutcome"]


class Request(NamedTuple):
    """A config request for a word of an entry or register."""

    number: int
    word: int
    write: bool
    data: int


class Answer(NamedTuple):
    """An answer of the config port."""

    ready: bool = False
    error: bool = False
    data: int = 0


class SpillOutcome(NamedTuple):
    """What is seen of a cycle: the port whose message was accepted, and events."""

    taken: int | None = None
    stray: bool = False
    refused_arrive: bool = False
    refused_write: bool = False


class SpillModel:
    """Entries by GID, a queue, a send register, and one operation at a time.

    Attributes
    ----------
    to_send : set of int
        Ports by which ``letter``, the send register's message, is still to be sent.
    answer, release
        Of the config port; (gid, result) that is released: in this cycle.
    holding : (gid, data) or None
        The local arrival that waits.
    """

    def __init__(self, spec: IrregularSpec, *, node: bool) -> None:
        self.spec, self.node = spec, node
        self.entries: defaultdict[int, TreeModel] = defaultdict(lambda: TreeModel(spec, node=node))
        self.queue: deque[int] = deque()
        self.queued: set[int] = set()
        self.to_send: set[int] = set()
        self.letter = Message(0, 0, 0, 0)
        self.answer, self.release = Answer(), (0, 0)
        self.released = False
        self.holding: tuple[int, int] | None = None
        self._asked: Request | None = None
        self._wait, self._pointer = 0, 0
        self._work: int | Request | tuple[int, int] | tuple[int, Message] | None = None

    def step(
        self,
        here: dict[int, Message],
        *,
        request: Request | None = None,
        local: tuple[int, int] | None = None,
        sent: set[int] | None = None,
        started: bool = True,
    ) -> SpillOutcome:
        """Go through a cycle; ``here`` are the messages presented for the engine, by port."""
        self.answer, self.released, self.release = Answer(), False, (0, 0)
        self._asked = request or self._asked
        outcome, left = SpillOutcome(), self.to_send - (sent or set())
        if self._wait == 0:
            taken = self._accept(here)
            outcome = SpillOutcome(taken=taken)
        else:
            self._wait -= 1
            if self._wait == 0:
                outcome = self._finish(started)
                left = left or self.to_send  # a FETCH fills it only if it was empty
                left -= sent or set()
        self.to_send = left
        if local is not None:
            self.holding = local
        return outcome

    def _accept(self, here: dict[int, Message]) -> int | None:
        if not self.to_send and self.queue:
            self._work, self._wait = self.queue.popleft(), 2
            return None
        if self._asked is not None:
            self._work, self._wait, self._asked = self._asked, 2, None
            return None
        count = 2 if self.node else self.spec.ports
        waits = set(here) | ({1} if self.holding else set())
        for number in (*range(self._pointer, count), *range(self._pointer)):
            if number not in waits:
                continue
            self._pointer, self._wait = (number + 1) % count, 2
            if self.node and number == 1:
                self._work, self.holding = self.holding, None
                return None
            self._work = (number, here[number])
            return number
        return None

    def _finish(self, started: bool) -> SpillOutcome:
        work = self._work
        if isinstance(work, int):
            return self._fetch(work)
        if isinstance(work, Request):
            return self._configure(work)
        assert work is not None
        number, what = work
        if isinstance(what, Message):
            entry = self._opened(what.gid)
            inputs = Inputs(chosen=number)
            if entry.name is not None and entry.control["epoch"] == what.epoch:
                inputs.messages = {number: what}
            stray = not entry.used(inputs)
            self._close(what.gid, entry, inputs)
            return SpillOutcome(stray=stray)
        entry = self._opened(number)
        inputs = Inputs(arrive=what, started=started)
        refused = not entry.accepts(inputs)
        self._close(number, entry, inputs)
        return SpillOutcome(refused_arrive=refused)

    def _opened(self, gid: int) -> TreeModel:
        """Return an entry, with what it has not sent yet shown as pending."""
        entry = self.entries[gid]
        held = self.to_send if self.to_send and self.letter.gid == gid else set()
        entry.pending = set(entry.links) if gid in self.queued else set(held)
        entry.up = bool(entry.pending)
        return entry

    def _shut(self, entry: TreeModel) -> None:
        entry.pending, entry.up, entry.rewritten = set(), False, False

    def _close(self, gid: int, entry: TreeModel, inputs: Inputs) -> None:
        """Let it work, and queue it if there is something to send."""
        done = entry.step(inputs)
        if done and (entry.fired or entry.children & entry.links):
            self.queue.append(gid)
            self.queued.add(gid)
        if entry.released:
            self.released, self.release = True, (gid, entry.result)
        self._shut(entry)

    def _fetch(self, gid: int) -> SpillOutcome:
        entry = self.entries[gid]
        self.queued.remove(gid)
        kind, data = (Kind.REDUCE, entry.acc) if entry.fired else (Kind.DISTRIBUTE, entry.result)
        self.letter = Message(kind, gid, entry.control["epoch"], data)
        self.to_send = {entry.parent} if entry.fired else entry.children & entry.links
        return SpillOutcome()

    def _configure(self, request: Request) -> SpillOutcome:
        gid, word = request.number, request.word
        entry = self._opened(gid)
        error, data = False, 0
        if request.write:
            write = Inputs(write=(word, request.data))
            error = entry.refuses(write)
            if not error:
                entry.step(write)
        elif word == SwitchWord.PENDING:
            data = int(gid in self.queued)
        else:
            error, data = word not in set(SwitchWord), entry.read(word)
        self._shut(entry)
        self.answer = Answer(True, error, data)
        return SpillOutcome(refused_write=error and request.write)
