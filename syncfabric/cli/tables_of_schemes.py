"""Tables of barrier schemes: what each costs, and its latency over a range of a time."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.table import Table

from syncfabric.cli.tables import Titled
from syncfabric.sim.schemes import APART, number_words
from syncfabric.sim.words import count, network_words

if TYPE_CHECKING:
    from syncfabric.models.schemes.comparison import Row
    from syncfabric.sim.schemes import Compared, GroupCosts

__all__ = ["scheme_tables"]

COLUMNS = {
    "setup_messages": "set-up\nmessages",
    "setup_nodes": "nodes\ntouched",
    "height": "height",
    "latency_ns": "latency\n(ns)",
    "start_up_ns": "of it\nstart-up",
    "traversals": "link\ntraversals",
}
"""Values of a row, and their heads."""


def scheme_tables(compared: "Compared") -> Iterator[Titled]:
    """Yield a table for each group, and one for each of its sweep."""
    network = f"{compared.spec.name}: {network_words(compared.spec.network)}"
    for costs in compared.groups:
        members = count(len(costs.group.members), "member")
        title = f"{network}; group {costs.group.id}, {members}"
        yield Titled(title, _costs(costs), "\n".join(_notes(costs.rows)))
        if compared.span is not None:
            name = compared.span.name
            yield Titled(
                f"{title}: latency in ns over {name}", _sweep(costs, compared.span.values, name)
            )


def _costs(costs: "GroupCosts") -> Table:
    table = _empty(("scheme", "what it does"), tuple(COLUMNS.values()))
    table.add_column("time from", no_wrap=True, vertical="bottom")
    for row in costs.rows:
        values = row.to_json()
        cells = ["–" if row.cost is None else number_words(values[name]) for name in COLUMNS]
        table.add_row(row.scheme.name, row.scheme.title, *cells, row.times.ORIGIN)
    return table


def _sweep(costs: "GroupCosts", values: tuple[float, ...], name: str) -> Table:
    table = _empty((), (name, *costs.swept))
    for place, value in enumerate(values):
        latencies = (number_words(swept[place]) for swept in costs.swept.values())
        table.add_row(f"{value:,.10g}", *latencies)
    return table


def _notes(rows: "list[Row]") -> Iterator[str]:
    """Yield where latencies come from, the times put in, and why a scheme cannot serve the group.

    Schemes with the same times share a line.
    """
    same: dict[str, list[str]] = {}
    for row in rows:
        times = ", ".join(
            f"{name} {number_words(value)}" for name, value in asdict(row.times).items()
        )
        if row.cost is not None:
            same.setdefault(times, []).append(row.scheme.name)
    for times, names in same.items():
        yield f"{', '.join(names)}: {times} (ns)"
    if len({row.times.SOFTWARE for row in rows}) > 1:
        yield APART
    for row in rows:
        if row.cost is None:
            yield f"{row.scheme.name} cannot serve it: {row.reason}"


def _empty(words: tuple[str, ...], numbers: tuple[str, ...]) -> Table:
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True)
    for head in words:
        table.add_column(head, no_wrap=True, vertical="bottom")
    for head in numbers:
        table.add_column(head, justify="right", no_wrap=True, vertical="bottom")
    return table
