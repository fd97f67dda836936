"""Tables of barrier schemes: what each costs, and its latency over a range of a time."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from syncfabric.sim.rows import Rows
from syncfabric.sim.schemes import APART, number_words
from syncfabric.sim.tables import Titled
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
WORDS = ("scheme", "what it does", "time from")


def scheme_tables(compared: "Compared") -> Iterator[Titled]:
    """Yield a table for each group, and one for each of its sweep."""
    network = f"{compared.spec.name}: {network_words(compared.spec.network)}"
    for costs in compared.groups:
        members = count(len(costs.group.members), "member")
        title = f"{network}; group {costs.group.id}, {members}"
        yield Titled(title, _costs(costs), "\n".join(_notes(costs.rows)), WORDS)
        if (span := compared.span) is not None:
            rows = [
                [f"{x:,.10g}", *map(number_words, swept)]
                for x, *swept in zip(span.values, *costs.swept.values(), strict=True)
            ]
            yield Titled(
                f"{title}: latency in ns over {span.name}", ([span.name, *costs.swept], rows)
            )


def _costs(costs: "GroupCosts") -> Rows:
    rows = []
    for row in costs.rows:
        values = row.to_json()
        cells = ["–" if row.cost is None else number_words(values[name]) for name in COLUMNS]
        rows.append([row.scheme.name, row.scheme.title, *cells, row.times.ORIGIN])
    return [*WORDS[:2], *COLUMNS.values(), WORDS[2]], rows


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
