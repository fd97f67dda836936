"""A golden model under its driver, a chunk of cycles at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection
from typing import Generic, Protocol, TypeVar

from syncfabric.models.faults.fault import Fault
from syncfabric.models.golden.record import Record
from syncfabric.sim.assemble.script import Stimulus
from syncfabric.sim.drive.config_port import ConfigPort
from syncfabric.sim.drive.trace import EMPTY, Act, Chunk, Line, observe_line, record_line

__all__ = ["Model", "Player", "Session"]


class Model(Protocol):
    """A golden model, as far as every driver and session uses it."""

    cycle: int
    release: list[tuple[int, int, int]]
    config_answer: tuple[bool, bool, int]
    config_meaning: int
    touched: set[int]

    def observe(self, target: int) -> int:
        """Return a target's state."""

    def idle_until(self) -> int | None:
        """Return a cycle before which nothing happens without inputs; None: nothing ever does."""

    def skip(self, cycles: int) -> None:
        """Advance by cycles in which nothing happens."""


M = TypeVar("M", bound=Model)


class Player(ABC, Generic[M]):
    """Drives a golden model: what goes in, in each cycle.

    Parameters
    ----------
    model : Model
        Fresh from reset.

    Attributes
    ----------
    stimuli : list of Stimulus
        All inputs in the player's form.
    acts : list of Act
        What software does.
    faults : list of Fault
        Of links.
    port : ConfigPort
    finished : bool
        Whether everything is over.
    refused : str or None
        What could not be done.
    """

    def __init__(self, model: M) -> None:
        self.model, self.port = model, ConfigPort()
        self.stimuli: list[Stimulus] = []
        self.acts: list[Act] = []
        self.faults: list[Fault] = []
        self.finished = False
        self.refused: str | None = None

    def fill(self, chunk: Chunk) -> None:
        """Put what is done from now on into a chunk."""
        self.stimuli, self.acts, self.faults = chunk.stimuli, chunk.acts, chunk.faults
        self.port.answered = chunk.answered

    @property
    @abstractmethod
    def progress(self) -> tuple[int, int]:
        """How much of what is asked for is over, and how much that is."""

    @abstractmethod
    def unfinished(self) -> Collection[int]:
        """Return the groups that are not done."""

    def stuck(self) -> str | None:
        """Return what hangs although something still moves."""
        return None

    @abstractmethod
    def next_cycle(self, now: int) -> int | None:
        """Return the first cycle from ``now`` on in which it acts by itself; None: in none."""

    @abstractmethod
    def step(self, now: int) -> Record | None:
        """Act in a cycle, and step the model."""

    def idle_until(self) -> int | None:
        """Return a cycle before which the model does nothing by itself; None: it never will."""
        return self.model.idle_until()

    def skip(self, cycles: int) -> None:
        """Advance the model by cycles in which it does nothing."""
        self.model.skip(cycles)


P = TypeVar("P", bound=Player)  # type: ignore[type-arg]


class Session(Generic[P]):
    """Steps a model and its driver, and writes down what the probe must write.

    Parameters
    ----------
    driver : Player
    limit : int
        Cycles after which the run is given up as a hang.

    Attributes
    ----------
    hang : str or None
        What does not come to an end.
    """

    def __init__(self, driver: P, limit: int) -> None:
        self.driver, self._limit = driver, limit
        self._model: Model = driver.model
        self.hang: str | None = None
        self._seen: dict[int, int] = {}

    @property
    def finished(self) -> bool:
        """Whether everything is over and quiet, or will never be."""
        self.hang = self.hang or self.driver.refused
        return self.driver.finished or self.hang is not None

    @property
    def cycle(self) -> int:
        """The cycle about to be stepped."""
        return self._model.cycle

    def advance(self, cycles: int) -> Chunk:
        """Step the next cycles; fewer if everything ends before."""
        chunk = Chunk(self.cycle)
        self.driver.fill(chunk)
        end = self.cycle + cycles
        while self.cycle < end and not self.finished:
            self._step(chunk)
            self._sleep(end)
        if not self.finished:
            self.hang = self.driver.stuck()
            if self.cycle >= self._limit:
                self.hang = f"barriers or packets do not end within {self._limit} cycles"
        chunk.end = self.cycle
        return chunk

    def _step(self, chunk: Chunk) -> None:
        """Step one cycle, and write down what is on the wires in it."""
        model, now = self._model, self.cycle
        answer = model.config_answer
        changed = self._changed(model) if model.release else None
        if answer[0]:
            chunk.meanings[now] = model.config_meaning
        record = self.driver.step(now)
        if record is None and not answer[0]:
            return
        chunk.text.append(record_line(now, record or EMPTY, answer))
        chunk.lines.append(Line(now, record or EMPTY, answer[1:] if answer[0] else None))
        if changed is not None:
            chunk.text.append(observe_line(changed))
            chunk.lines.append(Line(now, EMPTY, observed=tuple(changed)))

    def _sleep(self, end: int) -> None:
        """Skip cycles in which neither the driver nor the model does anything."""
        now, driver = self.cycle, self.driver
        wake = driver.next_cycle(now)
        if wake is not None and wake <= now:
            return
        stirs = driver.idle_until()
        if stirs is not None and stirs <= now:
            return
        if wake is None and stirs is None:
            if not driver.finished:
                late = ", ".join(map(str, driver.unfinished()))
                self.hang = f"nothing moves any more; unfinished groups: {late}"
            return
        until = min(cycle for cycle in (wake, stirs, end) if cycle is not None)
        if until > now:
            driver.skip(until - now)

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
