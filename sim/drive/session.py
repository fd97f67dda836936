"""The golden model under the driver, a chunk of cycles at a time: stimulus and expected lines."""

from __future__ import annotations

from syncfabric.models.golden.network import model_of
from syncfabric.models.golden.record import Observer, Record
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.driver import Driver
from syncfabric.sim.drive.driving import Inputs
from syncfabric.sim.drive.lines import EMPTY
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.stepping import Chunk, Stepping

__all__ = ["Session"]

_NOTHING = Inputs()


class Session(Stepping):
    """Steps model and driver, and sleeps where neither does anything.

    Parameters
    ----------
    plan : BarrierPlan
    scenario : Scenario
    observer : Observer, optional
        The model's.
    """

    def __init__(
        self, plan: BarrierPlan, scenario: Scenario, *, observer: Observer | None = None
    ) -> None:
        self.model = model_of(plan.spec.message_network, observer=observer)
        self.driver = Driver(plan, scenario, self.model)
        super().__init__(scenario, self.model, self.driver)

    def advance(self, cycles: int) -> Chunk:
        """Step the next cycles; fewer if everything ends before, or the chunk's script is full."""
        chunk = super().advance(cycles)
        churn = self.driver.churn
        stuck = churn.stuck(self.model.cycle) if churn else None
        if stuck is not None and not self.finished:
            self.hang = f"group {stuck}, which is to come and go, comes no further"
        return chunk

    def _hand(self, chunk: Chunk) -> None:
        super()._hand(chunk)
        driver = self.driver
        driver.notes, driver.port.answered = chunk.notes, chunk.answered
        driver.steps = chunk.steps

    def _tick(self, chunk: Chunk) -> Record | None:
        model, driver, now = self.model, self.driver, self.model.cycle
        quiet = driver.over_from is not None and self._quiet()
        answered = model.config_answer[0]
        inputs = driver.inputs(now, quiet=quiet) or _NOTHING
        record = model.step(
            arrive=inputs.arrive,
            last=inputs.last,
            config=inputs.config,
            load=inputs.load,
            enable=driver.enable,
            rate=driver.rate,
        )
        for put in inputs.puts:
            model.put(put.node, [put.payload], put.channel, head=put.head, tail=put.tail)
        chunk.puts += inputs.puts
        if record is not None or answered:
            driver.note(now, record or EMPTY)
        return record

    def _quiet(self) -> bool:
        return self.model.is_empty() and self._stirs() is None

    def _stirs(self) -> int | None:
        return self.model.idle_until(enable=self.driver.enable, rate=self.driver.rate)

    def _skip(self, cycles: int) -> None:
        self.model.skip(cycles, enable=self.driver.enable)
