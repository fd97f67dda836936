"""The golden model under the driver, a chunk of cycles at a time: stimulus and expected lines."""

from __future__ import annotations

from dataclasses import dataclass, field

from syncfabric.models.golden.network import model_of
from syncfabric.models.golden.record import ConfigRequest, Observer
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.assemble.player import Stimulus
from syncfabric.sim.drive.churn.notes import Note
from syncfabric.sim.drive.driver import Arrival, Driver, Inputs
from syncfabric.sim.drive.lines import EMPTY, Line, observe_line, record_line
from syncfabric.sim.drive.put_port import Put
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.schemes.steps import MemberStep

__all__ = ["Chunk", "Session"]

_NOTHING = Inputs()


@dataclass
class Chunk:
    """Cycles ``first`` up to, but not including, ``end``.

    Parameters
    ----------
    stimuli : list of Stimulus
        For the player.
    text : list of str
        What the probe must write.
    lines : list of Line
        The same, not yet put into words.
    arrivals : list of Arrival
        Arrivals that the network takes in these cycles.
    notes : list of Note
        What was done in these cycles for lives that come and go.
    steps : list of MemberStep
        What members do in these cycles that synchronize by packets.
    puts : list of Put
        Flits that nodes' software puts into their sources.
    answered : dict of int to ConfigRequest
        What the config port answers, by cycle.
    """

    first: int
    end: int = 0
    stimuli: list[Stimulus] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    arrivals: list[Arrival] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    steps: list[MemberStep] = field(default_factory=list)
    puts: list[Put] = field(default_factory=list)
    answered: dict[int, ConfigRequest] = field(default_factory=dict)


class Session:
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
        self.plan, self.scenario = plan, scenario
        self.model = model_of(plan.spec.network, observer=observer)
        self.driver = Driver(plan, scenario, self.model)
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
        driver.notes, driver.port.answered = chunk.notes, chunk.answered
        driver.steps = chunk.steps
        end = model.cycle + cycles
        while model.cycle < end and not self.finished:
            self._step(chunk)
            self._sleep(end)
        if model.cycle >= self.scenario.limit and not self.finished:
            self.hang = f"barriers or packets do not end within {self.scenario.limit} cycles"
        stuck = driver.churn.stuck(model.cycle) if driver.churn else None
        if stuck is not None and not self.finished:
            self.hang = f"group {stuck}, which is to come and go, comes no further"
        chunk.end = model.cycle
        return chunk

    def _step(self, chunk: Chunk) -> None:
        model, driver, now = self.model, self.driver, self.model.cycle
        quiet = driver.traffic_to is not None and self._quiet()
        inputs = driver.inputs(now, quiet=quiet) or _NOTHING
        answer = model.config_answer
        changed = None
        if model.release or model.spill_release:
            changed = self._changed()
        record = model.step(
            arrive=inputs.arrive,
            spill_arrive=inputs.spill_arrive,
            last=inputs.last,
            start=inputs.start,
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
        record = record or EMPTY
        driver.note(now, record)
        chunk.text.append(record_line(now, record, answer))
        chunk.lines.append(Line(now, record, answer[1:] if answer[0] else None))
        if changed is not None:
            chunk.text.append(observe_line(changed))
            chunk.lines.append(Line(now, EMPTY, observed=tuple(changed)))

    def _changed(self) -> list[tuple[int, int]]:
        """Return the targets whose ``observe`` is not what it was when last asked."""
        model, changed = self.model, []
        for target in sorted(model.touched):
            value = model.observe(target)
            if value != self._seen.get(target, 0):
                self._seen[target] = value
                changed.append((target, value))
        model.touched.clear()
        return changed

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
            if not driver.finished:
                late = ", ".join(map(str, driver.unfinished()))
                self.hang = f"nothing moves any more; unfinished groups: {late}"
            return
        until = min(cycle for cycle in (wake, stirs, end) if cycle is not None)
        if until > now:
            model.skip(until - now, enable=driver.enable)
