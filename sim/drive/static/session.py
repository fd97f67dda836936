"""The golden model of a static network under its driver, a chunk of cycles at a time."""

from __future__ import annotations

from syncfabric.models.golden.static import StaticModel
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.lines import EMPTY, Line, observe_line, record_line
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.session import Chunk
from syncfabric.sim.drive.static.driver import StaticDriver
from syncfabric.sim.drive.static.parts import network_of

__all__ = ["StaticSession"]


class StaticSession:
    """Steps model and driver, and sleeps where neither does anything; see `Session`.

    Parameters
    ----------
    plan : BarrierPlan
    scenario : Scenario
    """

    def __init__(self, plan: BarrierPlan, scenario: Scenario) -> None:
        self.scenario = scenario
        self.model = StaticModel(network_of(plan))
        self.driver = StaticDriver(plan, scenario, self.model)
        self.hang: str | None = None
        self._seen: dict[int, int] = {}

    @property
    def finished(self) -> bool:
        """Whether everything is over and quiet, or will never be."""
        return self.driver.finished or self.hang is not None

    def advance(self, cycles: int) -> Chunk:
        """Step the next cycles, and a few less if everything ends before."""
        model, driver = self.model, self.driver
        chunk = Chunk(model.cycle)
        driver.stimuli, driver.arrivals = chunk.stimuli, chunk.arrivals
        end = model.cycle + cycles
        while model.cycle < end and not self.finished:
            self._step(chunk)
            self._sleep(end)
        if model.cycle >= self.scenario.limit and not self.finished:
            self.hang = f"barriers do not end within {self.scenario.limit} cycles"
        chunk.end = model.cycle
        return chunk

    def _step(self, chunk: Chunk) -> None:
        model, now = self.model, self.model.cycle
        inputs = self.driver.inputs(now, quiet=model.idle_until() is None)
        answer = model.config_answer
        changed = self._changed() if model.release else None
        record = model.step(
            arrive=inputs.arrive,
            hold=inputs.hold,
            send=inputs.send,
            take=inputs.take,
            config=inputs.config,
        )
        if record is None and not answer[0]:
            return
        record = record or EMPTY
        chunk.text.append(record_line(now, record, answer))
        chunk.lines.append(Line(now, record, answer[1:] if answer[0] else None))
        if changed is not None:
            chunk.text.append(observe_line(changed))
            chunk.lines.append(Line(now, EMPTY, observed=tuple(changed)))

    def _changed(self) -> list[tuple[int, int]]:
        """Return the nodes whose ``observe`` is not what it was when last asked."""
        model, changed = self.model, []
        for node in sorted(model.touched):
            value = model.observe(node)
            if value != self._seen.get(node, 0):
                self._seen[node] = value
                changed.append((node, value))
        model.touched.clear()
        return changed

    def _sleep(self, end: int) -> None:
        """Skip cycles in which neither the driver nor the model does anything."""
        model, driver = self.model, self.driver
        if driver.refused is not None:
            request = driver.refused
            self.hang = (
                f"set-up: the write to {request.node}, word {request.address:d}, was refused"
            )
        wakes = (driver.next_cycle(model.cycle), model.idle_until())
        ahead = [cycle for cycle in wakes if cycle is not None]
        if ahead:
            until = min(*ahead, end)
            if until > model.cycle:
                model.skip(until - model.cycle)
        elif not driver.finished:
            late = ", ".join(map(str, driver.unfinished()))
            self.hang = f"nothing moves any more; unfinished groups: {late}"
