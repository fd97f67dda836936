"""Setting the groups of a run up by its manager, one after the other."""

from __future__ import annotations

from collections import deque

from syncfabric.models.golden.model import GoldenModel
from syncfabric.models.messages import ManagerState, Request
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.requests import manager_entries
from syncfabric.sim.drive.commander import Ask, Commander, Cost

__all__ = ["SetUp"]


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
