"""Setting the groups of a run up by its manager, one after the other."""

from __future__ import annotations

from collections import deque

from syncfabric.models.golden.model import GoldenModel
from syncfabric.models.golden.planes.collective_network import CollectiveNetwork
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.layout import setup as layout_setup
from syncfabric.models.messages import ManagerState, Request
from syncfabric.models.planning.links.group_plan import GroupPlan as EngineGroupPlan
from syncfabric.models.planning.links.images import Epochs
from syncfabric.models.planning.links.set_up import manager_address, set_up_command
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.requests import manager_entries
from syncfabric.sim.drive.commander import Ask, Commander, Cost

__all__ = ["EngineSetUp", "SetUp"]


class EngineSetUp:
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
    costs, refused
        As of :class:`SetUp`.
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
        running = self._model.manager_state(self._manager) is layout_setup.ManagerState.RUNNING
        return self._began is not None and running

    def step(self, now: int) -> None:
        """Go on, in a cycle in which all requests have been asked and answered."""
        if self._now is not None and self._began is not None and not self.waits:
            sent = self._model.requests_sent(self._manager) - self._sent
            self.costs[self._now] = Cost(now - self._began, 2 * sent)
            if self._model.manager_state(self._manager) is not layout_setup.ManagerState.DONE:
                self.refused = self._now if self.refused is None else self.refused
            self._now = None
        if self._now is None and self._ahead:
            self._order(*self._ahead.popleft())

    def _order(self, number: int, group: EngineGroupPlan) -> None:
        """Give a group's manager its requests, and the command."""
        self._now, self._began = group.id, None
        self._manager = self._shape.managers[number % len(self._shape.managers)]
        self._sent = self._model.requests_sent(self._manager)

        def began(now: int, refused: bool, data: int) -> None:
            self._began = now

        for address, word in set_up_command(group, self._shape, self._epochs):
            last = address == manager_address(layout_setup.ManagerWord.COMMAND)
            request = ConfigRequest(self._manager, address, True, word)
            self._ask(request, began if last else None)
        self._epochs.set_up(group)


class SetUp:
    """Commands the first manager, a group at a time, and waits for it.

    Parameters
    ----------
    plan : BarrierPlan
        Of a network with set-up by managers.
    model : GoldenModel
        Tells how far the manager is.
    ask : Ask
        The config port.

    Attributes
    ----------
    costs : dict of int to Cost
        By group.
    refused : int or None
        The first group that was not set up.
    """

    def __init__(self, plan: BarrierPlan, model: GoldenModel, ask: Ask) -> None:
        self._plan = plan
        network = plan.spec.message_network
        node = network.topology.index(network.manager_nodes[0])
        self._manager = Commander(model, node, ask)
        self._ahead = deque((*plan.message_groups, *plan.wire_groups))
        self._now: int | None = None
        self.costs: dict[int, Cost] = {}
        self.refused: int | None = None

    @property
    def finished(self) -> bool:
        """Whether every group has had its turn."""
        return not self._ahead and self._now is None

    @property
    def waits(self) -> bool:
        """Whether the manager is at work, so that there is nothing to do until it is done."""
        return self._manager.runs

    def step(self, now: int) -> None:
        """Go on, in a cycle in which all requests have been asked and answered."""
        if self._now is not None and (cost := self._manager.end(now)) is not None:
            self.costs[self._now] = cost
            if self._manager.state is not ManagerState.DONE and self.refused is None:
                self.refused = self._now
            self._now = None
        while self._now is None and self._ahead:
            group = self._ahead.popleft()
            entries = manager_entries(self._plan, group, epoch=0)
            if entries:
                self._now = group.id
                self._manager.order(Request.SETUP, entries)
