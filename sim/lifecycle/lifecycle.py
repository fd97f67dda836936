"""What software does in a group's life, whoever commits it: by managers, or over the config chain.

Source: docs/microarchitecture-networks.md, N6; docs/setup.md.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Self

from syncfabric.models.layout.engine import Code, interval_of
from syncfabric.models.layout.network import NetworkShape
from syncfabric.models.layout.setup import Answer
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.images import Epochs
from syncfabric.models.planning.set_up import Write, commit_write
from syncfabric.sim.lifecycle.effects import (
    HANG,
    LOOK,
    FoundError,
    Pause,
    Steps,
    await_reads,
)

__all__ = ["Lifecycle"]

TRIES = 100
"""Commands that may be refused, or not be answered, one after another."""
GO_HOP = 8
"""Cycles from an engine's status to ``ready`` at its node, at most."""


class Lifecycle(ABC):
    """Programs that set groups up and end them; it keeps the epochs of all entries.

    The entries of a group are free when its SETUP is made: nobody else has them. Programs of one
    object are performed one after another.

    Parameters
    ----------
    shape : NetworkShape
    patience : int, optional
        Cycles in which whatever is waited for must happen.
    tries : int, optional
        How often a command is given that is refused for the time being, or not answered.

    Attributes
    ----------
    epochs : Epochs
        Of all entries, as this software knows them.
    refused : int
        Commands that were refused, and given again.
    """

    def __init__(self, shape: NetworkShape, *, patience: int = HANG, tries: int = TRIES) -> None:
        self._shape, self._patience, self._tries = shape, patience, tries
        self.epochs = Epochs()
        self.refused = 0
        self._aborted: set[tuple[int, int]] = set()  # roots whose SETUP was, and given no more

    def again(self) -> Self:
        """Return one that knows what this one does, and may learn more."""
        return copy.deepcopy(self, {id(self._shape): self._shape})

    # What differs.

    @abstractmethod
    def _command_set_up(self, group: GroupPlan) -> Steps[Answer]:
        """Give SETUP of a group once, and start it; return OK or the first refusal."""

    @abstractmethod
    def _command_kill(self, groups: Sequence[GroupPlan]) -> Steps[Answer]:
        """Give KILL at all routers of groups once; return OK or a refusal."""

    @abstractmethod
    def _free(self, router: int, entry: int) -> Steps[None]:
        """End whatever has an entry, and learn its epoch."""

    @abstractmethod
    def tear_down(self, group: GroupPlan) -> Steps[None]:
        """Await the end of a group whose members arrive with ``last``.

        Raises
        ------
        FoundError
            It does not end.
        """

    @abstractmethod
    def _abort(self, group: GroupPlan) -> Steps[None]:
        """End the command that runs for a group, if one does."""

    # What does not.

    def set_up(self, group: GroupPlan) -> Steps[None]:
        """Set a group up, and start it (N6.2).

        Raises
        ------
        FoundError
            It is refused, or not answered, for too long.
        """
        for _ in range(self._tries):
            answer = yield from self._command_set_up(group)
            # The command that was aborted started the group, and it is over by now.
            over = answer is Answer.ENDED and self._root(group) in self._aborted
            if answer is Answer.OK or over:
                self.epochs.set_up(group)
                self._aborted.discard(self._root(group))
                return
            if answer in (Answer.DENIED, Answer.BAD):
                break
            self.refused += 1
            if answer is Answer.ABORTED:
                self._aborted.add(self._root(group))
            elif answer is not Answer.BUSY:
                yield from self.recover(group)
            yield Pause(LOOK)
        raise FoundError(f"not set up: {answer.name}")

    def await_ready(self, group: GroupPlan) -> Steps[None]:
        """Await GO at all members of a group of which nobody arrives before (N6.2).

        Without ``read_back``, and on barrier wires, nothing says so, and all the cycles go by that
        it may take.

        Raises
        ------
        FoundError
            It does not come.
        """
        tree, status = group.shape, self._shape.router.layout.status
        if not self._shape.router.read_back or group.slot_register is not None:
            yield Pause((tree.height + 1) * self._passing)
            return
        routers = list(dict.fromkeys(tree.nodes[:, 0].tolist()))
        reads = [self._commit(Code.READ, router, group.placement[router]) for router in routers]
        children = [int(tree.child_mask[tree.position[router]]) for router in routers]

        def have_gone(words: Sequence[int]) -> bool:
            awaited = (status.unpack(word)["missing"] for word in words)
            return all(map(int.__and__, awaited, children))

        what = "set up, and GO does not come"
        yield from await_reads(reads, have_gone, what, self._patience)
        yield Pause(GO_HOP)

    def kill(self, *groups: GroupPlan) -> Steps[None]:
        """End groups at all their routers, whatever they do; their members are released broken.

        Raises
        ------
        FoundError
            It is refused, or not answered, for too long.
        """
        for _ in range(self._tries):
            answer = yield from self._command_kill(groups)
            if answer is Answer.OK:
                yield Pause(self._passing)
                return
            self.refused += 1
            yield Pause(LOOK)
        raise FoundError(f"not killed: {answer.name}")

    def abort(self, group: GroupPlan) -> Steps[None]:
        """End a set-up that was left while its command ran, so that it can be made again (N6.5)."""
        self._aborted.add(self._root(group))
        yield from self._abort(group)

    def recover(self, group: GroupPlan) -> Steps[None]:
        """End whatever has a group's entries, and learn their epochs, of which nothing is known.

        So ends a group whose set-up failed, or was left and is not made again.

        Raises
        ------
        FoundError
            An entry stays alive.
        """
        for place in group.placement.items():
            yield from self._free(*place)
        self._aborted.discard(self._root(group))
        yield Pause(self._passing)

    @staticmethod
    def _root(group: GroupPlan) -> tuple[int, int]:
        """Return a root's router and entry."""
        return group.shape.root, group.placement[group.shape.root]

    @property
    def _passing(self) -> int:
        """Cycles in which a router serves whatever has come to it (docs/setup.md)."""
        router = self._shape.router
        sources = router.links + 2
        interval = interval_of(router.stages, shared=router.shared)
        return (router.layout.entries + 1) * sources * interval

    def _commit(self, code: Code, router: int, entry: int) -> Write:
        """Return the write that commits a command by the epoch that is known."""
        return commit_write(code, self._shape, router, entry, self.epochs[router, entry])
