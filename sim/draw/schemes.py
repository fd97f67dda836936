"""Barrier schemes side by side: their latencies as bars, or as curves over a range of a time.

Latencies with start-ups in software and those without are on axes of their own.
"""

from typing import TYPE_CHECKING, NamedTuple

from syncfabric.sim.draw.page import INK, PAPER, TOP, Page, settings
from syncfabric.sim.draw.style import INKS, curves, key, looks, scale
from syncfabric.sim.schemes import APART, Row, number_words
from syncfabric.sim.words import count, network_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from syncfabric.sim.schemes import Compared, GroupCosts, Range

WIDTH, LEFT, RIGHT = 7.6, 1.3, 1.6
"""Of the page, and beside its axes, in inches; the key is at the right."""
BAR, CURVES, GAP = 0.3, 2.6, 0.95
"""Height of a bar, of curves, and of what is between two panels."""
WIDE = 50
"""From this ratio of the slowest to the fastest on, there are points on a logarithmic scale."""
WORDS = {
    True: "by formulas with start-ups of messages in software (t_s)",
    False: "by LogGP: a message takes o in place of a start-up",
}


class Panel(NamedTuple):
    """The schemes of one group whose latencies can be compared."""

    costs: "GroupCosts"
    software: bool
    rows: list[Row]


def schemes_figure(compared: "Compared") -> "Figure":
    """Draw the latency of each scheme for each group: bars, or curves where a time was swept."""
    panels = [
        Panel(costs, software, rows)
        for costs in compared.groups
        for software in WORDS
        if (rows := [r for r in costs.rows if r.cost and r.times.SOFTWARE is software])
    ]
    tall = [CURVES if compared.span else len(panel.rows) * BAR + 0.2 for panel in panels]
    apart = APART if len({panel.software for panel in panels}) > 1 else ""
    with settings():
        height = TOP + sum(tall) + GAP * len(tall)
        page = Page(WIDTH, height, caption=f"Nothing is simulated. {apart}")
        title = f"{compared.spec.name}: latency of a barrier by scheme"
        page.heading(title, network_words(compared.spec.network), WIDTH / 2, 0.3)
        top = TOP
        for panel, height in zip(panels, tall, strict=True):
            axes = page.plot(LEFT, top + 0.25, WIDTH - LEFT - RIGHT, height)
            members = count(len(panel.costs.group.members), "member")
            words = f"group {panel.costs.group.id}, {members}: {WORDS[panel.software]}"
            axes.set_title(words, size=9, loc="left")
            if compared.span is None:
                _bars(axes, panel.rows)
            else:
                _curves(axes, panel, compared.span)
            top += height + GAP
        return page.figure


def _bars(axes: "Axes", rows: list[Row]) -> None:
    """Draw bars from zero, their start-ups hatched, or points where latencies differ much."""
    names = [row.scheme.name for row in rows]
    latencies = [row.cost.latency_ns for row in rows if row.cost is not None]
    most, least = max(latencies), min(value for value in (*latencies, 1e9) if value > 0)
    wide = most > WIDE * least
    if wide:
        axes.plot(latencies, names, "o", ms=6, color=INKS[0])
    else:
        axes.barh(names, latencies, color=INKS[0], height=0.6)
        started = [row.start_up_ns for row in rows]
        if any(started):
            bars = axes.barh(names, started, height=0.6, color=PAPER, label="of it start-up")
            for bar in bars:
                bar.set(edgecolor=INK, hatch="////", lw=0.6)
            axes.legend(loc="upper left", bbox_to_anchor=(1.02, 1.0), frameon=False, fontsize=8)
    for place, value in enumerate(latencies):
        end, away = (value, place), (6, 0)
        words = number_words(value)
        axes.annotate(words, end, away, textcoords="offset points", va="center", size=8)
    scale(axes, "x", "latency, ns", 10 if wide else None)
    low, high = axes.get_xlim()
    axes.set_xlim(low, high * (most / least) ** 0.15 if wide else high * 1.12)
    axes.set_ylim(len(rows) - 0.4, -0.6)


def _curves(axes: "Axes", panel: Panel, span: "Range") -> None:
    swept = panel.costs.swept
    names = [row.scheme.name for row in panel.rows]
    curves(axes, {n: list(zip(span.values, swept[n], strict=True)) for n in names}, looks(names))
    every = [value for name in names for value in swept[name] if value > 0]
    wide = bool(every) and max(every) > WIDE * min(every)
    scale(axes, "x", f"{span.name}, ns")
    scale(axes, "y", "latency, ns", 10 if wide else None)
    key(axes)
