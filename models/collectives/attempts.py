"""Attempts at schedules with a given number of steps: without search, or by a round of turns."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from math import inf
from typing import Any

from syncfabric.models.collectives.clock import Clock, TimeUpError
from syncfabric.models.collectives.methods import METHODS, load_method
from syncfabric.models.collectives.progress import Progress
from syncfabric.models.collectives.record import Record
from syncfabric.models.collectives.standing import Standing
from syncfabric.models.collectives.turns import Turn, turns
from syncfabric.models.errors import SpecError

__all__ = ["Attempts"]


_SHARE, _HASTE = 0.75, 2.0
"""Of the time limit: when first fit is cut off, and when what is then done in haste is."""
_BEGIN = 1.0
"""Seconds in which a method that has its turn may begin, so that it leaves a checkpoint."""


class Attempts:
    """What a search can do for a number of steps; what it finds goes into the record.

    Parameters
    ----------
    record : Record
    clock : Clock
    method : str
        One of ``METHODS``.
    seed : int
    told : callable, optional
        Is told now and then how far the search is.
    annealing : dict
        What only ``hgsa`` is told.
    """

    def __init__(
        self,
        record: Record,
        clock: Clock,
        method: str,
        seed: int,
        told: Callable[[Standing], None] | None,
        annealing: dict[str, Any],
    ) -> None:
        self.record, self.clock = record, clock
        self.method, self.seed = method, seed
        self.told, self.annealing = told, annealing
        self.refused: dict[str, SpecError] = {}

    @property
    def over(self) -> bool:
        """Whether nothing more can be done: no time is left, or no method that does the task."""
        return self.clock.over or not self.methods - self.refused.keys()

    @property
    def methods(self) -> set[str]:
        """Who may have a turn."""
        return set(METHODS[1:]) if self.method == "auto" else {self.method}

    def at_once(self, steps: int, most: float = inf) -> None:
        """Take a schedule that needs no search: one that is known, or first fit's.

        Parameters
        ----------
        steps : int
            Of a construction.
        most : float
            Steps that first fit may take.
        """
        from syncfabric.models.collectives.exact.constructions import construct
        from syncfabric.models.collectives.exact.first_fit import first_fit

        record, by = self.record, "first fit"
        with suppress(TimeUpError), self.clock.rules(_SHARE):
            record.take(construct(record.forward, steps, self.seed), "construction")
        if record.settled(steps):
            return
        try:
            with self.clock.rules(_SHARE):
                found = first_fit(record.forward, self.seed)
        except TimeUpError:
            # There is no schedule yet, so even Ctrl-C waits for this one; a second ends all.
            found, by = None, "first fit in haste"
            with suppress(TimeUpError), self.clock.rules(_HASTE, heeds=False):
                found = first_fit(record.forward, self.seed, hasty=True)
        if found is not None and len(found) <= most:
            record.take(found, by)

    def whole(self, steps: int) -> None:
        """Let the one method look for so many steps as long as there is time."""
        self.record.tried = steps
        self.use(Turn(self.method, inf, {}), steps, self.seed)

    def round(self, steps: int, number: int) -> None:
        """Let every method have its turn of a round.

        Raises
        ------
        SpecError
            None of them can do the task, and there is no schedule.
        """
        self.record.tried = steps
        for turn in turns(self.method, self.record.forward, number):
            if self.record.settled(steps) or self.over:
                return
            if turn.method in self.refused:
                continue
            try:
                self.use(turn, steps, self.seed + number)
            except SpecError as error:
                self.refused[turn.method] = error
        if not self.methods - self.refused.keys() and self.record.schedule is None:
            raise next(iter(self.refused.values()))

    def use(self, turn: Turn, steps: int, seed: int) -> None:
        """Let a method have a turn."""
        record, told = self.record, self.told
        before, done = record.evaluations, 0

        def tell(progress: Progress) -> None:
            nonlocal done
            done = progress.evaluations
            if told is not None:
                told(
                    Standing(
                        turn.method,
                        steps,
                        record.steps,
                        record.bound.value,
                        progress.conflicts,
                        before + done,
                        self.clock.passed,
                    )
                )

        tell(Progress(record.task.collective.demand, 0, 0))
        more = turn.more | (self.annealing if turn.method == "hgsa" else {})
        with suppress(TimeUpError), self.clock.rules(least=_BEGIN):
            found = load_method(turn.method)(
                record.forward,
                steps,
                seed=seed,
                time_limit=max(0.01, self.clock.left),
                told=tell,
                stop=lambda: done >= turn.most or self.clock.asked,
                **more,
            )
            record.note(found, steps, turn.method)
