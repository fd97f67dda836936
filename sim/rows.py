"""A plan and a result in words and rows, for the command line and for notebooks."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING

from syncfabric.models.layout.slots import WIRE_PLANNER
from syncfabric.models.networks.spec import STATIC_PLANNERS, StaticSpec
from syncfabric.models.planning.updown import MOST_ROUTED
from syncfabric.sim.results import (
    ChannelLoad,
    ChurnResult,
    Mismatch,
    NodeName,
    RunResult,
    Spread,
)
from syncfabric.sim.words import count, node_words

if TYPE_CHECKING:
    from syncfabric.models.planning.plan import BarrierPlan

__all__ = [
    "Rows",
    "describe",
    "html_table",
    "notes",
    "plan_rows",
    "result_rows",
    "spread_row",
    "summary",
]

Rows = tuple[list[str], list[list[str]]]
"""Heads of the columns, of up to three lines, and the rows below them."""

NONE = "–"
WAY_HEADS = ["way", "longest\npath\n(links)"]
"""Of a group on a static network; the longest path of a ring is all of it."""


def result_rows(result: RunResult) -> Rows:
    """Return a run's table, a row a group."""
    planners = {group.planner for group in result.groups}
    static = not planners.isdisjoint(STATIC_PLANNERS)
    wires, messages = WIRE_PLANNER in planners, planners - {WIRE_PLANNER}
    both = bool(wires and messages)
    heads = ["group", "members", *(["planner"] if both else [])]
    heads += WAY_HEADS if static else ["tree\nheight", "longest\npath\n(hops)"]
    heads += [f"{what}\n(cycles)\nmin/med/max" for what in ("latency", "model")]
    heads += ["bound\n(cycles)"]
    rows = []
    for group in result.groups:
        row = [str(group.id), f"{group.members:,}", *([group.planner or NONE] if both else [])]
        row += [
            (group.planner or NONE) if static else _number(group.height),
            _number(group.longest_path),
            spread_row(group.latency),
            spread_row(group.model_latency),
            _bound(group.bound, group.bound_btm),
        ]
        rows.append(row)
    return heads, rows


def plan_rows(plan: "BarrierPlan") -> Rows:
    """Return a plan's table, a row a group; beside wires with what each group travels on."""
    from syncfabric.models.planning.plan import GroupPlan

    network = plan.spec.network
    if isinstance(network, StaticSpec):
        return _static_rows(plan)
    irregular, wires = network.kind == "irregular", network.wires > 0
    heads = ["group", "members", "planner", *(["travels\nas"] if wires else [])]
    heads += ["root\nswitch", "root\nnode"] if irregular else ["root"]
    heads += ["tree\nheight", "longest\npath\n(hops)", "bound\n(cycles)"]
    rows = []
    for group in plan.groups:
        row = [str(group.id), f"{len(group.members):,}", group.planner]
        if wires:
            register = group.slot_register if isinstance(group, GroupPlan) else None
            first = network.shape.entry_registers
            row.append("messages" if register is None else f"slot {register - first}")
        if irregular:
            row.append(NONE if group.root_switch is None else str(group.root_switch))
        row += [NONE if group.root is None else node_words(group.root)]
        row += [str(group.height), str(group.longest_path), _bound(group.bound, group.bound_btm)]
        rows.append(row)
    return heads, rows


def _static_rows(plan: "BarrierPlan") -> Rows:
    """Return the rings and trees of a plan; the least bound where one is longer than need be."""
    groups = plan.static_groups
    longer = any(group.bound > group.bound_least for group in groups)
    heads = ["group", "members", *WAY_HEADS, "links", "root", "bound\n(cycles)"]
    heads += ["least\nbound\n(cycles)"] if longer else []
    rows = []
    for group in groups:
        row = [str(group.id), f"{len(group.members):,}", group.planner]
        row += [f"{group.longest_path:,}", f"{group.links:,}", node_words(group.root)]
        rows.append([*row, str(group.bound), *([str(group.bound_least)] if longer else [])])
    return heads, rows


def notes(plan: "BarrierPlan") -> tuple[str, ...]:
    """Return what a reader should know of a plan: its columns, its network, its slots."""
    network = plan.spec.network
    made: tuple[str, ...] = getattr(network, "notes", ())
    if (routers := getattr(network, "switches", 0)) > MOST_ROUTED:
        made = (
            *made,
            f"planned only: {routers:,} switches are too many to build, above {MOST_ROUTED:,}",
        )
    if plan.without:
        made = (*made, f"planned without {plan.without}", *_left_out(plan))
    return made


def _left_out(plan: "BarrierPlan") -> Iterator[str]:
    """Yield which members are left out."""
    ids = {group.id for group in plan.groups}
    for gid, members in plan.left_out.items():
        names = ", ".join(map(node_words, members))
        gone = "" if gid in ids else ", and with that all of it"
        yield f"group {gid}: {names} left out{gone}"


def summary(result: RunResult) -> Iterator[str]:
    """Yield what a run's table does not say: verdict, traffic, saturation, files."""
    seconds = f"{result.seconds.build:.1f} s to build, {result.seconds.run:.1f} s to run"
    nothing = "nothing" if result.simulator == "model" else "nothing but the set-up"
    verdict = {
        "match": "match: hardware and golden model agree in every cycle",
        "checked": f"checked: all rules hold; {nothing} was compared with the golden model",
        "mismatch": "MISMATCH: not all is as it must be",
        "hang": "HANG: barriers or packets do not come to an end",
    }[result.verdict]
    yield f"{verdict}; {result.cycles:,} cycles, {result.simulator}, {seconds}"
    traffic = result.traffic
    if traffic.offered:
        latency = ""
        if traffic.latency is not None:
            latency = f"; packet latency {spread_row(traffic.latency)} cycles (min / median / max)"
        yield (
            f"traffic: offered {traffic.offered:g}, accepted {traffic.accepted:.3g} flits a node "
            f"a cycle{latency}; {traffic.packets:,} packets"
        )
    if traffic.saturated:
        full = ", ".join(
            f"{_channel(channel)} {channel.load:.2f}" for channel in traffic.full_channels
        )
        yield "saturated: less is accepted than offered, and latencies grow with the run's length"
        if full:
            yield f"full channels (flits a cycle): {full}"
    if result.churn is not None:
        yield from _churn(result.churn)
    yield from (f"wrote {name}" for name in result.files)


def _churn(churn: ChurnResult) -> Iterator[str]:
    """Yield what became of lives, and what they cost the file's groups."""
    yield (
        f"churn: {count(churn.lives, 'life', 'lives')}, {churn.killed} killed, {churn.given_up} "
        f"given up; {count(churn.refused, 'set-up')} refused"
    )
    for name, cycles, packets in (
        ("set-up", churn.set_up_cycles, churn.set_up_packets),
        ("tear-down", churn.tear_down_cycles, churn.tear_down_packets),
    ):
        told = spread_row(cycles), spread_row(packets)
        yield f"{name}: {told[0]} cycles, {told[1]} packets (min / median / max)"
    for cost in churn.costs:
        yield (
            f"group {cost.id}: {spread_row(cost.churning)} cycles with lives, "
            f"{spread_row(cost.quiet)} before; bound {_number(cost.bound)}"
        )


def describe(mismatch: Mismatch) -> str:
    """Return one mismatch in words."""
    where = "" if mismatch.node is None else f", {_place(mismatch.node)}"
    return (
        f"cycle {mismatch.cycle}{where}, {mismatch.signal}: "
        f"hardware {_value(mismatch.hardware)}, model {_value(mismatch.model)}"
    )


def html_table(rows: Rows, lines: Sequence[str] = ()) -> str:
    """Return rows, and lines below them, as HTML for a notebook."""
    heads, body = rows
    head = "".join(f"<th>{escape(cell).replace(chr(10), '<br>')}</th>" for cell in heads)
    cells = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in body)
    table = "".join(f"<tr>{row}</tr>" for row in cells)
    below = "".join(f"<p>{escape(line)}</p>" for line in lines)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{table}</tbody></table>{below}"


def _place(node: NodeName) -> str:
    """Return a switch, or a node."""
    return f"switch {node}" if isinstance(node, int) else f"node {node_words(node)}"


def _channel(channel: ChannelLoad) -> str:
    """Return where a channel begins: a switch's port by its number, else a node's by its name."""
    if isinstance(channel.node, int):
        return f"switch {channel.node} port {channel.port}"
    return f"{node_words(channel.node)} {channel.port}"


def _number(value: float | None) -> str:
    return NONE if value is None else f"{value:,.10g}"


def spread_row(spread: Spread | None) -> str:
    """Return least, median and greatest."""
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
