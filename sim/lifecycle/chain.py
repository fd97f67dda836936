"""Groups that the host sets up and ends over the config chain (N6.7)."""

from __future__ import annotations

import copy
from collections.abc import Sequence

from syncfabric.models.layout.engine import COMMIT, EPOCH_BITS, Code
from syncfabric.models.layout.setup import Answer
from syncfabric.models.planning.links.group_plan import GroupPlan
from syncfabric.models.planning.links.set_up import (
    COMMIT_ADDRESS,
    Write,
    kill_writes,
    set_up_writes,
)
from syncfabric.sim.lifecycle.effects import Ask, FoundError, Request, Steps, await_reads
from syncfabric.sim.lifecycle.lifecycle import Lifecycle

__all__ = ["ByChain"]

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
