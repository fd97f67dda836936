"""Tables on a terminal."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.table import Table

from syncfabric.sim.report import Rows, node_words, plan_rows, result_rows

if TYPE_CHECKING:
    from rich.console import Console

    from syncfabric.models.planning.plan import BarrierPlan, GroupPlan
    from syncfabric.sim.results import RunResult

__all__ = ["plan_table", "print_table", "register_tables", "result_table"]

SHOWN = 16
"""Registers of a group that are printed unasked."""


def result_table(result: "RunResult") -> Table:
    """Return a run's table; latencies are least, median and greatest."""
    return _table(f"{result.network} under {result.simulator}", result_rows(result))


def plan_table(plan: "BarrierPlan") -> Table:
    """Return a plan's table."""
    return _table(f"{plan.spec.name}: {plan.spec.network.mesh}", plan_rows(plan))


def register_tables(plan: "BarrierPlan", *, whole: bool) -> Iterator[Table]:
    """Yield a table of the register images of each group.

    Parameters
    ----------
    plan : BarrierPlan
    whole : bool
        Every member's, however many; else the first few.
    """
    for group in plan.groups:
        yield _registers(group, len(group.members) if whole else SHOWN)


def print_table(screen: "Console", table: Table) -> None:
    """Print a table and an empty line; on a narrow terminal whole all the same."""
    whole = screen.measure(table, options=screen.options.update(width=10_000)).maximum
    screen.width = max(screen.width, whole)
    screen.print(table)
    screen.print()


def _registers(group: "GroupPlan", most: int) -> Table:
    heads = ["node", "register", "parent", "turn", "+X child", "+Y child", "-X child", "-Y child"]
    rows = []
    for node in group.members[:most]:
        image, place = group.register(node), group.places[node]
        children = ["" if child is None else node_words(child) for child in image.children]
        turn = "" if image.parent is None else image.turn.name.lower().replace("_", " ")
        parent = "root" if image.parent is None else node_words(image.parent)
        rows.append([node_words(node), "memory" if place is None else str(place), parent, turn])
        rows[-1] += children
    table = _table(f"registers of group {group.id} ({group.op})", (heads, rows))
    if (rest := len(group.members) - most) > 0:
        table.caption = f"and {rest:,} more: --registers prints all"
    return table


def _table(title: str, content: Rows) -> Table:
    heads, rows = content
    table = Table(
        title=title,
        title_style="bold",
        title_justify="left",
        caption_justify="left",
        box=SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        collapse_padding=True,
    )
    for head in heads:
        table.add_column(head, justify="right", vertical="bottom", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    return table
