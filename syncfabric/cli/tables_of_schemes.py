"""Tables of barrier schemes: what each costs, and its latency over a range of a time."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.table import Table

from syncfabric.cli.tables import Titled
from syncfabric.sim.schemes import number_words
from syncfabric.sim.words import count, network_words

if TYPE_CHECKING:
    from syncfabric.models.schemes.comparison import Row
    from syncfabric.sim.schemes import Compared, GroupCosts

__all__ = ["scheme_tables"]


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
    heads = ("set-up\nmessages", "nodes\ntouched", "height", "latency\n(ns)", "link\ntraversals")
    table = _empty(("scheme", "what it does"), heads)
    for row in costs.rows:
        if row.cost is None:
            cells = ["–"] * len(heads)
        else:
            cells = [number_words(value) for value in asdict(row.cost).values()]
        table.add_row(row.scheme.name, row.scheme.title, *cells)
    return table


def _sweep(costs: "GroupCosts", values: tuple[float, ...], name: str) -> Table:
    table = _empty((), (name, *costs.swept))
    for place, value in enumerate(values):
        latencies = (number_words(swept[place]) for swept in costs.swept.values())
        table.add_row(f"{value:,.10g}", *latencies)
    return table


def _notes(rows: "list[Row]") -> Iterator[str]:
    """Yield the times of the schemes that have the same, and why others cannot serve the group."""
    same: dict[str, list[str]] = {}
    for row in rows:
        times = ", ".join(
            f"{name} {number_words(value)}" for name, value in asdict(row.times).items()
        )
        if row.cost is not None:
            same.setdefault(times, []).append(row.scheme.name)
    for times, names in same.items():
        yield f"{', '.join(names)}: {times} (ns)"
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
