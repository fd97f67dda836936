"""The golden model of a static network under its driver, a chunk of cycles at a time."""

from __future__ import annotations

from syncfabric.models.golden.static import StaticModel
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.static.driver import StaticDriver
from syncfabric.sim.drive.static.parts import network_of
from syncfabric.sim.drive.stepping import Chunk, Stepping

__all__ = ["StaticSession"]


class StaticSession(Stepping):
    """Steps model and driver, and sleeps where neither does anything; see `Session`.

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

    def _step(self, chunk: Chunk) -> None:
        model, now = self.model, self.model.cycle
        inputs = self.driver.inputs(now, quiet=model.idle_until() is None)
        answer = model.config_answer
        changed = self._changed(model) if model.release else None
        record = model.step(
            arrive=inputs.arrive,
            hold=inputs.hold,
            send=inputs.send,
            take=inputs.take,
            config=inputs.config,
        )
        if record is not None or answer[0]:
            self._write(chunk, now, record, answer, changed)

    def _sleep(self, end: int) -> None:
        """Skip cycles in which neither the driver nor the model does anything."""
        model, driver = self.model, self.driver
        if driver.refused is not None:
            request = driver.refused
            self.hang = (
                f"set-up: the write to {request.node}, word {request.address:d}, was refused"
            )
        stirs = model.idle_until()
        if stirs == model.cycle:
            return
        wakes = (driver.next_cycle(model.cycle), stirs)
        ahead = [cycle for cycle in wakes if cycle is not None]
        if ahead:
            until = min(*ahead, end)
            if until > model.cycle:
                model.skip(until - model.cycle)
        else:
            self._stop()
