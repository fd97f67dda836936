"""Schedules that need no search, where one is known."""

from __future__ import annotations

from syncfabric.models.collectives.exact.cubes import scatter_on_cube
from syncfabric.models.collectives.exact.quotient import Quotient
from syncfabric.models.collectives.exact.symmetry import translations
from syncfabric.models.collectives.exact.trees import broadcast_by_trees
from syncfabric.models.collectives.schedule import Step
from syncfabric.models.collectives.task import Task

__all__ = ["construct"]


def construct(task: Task, steps: int, seed: int = 1) -> tuple[Step, ...] | None:
    """Return a schedule with at most so many steps, or None if none is known.

    Parameters
    ----------
    task : Task
        Not one that is to be turned round.
    steps : int
    seed : int
    """
    if task.collective.broadcast:
        symmetry = next(iter(translations(task.topology)), None)
        if symmetry is None or not symmetry.keeps(task.collective):
            return None
        return broadcast_by_trees(Quotient(task, symmetry), steps, seed)
    found = scatter_on_cube(task)
    return found if found is not None and len(found) <= steps else None
