"""A manager, told as a story of rounds: one ``yield`` a cycle."""

from collections import deque
from collections.abc import Generator, Iterable
from dataclasses import dataclass, field

from syncfabric.models.messages import (
    MANAGER_COMMAND,
    MANAGER_STATUS,
    REPLY,
    REQUEST,
    Answer,
    ManagerState,
    ManagerWord,
    Request,
)
from tests.rtl.setup.cases import Case

BASE = 1056
ABORT, ABORTED = 3, 7
FREED_PLACES = 256


@dataclass
class ManagerModel:
    case: Case
    depth: int
    index: int
    pointer: int = 0
    state: ManagerState = ManagerState.IDLE
    refusal: tuple[int, int] | None = None
    awaited: int = 0
    marked: set[int] = field(default_factory=set)
    freed: deque[int] = field(default_factory=deque)
    answer: tuple[int, int, int] = (0, 0, 0)
    offered: int | None = None
    operation: int = 0
    tag: int = 0
    aborts: bool = False

    def __post_init__(self) -> None:
        self.memory = [0] * self.depth
        self.stride = 2 + len(self.case.words)
        self.story: Generator[int | None, bool, None] | None = None

    def cycle(
        self, request: tuple[int, bool, int] | None, reply: int | None, *, taken: bool
    ) -> dict[str, int]:
        """Live through a cycle; return the outputs in it."""
        ready, error, rdata = self.answer
        out = {"ready": ready, "error": error, "rdata": rdata, "refused_write": 0, "stray": 0}
        out |= {"mine": 0, "request_valid": self.offered is not None}
        if self.offered is not None:
            out["request_flit"] = self.offered
        self.answer, begins, full = (0, 0, 0), None, len(self.freed) == FREED_PLACES
        between = self.offered is None or (self._is_head(self.offered) and not taken)
        ends, aborts = self.aborts and between, False
        if request is not None and BASE <= request[0] < BASE + len(ManagerWord):
            address, write, data = request
            value, begins = self._configure(ManagerWord(address - BASE), write, data)
            aborts = begins == ABORT
            self.answer = 1, value is None, value or 0
            out |= {"mine": 1, "refused_write": write and value is None}
        if reply is not None:
            out["stray"] = self._hear(self.case.spec.layout.flit.unpack(reply), full=full)
        if ends:
            self._break_off()
        elif self.story is not None:
            self.offered = self.story.send(taken)
        if aborts:
            self.aborts = self.story is not None
        elif begins is not None:
            self.state, self.refusal = ManagerState.RUNNING, None
            self.story = self._run(**MANAGER_COMMAND.unpack(begins))
            next(self.story)
        return out

    def _configure(
        self, word: ManagerWord, write: bool, data: int
    ) -> tuple[int | None, int | None]:
        """Return what is read, or None if it is refused; and the command that begins, or ABORT."""
        if not write:
            if word is ManagerWord.STATUS:
                code, entry = self.refusal or (0, 0)
                values = {"state": self.state, "code": code, "entry": entry}
                return MANAGER_STATUS.pack(values), None
            if word is ManagerWord.FREED:
                return (256 | self.freed.popleft() if self.freed else 0), None
            return None, None
        fields = MANAGER_COMMAND.unpack(data % (1 << MANAGER_COMMAND.width))
        if word is ManagerWord.COMMAND and fields["operation"] == ABORT:
            return (0, ABORT) if self.state is ManagerState.RUNNING else (None, None)
        if self.state is ManagerState.RUNNING:
            return None, None
        if word is ManagerWord.POINTER:
            self.pointer = data % self.depth
        elif word is ManagerWord.DATA:
            self.memory[self.pointer] = data
            self.pointer = (self.pointer + 1) % self.depth
        elif word is ManagerWord.COMMAND:
            most = min(1024, self.depth // self.stride)
            if not 1 <= fields["count"] <= most:
                return None, None
            return 0, MANAGER_COMMAND.pack(fields)
        else:
            return None, None
        return 0, None

    def _hear(self, flit: dict[str, int], *, full: bool) -> bool:
        """Take in a flit of a reply; return whether it was of no use."""
        reply = REPLY.unpack(flit["payload"] % (1 << REPLY.width))
        if not flit["tail"]:
            return False
        if reply["code"] == Answer.FREED:
            if not full:
                self.freed.append(reply["gid"])
            return full
        if not self.awaited or reply["tag"] != self.tag:
            return True
        self.awaited -= 1
        wanted = Answer.OK if self.operation == Request.SETUP else Answer.BUSY
        (self.marked.add if reply["code"] == wanted else self.marked.discard)(reply["sequence"])
        if reply["code"] not in (Answer.OK, wanted) and self.refusal is None:
            self.refusal = reply["code"], reply["sequence"]
        return False

    def _is_head(self, flit: int) -> bool:
        return bool(self.case.spec.layout.flit.unpack(flit)["head"])

    def _break_off(self) -> None:
        """Forget the command, and everything that was to come of it."""
        self.state, self.refusal = ManagerState.FAILED, (ABORTED, 0)
        self.story = self.offered = None
        self.aborts, self.awaited, self.tag = False, 0, (self.tag + 1) % 4
        self.marked.clear()

    def _run(self, operation: int, count: int) -> Generator[int | None, bool, None]:
        """Work through a command, from the cycle after it on."""
        last = count - (operation == Request.SETUP)
        yield from self._round(operation, range(last))
        if operation == Request.SETUP:
            if self.refusal is None:
                yield from self._round(operation, [last], fire=True)
                last = count
            if self.refusal is None:
                yield from self._end(ManagerState.DONE)
            operation = Request.CLEAR
            yield from self._round(operation, range(last), set(self.marked))
        while self.marked:
            yield from self._round(operation, range(last), set(self.marked))
        yield from self._end(ManagerState.FAILED if self.refusal else ManagerState.DONE)

    def _end(self, state: ManagerState) -> Generator[int | None, bool, None]:
        self.state, self.story = state, None
        self.marked.clear()
        yield None

    def _round(
        self,
        operation: int,
        entries: Iterable[int],
        marked: set[int] | None = None,
        *,
        fire: bool = False,
    ) -> Generator[int | None, bool, None]:
        """Send the requests of entries, or of the marked ones, and wait for the replies."""
        self.operation = operation
        for entry in entries:
            yield None
            if marked is not None and entry not in marked:
                continue
            words = self.memory[entry * self.stride :][: self.stride]
            stamps = {"operation": operation, "manager": self.index, "sequence": entry}
            stamps["tag"] = self.tag
            request = REQUEST.unpack(words[1] % (1 << REQUEST.width))
            words[1] = REQUEST.pack({**request, **stamps, "fire": fire})
            if operation != Request.SETUP:
                words = words[:2]
            for place, word in enumerate(words):
                tail = place == len(words) - 1
                flit = self.case.flit(word, head=place == 0, tail=tail)
                while not (yield flit):
                    pass
                self.awaited += tail
        while self.awaited:
            yield None
        yield None
