"""Commands for groups: given by the host over the config chain (N6.7), or to managers (N5)."""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from syncfabric.models.layout.engine import COMMIT, EPOCH_BITS, Code
from syncfabric.models.layout.network import NetworkShape
from syncfabric.models.layout.setup import (
    COMMAND,
    FREED,
    MANAGER_STATUS,
    Answer,
    ManagerState,
    ManagerWord,
    Operation,
)
from syncfabric.models.planning.entries import owner_of
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.set_up import (
    COMMIT_ADDRESS,
    Write,
    free_writes,
    kill_command,
    kill_writes,
    manager_address,
    set_up_command,
    set_up_writes,
)
from syncfabric.sim.lifecycle.effects import (
    HANG,
    LOOK,
    Ask,
    FoundError,
    Pause,
    Request,
    Steps,
    ask_all,
    await_reads,
)
from syncfabric.sim.lifecycle.lifecycle import TRIES, Lifecycle

__all__ = ["ByChain", "ByManagers"]

EPOCHS = 1 << EPOCH_BITS


class ByChain(Lifecycle):
    """Commits every command itself, at any entry of any router."""

    def _command_set_up(self, group: GroupPlan) -> Steps[Answer]:
        words: list[Request] = []
        for write in set_up_writes([group], self._shape, copy.deepcopy(self.epochs)):
            words.append(write)
            if write.address == COMMIT_ADDRESS:
                error, status = (yield Ask(words))[-1]
                if error and (answer := self._refusal(write, status)) is not Answer.OK:
                    return answer
                words = []
        return Answer.OK

    def _refusal(self, write: Write, status: int) -> Answer:
        """Return what a manager would be answered (N4.4)."""
        commit = COMMIT.unpack(write.word)
        alive, epoch = self._status(status)
        if commit["code"] == Code.GO:
            return Answer.BAD
        if alive:
            return Answer.OK if epoch == (commit["epoch"] + 1) % EPOCHS else Answer.BUSY
        # By the right epoch, a sink has staged another image (N4.8).
        return Answer.BUSY if epoch == commit["epoch"] else Answer.EPOCH

    def _command_kill(self, groups: Sequence[GroupPlan]) -> Steps[Answer]:
        answers = yield Ask(list(kill_writes(groups, self._shape, self.epochs)))
        left = any(error and self._status(status)[0] for error, status in answers)
        return Answer.DENIED if left else Answer.OK

    def _free(self, router: int, entry: int) -> Steps[None]:
        for _ in range(self._tries):
            ((_, status),) = yield Ask([self._commit(Code.READ, router, entry)])
            alive, self.epochs[router, entry] = self._status(status)
            if not alive:
                return
            yield Ask([self._commit(Code.KILL, router, entry)])
        raise FoundError(f"killed, and entry {entry} of router {router} is alive")

    def free(self, router: int, entry: int) -> Steps[None]:
        """Free an entry, and its nodes' registers, whatever a fault has left there."""
        yield Ask(list(free_writes(self._shape, router, entry)))
        self.epochs[router, entry] = 0

    def tear_down(self, group: GroupPlan) -> Steps[None]:
        """Read the status at all routers until no entry is alive."""
        reads = [self._commit(Code.READ, *place) for place in group.placement.items()]

        def are_over(words: Sequence[int]) -> bool:
            return not any(self._status(word)[0] for word in words)

        what = "its last barrier is over, and entries are alive"
        yield from await_reads(reads, are_over, what, self._patience)

    def _status(self, word: int) -> tuple[bool, int]:
        """Return whether an entry is alive, and its epoch."""
        status = self._shape.router.layout.status.unpack(word)
        return bool(status["alive"]), status["epoch"]

    def _abort(self, group: GroupPlan) -> Steps[None]:
        """Do nothing: every commit is answered."""
        yield from ()


class _End(NamedTuple):
    """What a manager's FREED reports: an instance of a root's entry."""

    router: int
    entry: int
    epoch: int


class ByManagers(Lifecycle):
    """Commands the manager in whose share a group's entries are."""

    def __init__(self, shape: NetworkShape, *, patience: int = HANG, tries: int = TRIES) -> None:
        super().__init__(shape, patience=patience, tries=tries)
        self._ended: set[_End] = set()  # reported, and not yet made use of

    def _command_set_up(self, group: GroupPlan) -> Steps[Answer]:
        writes = set_up_command(group, self._shape, self.epochs)
        code, _ = yield from self._command(self._node(group.placement.values()), writes)
        return code

    def offer(self, group: GroupPlan, manager: int) -> Steps[Answer]:
        """Have any manager give a group's SETUP once; return what it is answered."""
        writes = set_up_command(group, self._shape, self.epochs)
        code, _ = yield from self._command(self._shape.managers[manager], writes)
        return code

    def _command_kill(self, groups: Sequence[GroupPlan]) -> Steps[Answer]:
        refusal = Answer.OK
        for group in groups:  # a router has one reply for a manager, so one request of a command
            writes = kill_command(group.placement.items(), self._shape, self.epochs)
            code, _ = yield from self._command(self._node(group.placement.values()), writes)
            refusal = code if refusal is Answer.OK else refusal
            yield from self._forget(*self._root(group))
        return refusal

    def _free(self, router: int, entry: int) -> Steps[None]:
        for _ in range(self._tries):
            writes = kill_command([(router, entry)], self._shape, self.epochs)
            code, epoch = yield from self._command(self._node([entry]), writes)
            if code in (Answer.OK, Answer.DENIED):
                self.epochs[router, entry] = epoch
            if code is Answer.OK:
                yield from self._forget(router, entry)
                return
        raise FoundError(f"entry {entry} of router {router} is not killed: {code.name}")

    def tear_down(self, group: GroupPlan) -> Steps[None]:
        """Read what is FREED until the manager receives that of the root's entry (N6.4)."""
        node, place = self._node(group.placement.values()), self._root(group)
        end = _End(*place, self.epochs[place])
        for _ in range(self._patience // LOOK):
            yield from self._hear(node)
            if end in self._ended:
                self._ended.remove(end)
                return
            yield Pause(LOOK)
        raise FoundError(
            f"its last barrier is over, and the manager is not told FREED for {self._patience} "
            "cycles"
        )

    def _abort(self, group: GroupPlan) -> Steps[None]:
        """Have its manager abort the command that it runs; without one it refuses (N5.9)."""
        yield from self._abort_at(self._node(group.placement.values()))

    def _node(self, entries: Collection[int]) -> int:
        """Return the node of the manager that owns entries."""
        return self._shape.managers[owner_of(entries, self._shape.router)]

    def _command(self, node: int, writes: Iterable[tuple[int, int]]) -> Steps[tuple[Answer, int]]:
        """Give a manager a command and await its end; return the code and the epoch of STATUS.

        Raises
        ------
        FoundError
            It takes no command, or does not end by ABORT either.
        """
        yield from ask_all([(node, *write) for write in writes], "commanded")
        status = [(node, manager_address(ManagerWord.STATUS), None)]
        for aborted in (False, True):
            for _ in range(self._patience // LOOK):
                (word,) = yield from ask_all(status, "commanded")
                fields = MANAGER_STATUS.unpack(word)
                if fields["state"] != ManagerState.RUNNING:
                    return Answer(fields["code"]), fields["epoch"]
                yield Pause(LOOK)
            if not aborted:
                yield from self._abort_at(node)
        raise FoundError(f"the manager of node {node} runs a command {self._patience} cycles on")

    def _abort_at(self, node: int) -> Steps[None]:
        word = COMMAND.pack({"operation": Operation.ABORT})
        yield Ask([(node, manager_address(ManagerWord.COMMAND), word)])
        yield Pause(LOOK)

    def _hear(self, node: int) -> Steps[None]:
        """Read all that a manager holds of ended groups."""
        freed = [(node, manager_address(ManagerWord.FREED), None)]
        while True:
            (word,) = yield from ask_all(freed, "read")
            fields = FREED.unpack(word)
            if not fields["valid"]:
                return
            self._ended.add(_End(fields["router"], fields["entry"], fields["epoch"]))

    def _forget(self, router: int, entry: int) -> Steps[None]:
        """Forget the ends of an entry's groups: of one that is killed it may have come before."""
        yield from self._hear(self._node([entry]))
        self._ended = {end for end in self._ended if (end.router, end.entry) != (router, entry)}
