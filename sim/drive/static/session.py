"""The golden model of a static network under its driver, a chunk of cycles at a time."""

from __future__ import annotations

from syncfabric.models.golden.record import Record
from syncfabric.models.golden.static import StaticModel
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.driving import Inputs
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.static.driver import StaticDriver
from syncfabric.sim.drive.static.parts import network_of
from syncfabric.sim.drive.stepping import Chunk, Stepping

__all__ = ["StaticSession"]

_NOTHING = Inputs()


class StaticSession(Stepping):
    """Steps model and driver; see `Session`.

    Parameters
    ----------
    plan : BarrierPlan
    scenario : Scenario
    """

    def __init__(self, plan: BarrierPlan, scenario: Scenario) -> None:
        self.model = StaticModel(network_of(plan))
        self.driver = StaticDriver(plan, scenario, self.model)
        super().__init__(scenario, self.model, self.driver)

    def _hand(self, chunk: Chunk) -> None:
        super()._hand(chunk)
        if self.driver.software is not None:
            self.driver.software.turns = chunk.turns

    def _tick(self, chunk: Chunk) -> Record | None:
        quiet = self._stirs() is None
        inputs = self.driver.inputs(self.model.cycle, quiet=quiet) or _NOTHING
        return self.model.step(
            arrive=inputs.arrive,
            hold=inputs.hold,
            send=inputs.send,
            take=inputs.take,
            config=inputs.config,
        )
