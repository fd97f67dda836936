"""The software of all managers: one command at a time, and the queue of freed groups."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from syncfabric.models.golden.model import GoldenModel
from syncfabric.models.messages import MANAGER_STATUS, ManagerState, ManagerWord, Request
from syncfabric.models.networks.spec import RegisterSpec
from syncfabric.sim.drive.churn.life import Life
from syncfabric.sim.drive.churn.notes import Note, Ordered
from syncfabric.sim.drive.commander import Ask, Commander, Cost

__all__ = ["Managers", "Result"]

FREED_BIT = 1 << 8


class Result(NamedTuple):
    """How a command ended."""

    life: Life
    operation: Request
    done: bool
    cost: Cost


class _Desk:
    """One manager's work."""

    def __init__(self, commander: Commander) -> None:
        self.commander = commander
        self.ahead: deque[tuple[Life, Request]] = deque()
        self.now: tuple[Life, Request] | None = None
        self.asks_freed = False


class Managers:
    """Gives every manager its commands, in order, and hears what comes of them.

    Parameters
    ----------
    network : MeshSpec or IrregularSpec
    model : GoldenModel
        Tells when a manager is done, and when a group is freed: as often as an interrupt would.
    ask : Ask
        The config port.
    note : callable
        Takes notes.
    ended : callable
        Takes a cycle, and the result of a command that is over.
    freed : callable
        Takes the GID of a group whose last barrier is over.
    """

    def __init__(
        self,
        network: RegisterSpec,
        model: GoldenModel,
        ask: Ask,
        note: Callable[[Note], None],
        ended: Callable[[int, Result], None],
        freed: Callable[[int], None],
    ) -> None:
        self._model, self._note, self._ended, self._freed = model, note, ended, freed
        nodes = map(network.topology.index, network.manager_nodes)
        self._desks = [_Desk(Commander(model, node, ask)) for node in nodes]

    def __len__(self) -> int:
        return len(self._desks)

    def order(self, life: Life, operation: Request) -> None:
        """Have a life's manager do something, when it has done what was ordered before."""
        self._desks[life.manager].ahead.append((life, operation))

    def step(self, now: int) -> None:
        """Do what is to be done in a cycle."""
        for desk in self._desks:
            if self._model.freed(desk.commander.node) and not desk.asks_freed:
                desk.asks_freed = True
                desk.commander.read(ManagerWord.FREED, partial(self._hear_freed, desk))
            if desk.now is not None:
                cost = desk.commander.end(now)
                if cost is not None:
                    heard = partial(self._hear_status, desk, cost)
                    desk.commander.read(ManagerWord.STATUS, heard)
            elif desk.ahead:
                self._begin(desk, *desk.ahead.popleft())

    def _begin(self, desk: _Desk, life: Life, operation: Request) -> None:
        desk.now = life, operation

        def began(now: int) -> None:
            self._note(Ordered(now, life.number, desk.commander.node, operation))

        desk.commander.order(operation, life.entries, began)

    def _hear_status(self, desk: _Desk, cost: Cost, now: int, refused: bool, data: int) -> None:
        assert desk.now is not None
        (life, operation), desk.now = desk.now, None
        done = MANAGER_STATUS.unpack(data)["state"] == ManagerState.DONE
        self._ended(now, Result(life, operation, done, cost))

    def _hear_freed(self, desk: _Desk, now: int, refused: bool, data: int) -> None:
        desk.asks_freed = False
        if data & FREED_BIT:
            self._freed(data & FREED_BIT - 1)
