"""A schedule with a given number of steps by CP-SAT, or the proof that there is none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from syncfabric.models.collectives.clock import Clock, Found, Progress, Stop, Told
from syncfabric.models.collectives.encoding import TooLargeError, encode
from syncfabric.models.collectives.exact.model import Model, run
from syncfabric.models.collectives.exact.tori import scatter_on_torus
from syncfabric.models.collectives.symmetry import Symmetry, translations
from syncfabric.models.collectives.task import Task
from syncfabric.models.errors import SpecError

__all__ = ["solve"]

MOST = 400_000
"""Truth values of a model that is still built."""
_GROUPS = 4
"""Symmetries that are tried."""
_EFFORT = 10.0
"""Of the solver, on each but the last attempt, in its own seconds."""
_SOME, _ALL = 64, 1000
"""Paths of a pair of nodes, with and without a symmetry."""


def solve(
    task: Task,
    steps: int,
    *,
    seed: int = 1,
    time_limit: float = 60,
    told: Told | None = None,
    stop: Stop | None = None,
    symmetric: bool = True,
    effort: float | None = None,
    most: int | None = None,
) -> Found:
    """Find a schedule, or prove that there is none.

    Schedules that look alike everywhere are tried first, where the topology allows it, then all.
    There is none if the solver says so of all, and no path that the task allows was left out.

    Parameters
    ----------
    task, steps, seed, time_limit, told, stop
        As of a ``Method``.
    symmetric : bool
        Whether to try what looks alike; for a proof it is no use.
    effort : float, optional
        The most on the last attempt, in the solver's own seconds, the same on every machine.
    most : int, optional
        Truth values of a model that is still tried; larger ones are left out.

    Raises
    ------
    SpecError
        The task is too large, whatever ``most`` is.
    """
    clock = Clock(time_limit, stop)
    conflicts, branches, built = task.collective.demand, 0, False

    def remaining() -> float:
        return 0.0 if clock.asked else clock.left

    if symmetric:
        packed = scatter_on_torus(task, seed, remaining)
        if packed is not None and len(packed) <= steps:
            return Found(packed, 0, 0, clock.passed)
    room = MOST if most is None else min(most, MOST)
    for symmetry, whole, most_effort in _attempts(task, symmetric, effort):
        if remaining() <= 0:
            built = True
            break
        images = 1 if symmetry is None else symmetry.size
        try:
            if task.collective.demand // images * steps > room:
                raise TooLargeError
            encoding = encode(
                task,
                steps,
                paths=_ALL if symmetry is None else _SOME,
                symmetry=symmetry,
                whole=whole,
                most=room // steps,
            )
        except TooLargeError:
            built |= most is not None and most < MOST
            continue
        except SpecError:
            if symmetry is None:
                raise
            continue
        built, before = True, clock.passed

        def tell(progress: Progress, before: float = before) -> None:
            if told is not None:
                told(replace(progress, seconds=before + progress.seconds))

        answer = run(
            Model(encoding),
            seed=seed,
            time_limit=time_limit - before,
            effort=most_effort,
            told=tell,
            stop=stop,
        )
        branches += answer.branches
        if answer.steps is not None:
            return Found(answer.steps, 0, branches, clock.passed)
        if answer.infeasible and symmetry is None and whole and encoding.table.whole:
            return Found(None, conflicts, branches, clock.passed, infeasible=True)
    if not built:
        raise SpecError(
            f"exact: {task.collective.kind} on {task.topology.name} in {steps} steps is too large; "
            "hgsa can take it"
        )
    return Found(None, conflicts, branches, clock.passed)


def _attempts(
    task: Task, symmetric: bool, effort: float | None
) -> Iterator[tuple[Symmetry | None, bool, float | None]]:
    """Yield a symmetry, whether all that the task allows is tried, and the effort."""
    # All-to-all broadcasts are as short hop by hop: nodes cannot hear more, whatever the path.
    broadcasts = task.collective.broadcast and len(task.collective.senders) > 1
    groups = translations(task.topology) if symmetric else ()
    fitting = [group for group in groups if group.keeps(task.collective)]
    for group in fitting[:_GROUPS]:
        yield (group, False, min(_EFFORT, effort or _EFFORT))
    if broadcasts and not task.rules.stores:
        yield (None, False, min(_EFFORT, effort or _EFFORT))
    yield (None, True, effort)
