"""ABORT: a command that waits for a reply in vain is ended, and no packet is cut."""

import pytest

from syncfabric.models.golden.manager import Manager
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages import (
    MANAGER_BASE,
    MANAGER_COMMAND,
    MANAGER_STATUS,
    REPLY,
    REQUEST,
    Answer,
    Field,
    Layout,
    ManagerState,
    ManagerWord,
    Request,
)

FLIT = Layout("flit", (Field("payload", 32, ""), Field("head", 1, ""), Field("tail", 1, "")))
HEAD, TAIL = 1 << 32, 1 << 33
ABORT = MANAGER_COMMAND.pack({"operation": Request.ABORT})


class Stage:
    """A manager whose link takes flits only if it is told to."""

    def __init__(self, entries: int = 3) -> None:
        self.strays = 0
        self.manager = Manager(0, 1, 8, FLIT, self._stray)
        self.sent: list[int] = []
        for number in range(entries):
            for word in (100 + number, REQUEST.pack({"gid": 7}), 200 + number):
                self.step(write=(ManagerWord.DATA, word))

    def _stray(self) -> None:
        self.strays += 1

    def step(
        self,
        *,
        write: tuple[ManagerWord, int] | None = None,
        take: bool = False,
        reply: int | None = None,
    ) -> bool | None:
        """Go a cycle; return whether a write was obeyed."""
        obeyed = None
        if write is not None:
            request = ConfigRequest(0, MANAGER_BASE + write[0], True, write[1])
            obeyed = not self.manager.configure(request)[0]
        if take and self.manager.offer is not None:
            self.sent.append(self.manager.take())
        if reply is not None:
            self.manager.hear(reply | TAIL)
        self.manager.advance()
        return obeyed

    def command(self, operation: Request, count: int = 3) -> bool | None:
        """Give a command."""
        word = MANAGER_COMMAND.pack({"operation": operation, "count": count})
        return self.step(write=(ManagerWord.COMMAND, word))

    def abort(self, *, take: bool = False, reply: int | None = None) -> bool | None:
        """Write ABORT."""
        return self.step(write=(ManagerWord.COMMAND, ABORT), take=take, reply=reply)

    def status(self) -> tuple[ManagerState, Answer, int]:
        """Return state, code and entry as the config port shows them."""
        request = ConfigRequest(0, MANAGER_BASE + ManagerWord.STATUS, False)
        fields = MANAGER_STATUS.unpack(self.manager.configure(request)[1])
        return ManagerState(fields["state"]), Answer(fields["code"]), fields["entry"]


def answer(request: int, code: Answer = Answer.OK) -> int:
    """Return the reply to a request word."""
    fields = REQUEST.unpack(request & (1 << 32) - 1)
    return REPLY.pack({"code": code, **{name: fields[name] for name in ("sequence", "tag")}})


ABORTED = (ManagerState.FAILED, Answer.ABORTED, 0)
RUNNING = (ManagerState.RUNNING, Answer.OK, 0)


def test_abort_is_refused_where_nothing_runs() -> None:
    stage = Stage()
    assert stage.abort() is False
    assert stage.status()[0] is ManagerState.IDLE


def test_nothing_else_is_written_while_it_runs() -> None:
    stage = Stage()
    assert stage.command(Request.CLEAR)
    assert stage.step(write=(ManagerWord.POINTER, 0)) is False
    assert stage.command(Request.KILL) is False
    assert stage.abort() is True
    assert stage.abort() is True
    assert stage.status() == ABORTED


def test_a_step_ends_it() -> None:
    stage = Stage()
    stage.command(Request.CLEAR)
    stage.abort()  # the first step: a header is on offer after it
    assert stage.status() == RUNNING
    assert stage.manager.offer is not None
    stage.step()
    assert stage.status() == ABORTED
    assert stage.manager.offer is None
    assert stage.sent == []


def test_a_packet_that_has_begun_goes_to_its_end() -> None:
    stage = Stage()
    stage.command(Request.SETUP)
    stage.step()
    stage.abort()
    stage.step(take=True)  # the header goes in the very cycle
    for _ in range(5):
        stage.step()
    assert stage.status() == RUNNING
    stage.step(take=True)
    stage.step(take=True)
    assert stage.sent[0] & HEAD
    assert stage.sent[2] & TAIL
    assert stage.status() == RUNNING
    stage.step()
    assert stage.status() == ABORTED
    assert len(stage.sent) == 3


def test_waiting_for_a_reply_is_ended() -> None:
    stage = Stage()
    stage.command(Request.CLEAR)
    for _ in range(20):
        stage.step(take=True)
    assert len(stage.sent) == 6
    assert stage.status() == RUNNING
    stage.abort()
    assert stage.status() == RUNNING
    stage.step()
    assert stage.status() == ABORTED


def test_a_command_that_ends_by_itself_is_not_aborted() -> None:
    stage = Stage()
    stage.command(Request.CLEAR, 1)
    for _ in range(4):
        stage.step(take=True)
    stage.step(reply=answer(stage.sent[1]))
    stage.abort()
    assert stage.status() == (ManagerState.DONE, Answer.OK, 0)
    stage.step()
    assert stage.status() == (ManagerState.DONE, Answer.OK, 0)
    assert stage.command(Request.CLEAR, 1)
    stage.step(take=True)
    assert stage.status() == RUNNING


def test_abort_wins_over_a_refusal_of_the_same_cycle() -> None:
    stage = Stage()
    stage.command(Request.CLEAR, 1)
    for _ in range(4):
        stage.step(take=True)
    stage.abort()
    stage.step(reply=answer(stage.sent[1], Answer.DENIED))
    assert stage.status() == ABORTED
    assert stage.strays == 0


@pytest.mark.parametrize("late", [Answer.OK, Answer.BUSY, Answer.DENIED])
def test_a_late_reply_does_not_count_for_the_next_command(late: Answer) -> None:
    stage = Stage()
    stage.command(Request.CLEAR, 1)
    for _ in range(4):
        stage.step(take=True)
    stage.abort()
    stage.step()
    old = stage.sent[1]
    assert stage.command(Request.CLEAR, 1)
    for _ in range(4):
        stage.step(take=True)
    new = stage.sent[3]
    assert REQUEST.unpack(new & (1 << 32) - 1)["tag"] == 1
    stage.step(reply=answer(old, late))
    stage.step()
    assert stage.strays == 1
    assert stage.status() == RUNNING
    stage.step(reply=answer(new))
    stage.step()
    assert stage.status() == (ManagerState.DONE, Answer.OK, 0)


def test_a_late_reply_to_nobody_is_counted() -> None:
    stage = Stage()
    stage.command(Request.CLEAR, 1)
    for _ in range(4):
        stage.step(take=True)
    stage.abort()
    stage.step()
    stage.step(reply=answer(stage.sent[1]))
    assert stage.strays == 1
    assert stage.status() == ABORTED


def test_tags_go_round_after_four() -> None:
    stage = Stage()
    tags = []
    for _ in range(6):
        stage.command(Request.KILL, 1)
        for _ in range(4):
            stage.step(take=True)
        tags.append(REQUEST.unpack(stage.sent[-1] & (1 << 32) - 1)["tag"])
        stage.abort()
        stage.step()
    assert tags == [0, 1, 2, 3, 0, 1]


def test_freed_groups_are_heard_whatever_the_tag() -> None:
    stage = Stage()
    stage.command(Request.CLEAR, 1)
    stage.abort()
    stage.step()
    stage.step(reply=REPLY.pack({"code": Answer.FREED, "gid": 9}))
    assert list(stage.manager.freed) == [9]
    assert stage.strays == 0
