"""A plan and a result in words and rows, for the command line and for notebooks."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING

from syncfabric.sim.results import Mismatch, NodeName, RunResult, Spread

if TYPE_CHECKING:
    from syncfabric.models.planning.plan import BarrierPlan

__all__ = [
    "Rows",
    "describe",
    "html_table",
    "plan_rows",
    "result_rows",
    "summary",
]

Rows = tuple[list[str], list[list[str]]]
"""Heads of the columns, of up to three lines, and the rows below them."""

NONE = "–"


def result_rows(result: RunResult) -> Rows:
    """Return a run's table, a row a group."""
    heads = ["group", "members", "tree\nheight", "longest\npath\n(hops)"]
    heads += [f"{what}\n(cycles)\nmin/med/max" for what in ("latency", "model")]
    heads += ["bound\n(cycles)", "paper's\nformula\n(ns)"]
    rows = [
        [
            str(group.id),
            f"{group.members:,}",
            _number(group.height),
            _number(group.longest_path),
            _spread(group.latency),
            _spread(group.model_latency),
            _bound(group.bound, group.bound_btm),
            _number(group.formula_ns),
        ]
        for group in result.groups
    ]
    return heads, rows


def plan_rows(plan: "BarrierPlan") -> Rows:
    """Return a plan's table, a row a group."""
    from syncfabric.models.timing.btm import formula_ns

    heads = ["group", "members", "planner", "root", "tree\nheight"]
    heads += ["longest\npath\n(hops)", "bound\n(cycles)", "paper's\nformula\n(ns)"]
    rows = [
        [
            str(group.id),
            f"{len(group.members):,}",
            group.planner,
            node_words(group.root),
            str(group.height),
            str(group.longest_path),
            _bound(group.bound, group.bound_btm),
            _number(formula_ns(group.tree)),
        ]
        for group in plan.groups
    ]
    return heads, rows


def summary(result: RunResult) -> Iterator[str]:
    """Yield what a run's table does not say: verdict, traffic, saturation, files."""
    seconds = f"{result.seconds.build:.1f} s to build, {result.seconds.run:.1f} s to run"
    verdict = {
        "match": "match: hardware and golden model agree in every cycle"
        if result.compared
        else "all checks passed; nothing was compared with the golden model",
        "mismatch": "MISMATCH: not all is as it must be",
        "hang": "HANG: barriers or packets do not come to an end",
    }[result.verdict]
    yield f"{verdict}; {result.cycles:,} cycles, {result.simulator}, {seconds}"
    traffic = result.traffic
    if traffic.offered:
        latency = ""
        if traffic.latency is not None:
            latency = f"; packet latency {_spread(traffic.latency)} cycles (min / median / max)"
        yield (
            f"traffic: offered {traffic.offered:g}, accepted {traffic.accepted:.3g} flits a node "
            f"a cycle{latency}; {traffic.packets:,} packets"
        )
    if traffic.saturated:
        full = ", ".join(
            f"{node_words(channel.node)} {channel.port} {channel.load:.2f}"
            for channel in traffic.full_channels
        )
        yield "saturated: less is accepted than offered, and latencies grow with the run's length"
        if full:
            yield f"full channels (flits a cycle): {full}"
    yield from (f"wrote {name}" for name in result.files)


def describe(mismatch: Mismatch) -> str:
    """Return one mismatch in words."""
    where = "" if mismatch.node is None else f", node {node_words(mismatch.node)}"
    return (
        f"cycle {mismatch.cycle}{where}, {mismatch.signal}: "
        f"hardware {_value(mismatch.hardware)}, model {_value(mismatch.model)}"
    )


def node_words(node: NodeName | Sequence[int]) -> str:
    """Return a node as users write it."""
    return str(node) if isinstance(node, int) else f"({', '.join(map(str, node))})"


def html_table(rows: Rows, lines: Sequence[str] = ()) -> str:
    """Return rows, and lines below them, as HTML for a notebook."""
    heads, body = rows
    head = "".join(f"<th>{escape(cell).replace(chr(10), '<br>')}</th>" for cell in heads)
    cells = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in body)
    table = "".join(f"<tr>{row}</tr>" for row in cells)
    below = "".join(f"<p>{escape(line)}</p>" for line in lines)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{table}</tbody></table>{below}"


def _number(value: float | None) -> str:
    return NONE if value is None else f"{value:,.10g}"


def _spread(spread: Spread | None) -> str:
    return NONE if spread is None else f"{spread.min} / {spread.median:g} / {spread.max}"


def _bound(bound: int | None, btm: int | None) -> str:
    """Return a bound, and that of planner btm where it is another."""
    if bound is None:
        return NONE
    return str(bound) if btm in (None, bound) else f"{bound} (btm {btm})"


def _value(value: int | str | None) -> str:
    if isinstance(value, int):
        return str(value) if value < 10 else f"{value} (0x{value:x})"
    return NONE if value is None else value
