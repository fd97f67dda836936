"""The shortest schedule that ``auto`` finds, and what is known of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from syncfabric.models.collectives.search import search
from syncfabric.models.collectives.task import Task
from syncfabric.sim.reproduce.claim import Value
from syncfabric.sim.reproduce.experiment import Work

if TYPE_CHECKING:
    from syncfabric.models.collectives.record import Result
    from syncfabric.models.collectives.standing import Standing

__all__ = ["TIMES", "shortest", "steps_of", "why"]

TIMES = 5
"""``auto`` may take so many times as long as a run: it has several methods, and is asked once."""


def shortest(work: Work, task: Task, what: str) -> Result:
    """Search by all methods, ``TIMES`` time limits long at most.

    Raises
    ------
    KeyboardInterrupt
        The user has asked to stop.
    """

    def tell(standing: Standing) -> None:
        best = "" if standing.best is None else f", best so far {standing.best}"
        work.told(f"{what}: auto tries {standing.steps} steps by {standing.method}{best}")

    work.tell(f"{what}: auto")
    limit = TIMES * work.time_limit
    found = search(task, seed=work.seed, time_limit=limit, told=tell, stop=work.stop)
    work.check()
    return found


def steps_of(found: Result) -> Value:
    """Return the steps of the schedule, if there is one."""
    return None if found.schedule is None else found.steps


def why(found: Result) -> str:
    """Say by what the schedule is optimal, or that nothing proves it."""
    if found.certificate is not None:
        return f"optimal: {found.certificate.argument.words()}"
    return (
        f"not proved optimal in {found.seconds:.0f} s: at least {found.bounds[0].value} are needed"
    )
