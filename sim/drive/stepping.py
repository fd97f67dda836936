"""A model under its driver, a chunk of cycles at a time: what all kinds of network share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Protocol

from syncfabric.models.faults.fault import Fault
from syncfabric.models.golden.record import ConfigRequest, Record
from syncfabric.sim.assemble.player import SCRIPT_WORDS, Stimulus
from syncfabric.sim.drive.churn.notes import Note
from syncfabric.sim.drive.driving import Arrival, Model
from syncfabric.sim.drive.lines import EMPTY, Line, observe_line, record_line
from syncfabric.sim.drive.put_port import Put
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.software import MemberStep
from syncfabric.sim.drive.static.operations import Turn

__all__ = ["Chunk", "Stepping"]

FULL = SCRIPT_WORDS // 2
"""Stimuli after which a chunk ends: the other half is for those of its last cycle."""


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
    faults : list of Fault
        What becomes of links from these cycles on; all of a run's in one chunk.
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
    meanings : dict of int to int
        The bits of such an answer that have a meaning, where not all have, by cycle.
    turns : list of Turn
        Members of static networks that begin and end operations of their software.
    """

    first: int
    end: int = 0
    stimuli: list[Stimulus] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    arrivals: list[Arrival] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    steps: list[MemberStep] = field(default_factory=list)
    puts: list[Put] = field(default_factory=list)
    answered: dict[int, ConfigRequest] = field(default_factory=dict)
    meanings: dict[int, int] = field(default_factory=dict)
    turns: list[Turn] = field(default_factory=list)


class Player(Protocol):
    """A driver, as far as stepping looks at it."""

    stimuli: list[Stimulus]
    arrivals: list[Arrival]
    finished: bool
    refused: str | None

    def unfinished(self) -> Collection[int]:
        """Return the groups that are not done."""

    def next_cycle(self, now: int) -> int | None:
        """Return the first cycle from ``now`` on in which it acts by itself; None: in none."""


class Stepping(ABC):
    """Steps a model and its driver, and writes down what the probe must write.

    Parameters
    ----------
    scenario : Scenario
    model : Model
    driver : Player

    Attributes
    ----------
    hang : str or None
        What does not come to an end.
    """

    def __init__(self, scenario: Scenario, model: Model, driver: Player) -> None:
        self.scenario = scenario
        self.hang: str | None = None
        self._model, self._driver = model, driver
        self._seen: dict[int, int] = {}

    @property
    def finished(self) -> bool:
        """Whether everything is over and quiet, or will never be."""
        self.hang = self.hang or self._driver.refused
        return self._driver.finished or self.hang is not None

    def advance(self, cycles: int) -> Chunk:
        """Step the next cycles; fewer if everything ends before, or the chunk's script is full."""
        model = self._model
        chunk = Chunk(model.cycle)
        self._hand(chunk)
        end = model.cycle + cycles
        while model.cycle < end and not self.finished and len(chunk.stimuli) < FULL:
            self._step(chunk)
            self._sleep(end)
        if model.cycle >= self.scenario.limit and not self.finished:
            self.hang = f"barriers or packets do not end within {self.scenario.limit} cycles"
        chunk.end = model.cycle
        return chunk

    def _hand(self, chunk: Chunk) -> None:
        """Have the driver fill the chunk's lists."""
        self._driver.stimuli, self._driver.arrivals = chunk.stimuli, chunk.arrivals

    def _step(self, chunk: Chunk) -> None:
        """Step one cycle, and write down what is on the wires in it."""
        model, now = self._model, self._model.cycle
        answer = model.config_answer
        changed = self._changed(model) if model.release else None
        if answer[0]:
            chunk.meanings[now] = model.config_meaning
        record = self._tick(chunk)
        if record is None and not answer[0]:
            return
        chunk.text.append(record_line(now, record or EMPTY, answer))
        chunk.lines.append(Line(now, record or EMPTY, answer[1:] if answer[0] else None))
        if changed is not None:
            chunk.text.append(observe_line(changed))
            chunk.lines.append(Line(now, EMPTY, observed=tuple(changed)))

    @abstractmethod
    def _tick(self, chunk: Chunk) -> Record | None:
        """Let the driver act, and step the model."""

    def _sleep(self, end: int) -> None:
        """Skip cycles in which neither the driver nor the model does anything."""
        now = self._model.cycle
        wake = self._driver.next_cycle(now)
        if wake is not None and wake <= now:
            return
        stirs = self._stirs()
        if stirs is not None and stirs <= now:
            return
        if wake is None and stirs is None:
            self._stop()
            return
        until = min(cycle for cycle in (wake, stirs, end) if cycle is not None)
        if until > now:
            self._skip(until - now)

    def _stirs(self) -> int | None:
        """Return the cycle in which the model does something by itself; None: in none."""
        return self._model.idle_until()

    def _skip(self, cycles: int) -> None:
        """Skip cycles in which the model does nothing."""
        self._model.skip(cycles)

    def _changed(self, model: Model) -> list[tuple[int, int]]:
        """Return the targets whose ``observe`` is not what it was when last asked."""
        changed = []
        for target in sorted(model.touched):
            value = model.observe(target)
            if value != self._seen.get(target, 0):
                self._seen[target] = value
                changed.append((target, value))
        model.touched.clear()
        return changed

    def _stop(self) -> None:
        """Note that nothing will ever move again, if that is too early."""
        if not self._driver.finished:
            late = ", ".join(map(str, self._driver.unfinished()))
            self.hang = f"nothing moves any more; unfinished groups: {late}"
