"""Setting the groups of a run up by its manager, one after the other."""

from __future__ import annotations

from collections import deque

from syncfabric.models.golden.model import GoldenModel
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages import (
    MANAGER_BASE,
    MANAGER_COMMAND,
    ManagerState,
    ManagerWord,
    Request,
)
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.requests import manager_entries

__all__ = ["SetUp"]


class SetUp:
    """Writes the manager's memory and commands, a group at a time, and waits for it.

    Parameters
    ----------
    plan : BarrierPlan
        Of a network with set-up by managers.
    model : GoldenModel
        Tells how far the manager is.
    requests : deque of ConfigRequest
        What is to be asked of the config port; appended to.

    Attributes
    ----------
    costs : dict of int to (int, int)
        By group, cycles from the command until the manager had all replies, and packets: a request
        and a reply for each router of its tree.
    refused : int or None
        The first group that was not set up.
    """

    def __init__(
        self, plan: BarrierPlan, model: GoldenModel, requests: deque[ConfigRequest]
    ) -> None:
        self._plan, self._model, self._requests = plan, model, requests
        network = plan.spec.network
        self._manager = network.topology.index(network.manager_nodes[0])
        self._ahead = deque(plan.groups)
        self._now: int | None = None
        self._began: int | None = None
        self._packets = 0
        self.costs: dict[int, tuple[int, int]] = {}
        self.refused: int | None = None

    @property
    def finished(self) -> bool:
        """Whether every group has had its turn."""
        return not self._ahead and self._now is None

    @property
    def waits(self) -> bool:
        """Whether the manager is at work, so that there is nothing to do until it is done."""
        return self._began is not None and self._state() is ManagerState.RUNNING

    def step(self, now: int) -> None:
        """Go on, in a cycle in which all requests have been asked and answered."""
        if self._now is not None:
            self._watch(now)
        while self._now is None and self._ahead:
            group = self._ahead.popleft()
            entries = manager_entries(self._plan, group, epoch=0)
            if not entries:
                continue
            self._now, self._began = group.id, None
            self._packets = 2 * len(entries)
            self._ask(ManagerWord.POINTER, 0)
            for entry in entries:
                for word in entry:
                    self._ask(ManagerWord.DATA, word)
            command = {"operation": Request.SETUP, "count": len(entries)}
            self._ask(ManagerWord.COMMAND, MANAGER_COMMAND.pack(command))

    def _watch(self, now: int) -> None:
        """Look whether the manager has begun, and whether it is done."""
        state = self._state()
        if self._began is None:
            self._began = now
        if state is ManagerState.RUNNING:
            return
        assert self._now is not None
        self.costs[self._now] = now - self._began, self._packets
        if state is not ManagerState.DONE and self.refused is None:
            self.refused = self._now
        self._now = self._began = None

    def _state(self) -> ManagerState:
        return self._model.manager_state(self._manager)

    def _ask(self, word: ManagerWord, data: int) -> None:
        self._requests.append(ConfigRequest(self._manager, MANAGER_BASE + word, True, data))
