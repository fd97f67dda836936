"""Groups of a static network: routes are loaded anew while the other groups go on.

Source: docs/microarchitecture-static.md, R3 and R5.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Sequence

from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.static_routes import (
    SETTLING,
    group_outputs,
    role_writes,
    route_writes,
)
from syncfabric.sim.lifecycle.effects import Pause, Steps, ask_all

__all__ = ["ByRoutes"]


class ByRoutes:
    """Programs that set groups up and end them, by routes and roles.

    They raise `FoundError` when a write is refused.

    Attributes
    ----------
    settled : int
        Cycles in which what a root sends at first has come to all members.
    refused : int
        Commands that were refused, and given again: none.
    """

    refused = 0

    def __init__(self, network: StaticSpec) -> None:
        self._network = network
        self._living: dict[int, GroupPlan] = {}
        self.settled = 8 * len(network.topology.nodes)

    def again(self) -> ByRoutes:
        """Return one that knows what this one does, and may learn more."""
        twin = copy.copy(self)
        twin._living = dict(self._living)
        return twin

    def set_up(self, *groups: GroupPlan, beside: Sequence[GroupPlan] = ()) -> Steps[None]:
        """Load groups' routes beside the others', tell members their roles, and let roots begin.

        Those ``beside`` have routes alone: their members' core ports are left to software.
        """
        yield from self.load((), (*groups, *beside))
        yield from self.assign((), groups)

    def kill(self, *groups: GroupPlan) -> Steps[None]:
        """Take groups' routes away, whatever they are doing: their agents are as after reset."""
        yield from self.load(groups, ())
        yield from self.assign(groups, ())

    def load(self, ended: Sequence[GroupPlan], begun: Sequence[GroupPlan]) -> Steps[None]:
        """Load the routes of all groups; those that end, begin, or change are flushed."""
        for group in ended:
            del self._living[group.id]
        self._living |= {group.id: group for group in begun}
        routes = {
            output: port
            for group in self._living.values()
            for output, port in group.routes().items()
        }
        flush = {output for group in (*ended, *begun) for output in group_outputs(group)}
        yield from ask_all(list(route_writes(self._network, routes, flush)), "routes")
        yield Pause(SETTLING)

    def assign(
        self,
        ended: Sequence[GroupPlan],
        begun: Sequence[GroupPlan],
        silent: Collection[int] = (),
    ) -> Steps[None]:
        """Tell nodes their roles when routes are loaded; nodes that are ``silent`` keep theirs."""
        yield from ask_all(list(role_writes(self._network, ended, begun, silent)), "roles")
