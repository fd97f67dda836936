"""Setting the groups of a run up by its manager, one after the other."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from syncfabric.models.golden.planes.collective_network import CollectiveNetwork
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.layout.setup import ManagerState, ManagerWord
from syncfabric.models.planning.links.group_plan import GroupPlan
from syncfabric.models.planning.links.images import Epochs
from syncfabric.models.planning.links.set_up import manager_address, set_up_command
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.config_port import Ask

__all__ = ["Cost", "SetUp"]


class Cost(NamedTuple):
    """What a command took: cycles until the manager had all replies; requests and replies."""

    cycles: int
    packets: int


class SetUp:
    """Commands the managers of a network of engines, a group at a time: each its own groups.

    Parameters
    ----------
    plan : BarrierPlan
    model : CollectiveNetwork
        Tells how far a manager is.
    ask : Ask
        The config port.

    Attributes
    ----------
    costs : dict of int to Cost
        By group.
    refused : int or None
        The first group that was not set up.
    """

    def __init__(self, plan: BarrierPlan, model: CollectiveNetwork, ask: Ask) -> None:
        self._shape = model.shape
        self._model, self._ask = model, ask
        self._epochs = Epochs()
        self._ahead = deque(enumerate(plan.engine_groups))
        self._now: int | None = None
        self._manager = self._shape.managers[0]
        self._began: int | None = None
        self._sent = 0
        self.costs: dict[int, Cost] = {}
        self.refused: int | None = None

    @property
    def finished(self) -> bool:
        """Whether every group has had its turn."""
        return not self._ahead and self._now is None

    @property
    def waits(self) -> bool:
        """Whether a manager is at work, so that there is nothing to do until it is done."""
        running = self._model.manager_state(self._manager) is ManagerState.RUNNING
        return self._began is not None and running

    def step(self, now: int) -> None:
        """Go on, in a cycle in which all requests have been asked and answered."""
        if self._now is not None and self._began is not None and not self.waits:
            sent = self._model.requests_sent(self._manager) - self._sent
            self.costs[self._now] = Cost(now - self._began, 2 * sent)
            if self._model.manager_state(self._manager) is not ManagerState.DONE:
                self.refused = self._now if self.refused is None else self.refused
            self._now = None
        if self._now is None and self._ahead:
            self._order(*self._ahead.popleft())

    def _order(self, number: int, group: GroupPlan) -> None:
        """Give a group's manager its requests, and the command."""
        self._now, self._began = group.id, None
        self._manager = self._shape.managers[number % len(self._shape.managers)]
        self._sent = self._model.requests_sent(self._manager)

        def began(now: int, refused: bool, data: int) -> None:
            self._began = now

        for address, word in set_up_command(group, self._shape, self._epochs):
            last = address == manager_address(ManagerWord.COMMAND)
            request = ConfigRequest(self._manager, address, True, word)
            self._ask(request, began if last else None)
        self._epochs.set_up(group)
