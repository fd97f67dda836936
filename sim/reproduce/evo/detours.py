"""Messages of a scatter that take longer paths than they need, and as few of them as can be."""

from __future__ import annotations

from dataclasses import replace

from syncfabric.models.collectives.checker import check
from syncfabric.models.collectives.exact.model import Model
from syncfabric.models.collectives.exact.quotient import Quotient
from syncfabric.models.collectives.exact.solver import run
from syncfabric.models.collectives.exact.ways import Ways
from syncfabric.models.collectives.schedule import Schedule
from syncfabric.models.collectives.task import Task
from syncfabric.sim.reproduce.experiment import Work

__all__ = ["detours", "straightened"]

PATHS = 1000
"""Of a message, at most."""


def detours(schedule: Schedule) -> int:
    """Return how many messages of a scatter take a path that is not a shortest one."""
    return sum(_longer(schedule, transfer.path) for step in schedule.steps for transfer in step)


def straightened(work: Work, task: Task, schedule: Schedule) -> Schedule:
    """Return a schedule with as many steps, and as few longer paths as are found in time."""
    quotient = Quotient(task, None)
    model = Model(quotient, Ways(quotient, PATHS), len(schedule.steps))
    model.sat.minimize(sum(sent for sent, _, _, way in model.sent if _longer(schedule, way.path)))
    answer = run(model, seed=work.seed, time_limit=work.time_limit, stop=work.stop)
    work.check()
    if answer.steps is None:
        return schedule
    found = replace(schedule, steps=answer.steps)
    if not check(found).right:
        raise AssertionError("straightened: a schedule that is wrong")
    return found


def _longer(schedule: Schedule, path: tuple[int, ...]) -> bool:
    return len(path) - 1 > schedule.topology.to_go(path[-1])[path[0]]
