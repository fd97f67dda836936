"""The golden model under a recovery's software, cycle by cycle."""

from __future__ import annotations

from syncfabric.models.golden.network import model_of
from syncfabric.models.golden.planes.collective_network import CollectiveNetwork
from syncfabric.models.golden.record import Record
from syncfabric.models.golden.static import StaticModel
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.recovery.driver import RecoveryDriver
from syncfabric.sim.drive.recovery.static_driver import StaticRecoveryDriver
from syncfabric.sim.drive.recovery.story import Story
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.stepping import Chunk, Stepping

__all__ = ["RecoverySession"]


class RecoverySession(Stepping):
    """Steps model and software; no cycle is skipped, for something may die in any.

    Parameters
    ----------
    plan, after : BarrierPlan
        As of ``Telling``.
    story : Story
    """

    model: CollectiveNetwork | StaticModel
    driver: RecoveryDriver | StaticRecoveryDriver

    def __init__(self, plan: BarrierPlan, after: BarrierPlan, story: Story) -> None:
        network = plan.spec.network
        if isinstance(network, StaticSpec):
            self.model = StaticModel(network)
            self.driver = StaticRecoveryDriver(plan, after, story, self.model)
        else:
            self.model = model_of(network)
            self.driver = RecoveryDriver(plan, after, story, self.model)
        super().__init__(Scenario(limit=story.limit), self.model, self.driver)

    def _hand(self, chunk: Chunk) -> None:
        super()._hand(chunk)
        self.driver.notes, self.driver.faults = chunk.notes, chunk.faults

    def _tick(self, chunk: Chunk) -> Record | None:
        arrive, last = self.driver.inputs(self.model.cycle)
        return self.model.step(arrive=arrive, last=last, config=self.driver.request())
