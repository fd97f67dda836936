"""What the commands about schedules print alike."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from syncfabric.models.collectives.certificate import Bound
    from syncfabric.models.collectives.schedule import Schedule
    from syncfabric.models.collectives.task import Task
    from syncfabric.models.collectives.verdict import Costs


def task_words(task: "Task | Schedule") -> str:
    """Return what is scheduled where, and by which rules."""
    from syncfabric.models.collectives.collective import kind_words
    from syncfabric.sim.words import rules_words

    kind = kind_words(task.collective.kind)
    return f"{kind} on {task.topology.name}, {rules_words(task.rules)}"


def print_first(head: str, lines: Sequence[str], count: int, more: str = "more") -> None:
    """Print lines behind a head, and how many of ``count`` are left out."""
    for line in lines:
        typer.echo(f"{head:10} {line}")
    if (rest := count - len(lines)) > 0:
        typer.echo(f"{'':10} and {rest:,} {more}")


def print_times(schedule: "Schedule", costs: "Costs") -> None:
    """Print how long a schedule takes."""
    once = schedule.time_pipelined(costs.ts, costs.t1, costs.length)
    each = schedule.time(costs.ts, costs.t1, costs.length)
    typer.echo(
        f"time       {once:,.0f} ns by eq. (3), {each:,.0f} ns if each step pays for its message "
        f"(ts {costs.ts:g} ns, t1 {costs.t1:g} ns a byte, {costs.length:g} bytes)"
    )


def print_bounds(bounds: Sequence["Bound"]) -> None:
    """Print lower bounds, one a line."""
    for place, bound in enumerate(bounds):
        head = "bounds" if place == 0 else ""
        typer.echo(f"{head:10} {bound.value}: {bound.argument.words()}")
