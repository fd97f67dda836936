"""CP-SAT on a model, in a thread of its own so that it can be stopped."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from threading import Thread
from typing import Any

from ortools.sat.python import cp_model

from syncfabric.models.collectives.exact.model import Model
from syncfabric.models.collectives.progress import Progress, Stop, Told
from syncfabric.models.collectives.schedule import Step

__all__ = ["NAME", "Answer", "run", "solved"]

NAME = f"CP-SAT {version('ortools')}"

_EACH = 0.05
"""Seconds between looks at whether to stop."""
_TELL = 0.5
"""Seconds between two times that progress is told."""


@dataclass(frozen=True)
class Answer:
    """What the solver found."""

    steps: tuple[Step, ...] | None
    infeasible: bool
    branches: int


def run(
    model: Model,
    *,
    seed: int,
    time_limit: float,
    effort: float | None = None,
    told: Told | None = None,
    stop: Stop | None = None,
) -> Answer:
    """Look for a schedule.

    Parameters
    ----------
    model : Model
    seed : int
    time_limit : float
        Seconds.
    effort : float, optional
        The solver's own seconds, the same on every machine.
    told, stop : callable, optional
    """
    solver = _solver(seed, time_limit, effort)
    begun = spoken = time.monotonic()

    def look() -> None:
        nonlocal spoken
        now = time.monotonic()
        if stop is not None and stop():
            solver.stop_search()
        if told is not None and now - spoken > _TELL:
            spoken = now
            told(Progress(model.task.collective.demand, 0, now - begun))

    status = _status(solver, model.sat, look)
    found = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    steps = model.read(solver.boolean_value) if found else None
    return Answer(steps, status == cp_model.INFEASIBLE, solver.num_branches)


def solved(
    sat: Any, seed: int, left: Callable[[], float], effort: float
) -> Callable[[Any], bool] | None:
    """Solve a problem whose variables the caller knows.

    Parameters
    ----------
    sat : CpModel
    seed : int
    left : callable
        Seconds that are left; none if the search is to stop.
    effort : float
        The solver's own seconds.

    Returns
    -------
    callable or None
        Says of each truth value whether it holds; None without a solution.
    """
    solver = _solver(seed, left(), effort)
    status = _status(solver, sat, lambda: None if left() > 0 else solver.stop_search())
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None
    value: Callable[[Any], bool] = solver.boolean_value
    return value


def _solver(seed: int, time_limit: float, effort: float | None) -> Any:
    solver = cp_model.CpSolver()
    parameters = solver.parameters
    parameters.random_seed = seed
    parameters.max_time_in_seconds = max(0.01, time_limit)
    parameters.num_workers = 8
    # By turns, on the threads that there are: the same seed gives the same answer.
    parameters.interleave_search = True
    parameters.catch_sigint_signal = False
    if effort is not None:
        parameters.max_deterministic_time = effort
    return solver


def _status(solver: Any, sat: Any, look: Callable[[], None]) -> Any:
    """Return how the solver ended, having looked around now and then while it worked."""
    status: list[Any] = []
    thread = Thread(target=lambda: status.append(solver.solve(sat)), daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(_EACH)
        look()
    return status[0]
