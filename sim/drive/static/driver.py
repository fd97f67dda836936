"""Driving a static network: its routes and roles are loaded over the config port."""

from __future__ import annotations

from collections.abc import Sequence

from syncfabric.models.golden.record import Record
from syncfabric.models.golden.static import StaticModel
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.config_port import Cycles, perform
from syncfabric.sim.drive.driver import Driver, Inputs
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.static.operations import barriers_of, groups_of, network_of
from syncfabric.sim.lifecycle.effects import FoundError, Steps
from syncfabric.sim.lifecycle.routes import ByRoutes

__all__ = ["StaticDriver"]


class StaticDriver(Driver[StaticModel]):
    """Members arrive when all groups are set up and the network is quiet.

    Parameters
    ----------
    plan : BarrierPlan
    scenario : Scenario

    Attributes
    ----------
    loading : list of GroupPlan
        Groups without roles, whose routes are loaded beside those of the others.
    roots : list of int
        Nodes of the roots of groups of two members or more that have barriers.
    loads : bool
        Whether routes are being loaded.
    """

    def __init__(self, plan: BarrierPlan, scenario: Scenario) -> None:
        network, barriers = network_of(plan), barriers_of(plan, scenario.collectives)
        super().__init__(plan, scenario, StaticModel(network), barriers.groups)
        self._routes, self._barriers, self._now = ByRoutes(network), groups_of(barriers), 0
        index = network.topology.index
        self.roots = [index(each.way.root) for each in self._barriers if len(each.members) > 1]
        self.loading: Sequence[GroupPlan] = ()
        self.loads = True
        self._loader: Cycles[None] | None = None

    def load(self, groups: Sequence[GroupPlan]) -> None:
        """Begin to load the routes of groups."""
        self._begin(self._routes.load((), groups))

    def _begin(self, steps: Steps[None]) -> None:
        self.loads, self._loader = True, self._perform(steps)
        next(self._loader, None)

    def _perform(self, steps: Steps[None]) -> Cycles[None]:
        """Perform a program over the config port; what it finds wrong ends the run."""
        try:
            yield from perform(steps, self.port, lambda: self._now)
        except FoundError as error:
            self.refused = f"set-up: {error}"
        self.loads = False

    def _resume(self, now: int) -> None:
        self._now = now
        if self._loader is None:
            self._begin(self._routes.set_up(*self._barriers, beside=self.loading))
        else:
            next(self._loader, None)

    def next_cycle(self, now: int) -> int | None:
        """Return the first cycle from ``now`` on in which the driver has something to do."""
        # A program that asks for nothing lets cycles go by.
        return now if self.loads and self.port.is_idle else super().next_cycle(now)

    @property
    def _waits(self) -> bool:
        return self.loads or self.model.idle_until() is not None

    def _prepare(self, now: int) -> bool:
        if any(program.prepares for program in self.programs):
            return False
        self._resume(now)
        return not self._waits

    def _act(self, now: int, inputs: Inputs) -> None:
        if self.begin_cycle is not None:
            self._resume(now)
        for program in self.programs:
            if self.begin_cycle is not None or program.prepares:
                program.act(now, inputs)

    def step(self, now: int) -> Record | None:
        """Act in a cycle, and step the model."""
        inputs = self.inputs(now)
        return self.model.step(
            arrive=inputs.arrive,
            hold=inputs.hold,
            send=inputs.send,
            take=inputs.take,
            config=inputs.config,
        )
