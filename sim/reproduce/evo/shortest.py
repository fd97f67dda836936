"""The shortest schedule that ``auto`` finds, and what is known of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from syncfabric.models.collectives.progress import Stop
from syncfabric.models.collectives.search import search
from syncfabric.models.collectives.task import Task
from syncfabric.sim.reproduce.claim import Value
from syncfabric.sim.reproduce.evo.islands import islands
from syncfabric.sim.reproduce.evo.runs import TIMES
from syncfabric.sim.reproduce.evo.tasks import result_from, result_json, task_from, task_json
from syncfabric.sim.reproduce.experiment import Work

if TYPE_CHECKING:
    from syncfabric.models.collectives.record import Result
    from syncfabric.models.collectives.standing import Standing

__all__ = ["auto", "shortest", "steps_of", "why"]


def shortest(work: Work, task: Task, what: str) -> Result:
    """Search by all methods, ``TIMES`` time limits long at most.

    Raises
    ------
    KeyboardInterrupt
        The user has asked to stop.
    """
    work.tell(f"{what}: auto")
    job = (task_json(task), work.seed, TIMES * work.time_limit, islands())
    return result_from(work.alone(auto, job, what))


def auto(
    values: dict[str, Any],
    seed: int,
    time_limit: float,
    islands: int,
    told: Callable[[str], None],
    stop: Stop,
) -> dict[str, Any]:
    """Search by all methods.

    Parameters
    ----------
    values : dict
        Of the task.
    seed : int
    time_limit : float
        Seconds.
    islands : int
        Of HGSA.
    told : callable
        Is told how far it is.
    stop : callable
        Turns true when it is to end.
    """

    def tell(standing: Standing) -> None:
        best = "" if standing.best is None else f", best so far {standing.best}"
        told(f"auto tries {standing.steps} steps by {standing.method}{best}")

    options: dict[str, Any] = {"seed": seed, "time_limit": time_limit, "islands": islands}
    return result_json(search(task_from(values), told=tell, stop=stop, **options))


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
