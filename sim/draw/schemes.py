"""Barrier schemes side by side: their latencies as bars, or as curves over a range of a time."""

from typing import TYPE_CHECKING

from syncfabric.sim.draw.canvas import GREY, PALE, settings
from syncfabric.sim.draw.page import TOP, Page
from syncfabric.sim.schemes import number_words
from syncfabric.sim.words import count, network_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from syncfabric.sim.schemes import Compared, GroupCosts

__all__ = ["schemes_figure"]

WIDTH, LEFT, RIGHT = 7.6, 1.3, 1.6
"""Of the page, and beside its axes, in inches; the key is at the right."""
BAR, CURVES, GAP = 0.3, 3.2, 0.95
"""Height of a bar, of curves, and of what is between two groups."""
MANY = 50
"""Values that are no longer marked."""
WIDE = 20
"""From this ratio of the slowest to the fastest on, the scale is logarithmic."""


def schemes_figure(compared: "Compared") -> "Figure":
    """Draw the latency of each scheme for each group: bars, or curves where a time was swept."""
    heights = [
        CURVES if compared.span else max(1, len(_served(costs))) * BAR + 0.2
        for costs in compared.groups
    ]
    with settings():
        page = Page(WIDTH, TOP + sum(heights) + GAP * len(heights))
        title = f"{compared.spec.name}: latency of a barrier by scheme"
        page.heading(title, network_words(compared.spec.network), WIDTH / 2, 0.3)
        top = TOP
        for costs, height in zip(compared.groups, heights, strict=True):
            top += 0.25
            box = (LEFT, page.height - top - height, WIDTH - LEFT - RIGHT, height)
            left, bottom, wide, high = (
                length / (page.height if place % 2 else WIDTH) for place, length in enumerate(box)
            )
            axes = page.figure.add_axes((left, bottom, wide, high))
            if compared.span is None:
                _bars(axes, costs)
            else:
                _curves(axes, costs, compared.span.name, compared.span.values)
            members = count(len(costs.group.members), "member")
            axes.set_title(f"group {costs.group.id}, {members}", size=9, loc="left")
            _plain(axes)
            top += height + GAP - 0.25
        return page.figure


def _served(costs: "GroupCosts") -> dict[str, float]:
    """Return the latencies of the schemes that can serve a group."""
    return {row.scheme.name: row.cost.latency_ns for row in costs.rows if row.cost is not None}


def _bars(axes: "Axes", costs: "GroupCosts") -> None:
    found = _served(costs)
    names, latencies = list(found), list(found.values())
    bars = axes.barh(names, latencies, color=[f"C{i % 10}" for i in range(len(names))], height=0.6)
    axes.bar_label(bars, list(map(number_words, latencies)), padding=3, size=8)
    axes.invert_yaxis()
    axes.set_xlabel("latency, ns", size=9)
    positive = [value for value in latencies if value > 0]
    if positive and max(positive) > WIDE * min(positive):
        axes.set_xscale("log")
    axes.margins(x=0.2)


def _curves(axes: "Axes", costs: "GroupCosts", name: str, values: tuple[float, ...]) -> None:
    drawn: list[list[float]] = []
    for scheme, latencies in costs.swept.items():
        # One that lies on another is dashed: so both are seen.
        line = "--" if latencies in drawn else "-"
        marks = 3 if len(values) < MANY else 0
        axes.plot(values, latencies, f"o{line}", ms=marks, lw=1.3, label=scheme)
        drawn.append(latencies)
    axes.set_xlabel(f"{name}, ns", size=9)
    axes.set_ylabel("latency, ns", size=9)
    every = [value for latencies in costs.swept.values() for value in latencies if value > 0]
    if every and max(every) > WIDE * min(every):
        axes.set_yscale("log")
    if costs.swept:
        axes.legend(loc="upper left", bbox_to_anchor=(1.02, 1.0), frameon=False, fontsize=8)


def _plain(axes: "Axes") -> None:
    axes.grid(color=PALE, lw=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(length=2, labelsize=8)
    for spine in axes.spines.values():
        spine.set_color(GREY)
        spine.set_linewidth(0.6)
