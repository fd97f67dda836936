"""The hardware of a campaign as its software sees it: time, commands, counters and packets."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import TypeVar

from syncfabric.models.messages import COUNTER_BITS
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.traffic import rate_word
from syncfabric.sim.assemble.player import Stimulus, StimulusKind, script_text
from syncfabric.sim.drive.targets import targets_of
from syncfabric.sim.fabric import Fabric, Wrong
from syncfabric.sim.fabric.nodes import counter_names
from syncfabric.sim.lifecycle.effects import HANG, Ask, FoundError, Steps
from syncfabric.sim.soak.life import Life

__all__ = ["Bench"]

LOOK = 100
"""Cycles between two looks."""

T = TypeVar("T")


class Bench:
    """A running fabric, and what has happened in it.

    Parameters
    ----------
    fabric : Fabric
    plan : BarrierPlan
    """

    def __init__(self, fabric: Fabric, plan: BarrierPlan) -> None:
        self._fabric, self._plan = fabric, plan
        network = self._network = plan.spec.network
        self._targets = targets_of(network)
        self._names: list[list[str]] = []
        self._packets, self._static = False, isinstance(network, StaticSpec)
        if not isinstance(network, StaticSpec):
            self._names, self._packets = counter_names(network), network.channels > 0
        self._cycle = 0
        self._wrong: list[Wrong] = []
        self._over: set[int] = set()

    def _play(self, cycles: int) -> bool:
        """Go on, but no further than something happens; return whether there are answers."""
        happened = self._fabric.play(cycles)
        self._cycle = happened.cycle
        self._wrong += happened.wrong
        self._over.update(happened.over)
        return happened.answered

    def _wait(self, cycles: int) -> None:
        end = self._cycle + cycles
        while self._cycle < end:
            self._play(end - self._cycle)

    def _perform(self, steps: Steps[T]) -> T:
        """Do what software does.

        Raises
        ------
        FoundError
            It cannot go on.
        """
        answers: list[tuple[bool, int]] | None = None
        while True:
            try:
                step = next(steps) if answers is None else steps.send(answers)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]
            answers = []
            if isinstance(step, Ask):
                self._fabric.request(step.requests)
                limit = self._cycle + HANG
                while not self._play(LOOK):
                    if self._cycle > limit:
                        raise FoundError("the config port does not answer")
                answers = self._fabric.answers()
            else:
                self._wait(step.cycles)

    def _sit(self, life: Life) -> None:
        self._fabric.group(life.gid, life.seats, op=life.group.op)

    def _script(self, stimulus: Stimulus) -> None:
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder) / "script.txt"
            script.write_text(script_text([stimulus]))
            self._fabric.script(script)

    def _rate(self, rate: float) -> None:
        word, on = rate_word(rate), int(rate > 0)
        self._script(Stimulus(self._cycle, StimulusKind.RATE, data=word, extra=on))

    def _counters(self) -> Counter[str]:
        """Return what all counters say, by name."""
        total: Counter[str] = Counter()
        if not self._static:
            for names, word in zip(self._names, self._fabric.counted(), strict=True):
                for place, name in enumerate(names):
                    total[name] += word >> place * COUNTER_BITS & (1 << COUNTER_BITS) - 1
            return total
        for word in self._fabric.observed()[: len(self._targets)]:
            _, above = self._targets.split(word)
            for place, counter in enumerate(self._targets.counters):
                count = above >> place * COUNTER_BITS & (1 << COUNTER_BITS) - 1
                total[counter.name] += count
        return total

    def _under_way(self) -> int:
        rows = self._fabric.report()
        return sum(row["created"] - row["overflow"] - row["packets"] for row in rows)

    def _packets_wrong(self) -> str:
        """Return what is wrong with packets, if something is."""
        rows = self._fabric.report() if self._packets else []
        errors = sum(row["errors"] for row in rows)
        if errors:
            return f"packet sinks have counted {errors} errors"
        away = sum(row["created"] - row["overflow"] - row["packets"] for row in rows)
        return f"{away} packets have not come" if away else ""

    def _episodes(self) -> int:
        return sum(count.episodes for count in self._fabric.watch())
