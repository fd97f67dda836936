"""What the commands about schedules have in common: options of times, nodes, results in words."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from syncfabric.models.errors import SpecError

if TYPE_CHECKING:
    from syncfabric.models.collectives.certificate import Bound
    from syncfabric.models.collectives.schedule import Schedule, Task
    from syncfabric.models.collectives.verdict import Costs

__all__ = [
    "Bytes",
    "StartUp",
    "TimeOfByte",
    "node_list",
    "print_bounds",
    "print_times",
    "task_words",
]

MOST = 1e12
"""Of a time in ns, and of bytes: what is reckoned with them stays a number."""

MOST_NODES = 100_000
"""Nodes in a list; a number mistyped must not fill the memory."""

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


def node_list(text: str | None, option: str) -> list[int] | None:
    """Return the nodes that a text names, with ranges written out; None for none.

    Raises
    ------
    SpecError
        It is no such list.
    """
    if text is None:
        return None
    found: list[int] = []
    for word in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,9})(?:\s*-\s*(\d{1,9}))?\s*", word)
        if match is None:
            raise SpecError(
                f'{option}: "{word.strip()}" is no node; give numbers and ranges, as 0,3,8-11'
            )
        first, last = int(match[1]), int(match[2] or match[1])
        if not first <= last < first + MOST_NODES:
            raise SpecError(f"{option}: range {first}-{last} is empty or too long")
        found += range(first, last + 1)
    return found
