"""One manager, commanded as its node's software does: over the config port, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from syncfabric.models.golden.model import GoldenModel
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages import (
    MANAGER_BASE,
    MANAGER_COMMAND,
    ManagerState,
    ManagerWord,
    Request,
)

__all__ = ["Ask", "Commander", "Cost", "Heard"]

Heard: TypeAlias = Callable[[int, bool, int], None]
"""Takes an answer of the config port: its cycle, whether the request was refused, the data."""

Ask: TypeAlias = Callable[[ConfigRequest, Heard | None], None]
"""Puts a request into the queue for the config port."""


class Cost(NamedTuple):
    """What a command took: cycles until the manager had all replies; requests and replies."""

    cycles: int
    packets: int


class Commander:
    """Gives a manager one command at a time.

    Parameters
    ----------
    model : GoldenModel
        Tells how far the manager is.
    node : int
        The manager's.
    ask : Ask
        The config port.

    Attributes
    ----------
    busy : bool
        A command was given, and nobody has been told its cost yet.
    """

    def __init__(self, model: GoldenModel, node: int, ask: Ask) -> None:
        self._model, self.node, self._ask = model, node, ask
        self.busy = False
        self._began: int | None = None
        self._sent = 0

    @property
    def runs(self) -> bool:
        """Whether the command has begun and is not over."""
        return self._began is not None and self.state is ManagerState.RUNNING

    @property
    def state(self) -> ManagerState:
        """What the manager's status says."""
        return self._model.manager_state(self.node)

    def order(
        self,
        operation: Request,
        entries: Sequence[Sequence[int]],
        began: Callable[[int], None] | None = None,
    ) -> None:
        """Write a group's entries into the manager's memory, and give it a command.

        Parameters
        ----------
        operation : Request
            The command.
        entries : sequence of sequence of int
            The words of each entry; see ``manager_entries``.
        began : callable, optional
            Is told the first cycle in which the manager is at work.
        """
        assert not self.busy
        self.busy, self._began, self._sent = True, None, self._model.requests_sent(self.node)

        def heard(now: int, refused: bool, data: int) -> None:
            self._began = now
            if began is not None:
                began(now)

        self._write(ManagerWord.POINTER, 0)
        for entry in entries:
            for word in entry:
                self._write(ManagerWord.DATA, word)
        command = MANAGER_COMMAND.pack({"operation": operation, "count": len(entries)})
        self._write(ManagerWord.COMMAND, command, heard)

    def end(self, now: int) -> Cost | None:
        """Return what the command took, once, when it is over."""
        if self._began is None or self.runs:
            return None
        cost = Cost(now - self._began, 2 * (self._model.requests_sent(self.node) - self._sent))
        self.busy, self._began = False, None
        return cost

    def read(self, word: ManagerWord, heard: Heard) -> None:
        """Read one of the manager's words."""
        self._ask(ConfigRequest(self.node, MANAGER_BASE + word, False), heard)

    def _write(self, word: ManagerWord, data: int, heard: Heard | None = None) -> None:
        self._ask(ConfigRequest(self.node, MANAGER_BASE + word, True, data), heard)
