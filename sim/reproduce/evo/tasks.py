"""Tasks, and what a search found for them, as JSON holds them."""

from __future__ import annotations

from typing import Any

from syncfabric.models.collectives.certificate import Bound
from syncfabric.models.collectives.record import Result
from syncfabric.models.collectives.schedule import Schedule
from syncfabric.models.collectives.schedule_file import read
from syncfabric.models.collectives.task import Task

__all__ = ["result_from", "result_json", "task_from", "task_json"]


def task_json(task: Task) -> dict[str, Any]:
    """Return a task as a schedule without steps, and by how much paths may be longer."""
    empty = Schedule(task.topology, task.collective, task.rules, ())
    return {"schedule": empty.to_json(), "extra": task.extra}


def task_from(values: dict[str, Any]) -> Task:
    """Return the task that ``task_json`` gave."""
    empty = read(values["schedule"])
    return Task(empty.topology, empty.collective, empty.rules, values["extra"])


def result_json(result: Result) -> dict[str, Any]:
    """Return what a search found."""
    schedule, certificate = result.schedule, result.certificate
    return {
        **vars(result),
        "schedule": None if schedule is None else schedule.to_json(),
        "bounds": [bound.to_json() for bound in result.bounds],
        "certificate": None if certificate is None else certificate.to_json(),
    }


def result_from(values: dict[str, Any]) -> Result:
    """Return what ``result_json`` gave."""
    schedule, certificate = values["schedule"], values["certificate"]
    made = {
        "schedule": None if schedule is None else read(schedule),
        "bounds": tuple(map(Bound.from_json, values["bounds"])),
        "certificate": None if certificate is None else Bound.from_json(certificate),
        "cut_off": tuple(values["cut_off"]),
    }
    return Result(**{**values, **made})
