"""The golden model under the driver, a chunk of cycles at a time: stimulus and expected lines."""

from __future__ import annotations

from syncfabric.models.golden.network import model_of
from syncfabric.models.golden.record import Observer
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.driver import Driver, Inputs
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

    def _step(self, chunk: Chunk) -> None:
        model, driver, now = self.model, self.driver, self.model.cycle
        quiet = driver.traffic_to is not None and self._quiet()
        inputs = driver.inputs(now, quiet=quiet) or _NOTHING
        answer = model.config_answer
        changed = self._changed(model) if model.release else None
        if answer[0]:
            chunk.meanings[now] = model.config_meaning
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
        if record is None and not answer[0]:
            return
        driver.note(now, record or EMPTY)
        self._write(chunk, now, record, answer, changed)

    def _quiet(self) -> bool:
        driver, model = self.driver, self.model
        return model.is_empty() and model.idle_until(enable=driver.enable, rate=driver.rate) is None

    def _sleep(self, end: int) -> None:
        """Skip cycles in which neither the driver nor the model does anything."""
        model, driver = self.model, self.driver
        now = model.cycle
        wake = driver.next_cycle(now)
        if wake is not None and wake <= now:
            return
        stirs = model.idle_until(enable=driver.enable, rate=driver.rate)
        if stirs is not None and stirs <= now:
            return
        if wake is None and stirs is None:
            self._stop()
            return
        until = min(cycle for cycle in (wake, stirs, end) if cycle is not None)
        if until > now:
            model.skip(until - now, enable=driver.enable)
