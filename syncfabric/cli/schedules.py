"""What the commands about schedules have in common: options of times, and how to say things."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from syncfabric.models.collectives.certificate import Bound
    from syncfabric.models.collectives.schedule import Schedule, Task
    from syncfabric.models.collectives.verdict import Costs

__all__ = ["Bytes", "StartUp", "TimeOfByte", "print_bounds", "print_times", "task_words"]

MOST = 1e12
"""Of a time in ns, and of bytes: what is reckoned with them stays a number."""

StartUp = Annotated[float, typer.Option("--ts", min=0, max=MOST, help="Start-up of a step, in ns.")]
TimeOfByte = Annotated[
    float, typer.Option("--t1", min=0, max=MOST, help="Time of a byte on a channel, in ns.")
]
Bytes = Annotated[float, typer.Option("--bytes", min=0, max=MOST, help="Bytes of a message.")]


def task_words(task: "Task | Schedule") -> str:
    """Return what is scheduled where, and by which rules."""
    from syncfabric.models.collectives.collective import kind_words

    rules = task.rules
    ports = "all ports" if rules.ports == "all" else f"ports {rules.ports}"
    return (
        f"{kind_words(task.collective.kind)} on {task.topology.name}, {ports}, {rules.one_port}, "
        f"{rules.switching}"
    )


def print_times(schedule: "Schedule", costs: "Costs") -> None:
    """Print how long a schedule takes."""
    once = schedule.time_pipelined(costs.ts, costs.t1, costs.length)
    each = schedule.time(costs.ts, costs.t1, costs.length)
    typer.echo(
        f"time       {once:,.0f} ns by eq. (3), {each:,.0f} ns if each step pays for its message "
        f"(ts {costs.ts:g} ns, t1 {costs.t1:g} ns a byte, {costs.length:g} bytes)"
    )


def print_bounds(bounds: Iterable["Bound"]) -> None:
    """Print lower bounds, one a line."""
    for place, bound in enumerate(bounds):
        head = "bounds" if place == 0 else ""
        typer.echo(f"{head:10} {bound.value}: {bound.argument.words()}")
