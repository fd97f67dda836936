"""Latencies of a run's groups beside their bounds, as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from syncfabric.sim.draw.canvas import ROOT, settings
from syncfabric.sim.draw.page import TOP, Page
from syncfabric.sim.draw.style import Look, looks, scale
from syncfabric.sim.results import RunResult, Spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["MOST_GROUPS", "latency_figure"]

MOST_GROUPS = 40
WIDTH, LINE, LEAST, LEFT, RIGHT, BELOW = 7.2, 0.36, 0.6, 1.1, 1.9, 0.55
"""In inches: of the page, of a group, of all of them, and of the room around the axes."""
APART = 0.12
"""Of a group's line from its place, where there are two."""


def latency_figure(result: RunResult) -> Figure:
    """Draw for each group from the least to the greatest latency, the median marked."""
    groups = result.groups[:MOST_GROUPS]
    height = max(LEAST, len(groups) * LINE)
    with settings():
        page = Page(WIDTH, TOP + height + BELOW)
        words = f"under {result.simulator}, from the last arrival to the last release"
        page.heading("Barrier latency", words, WIDTH / 2, 0.3)
        axes = page.plot(LEFT, TOP, WIDTH - LEFT - RIGHT, height)
        alone = result.simulator == "model"  # whose latencies stand in both fields
        seen = [("latency", 0.0 if alone else -APART, [g.latency for g in groups])]
        if not alone:
            seen.append(("golden model", APART, [g.model_latency for g in groups]))
        for look, (label, away, spreads) in zip(looks(("", "model")).values(), seen, strict=False):
            if any(spreads):
                _spreads(axes, spreads, label, look, away)
        bounds = [(group.bound, place) for place, group in enumerate(groups) if group.bound]
        if bounds:
            x, y = zip(*bounds, strict=True)
            axes.plot(x, y, "|", ms=13, mew=1.6, color=ROOT, label="bound, alone")
        axes.set_yticks(range(len(groups)), [f"group {group.id}" for group in groups])
        axes.set_ylim(len(groups) - 0.5, -0.5)
        scale(axes, "x", "cycles")
        axes.grid(visible=False, axis="y")
        shown = [line for line in axes.lines if not str(line.get_label()).endswith(("min", "max"))]
        axes.legend(
            handles=shown, loc="upper left", bbox_to_anchor=(1.02, 1.0), frameon=False, fontsize=8
        )
    return page.figure


def _spreads(
    axes: Axes, spreads: Sequence[Spread | None], label: str, look: Look, away: float
) -> None:
    """Draw a line for each spread, and a larger point at its median."""
    for part, size in (("min", 3), ("max", 3), ("median", 6)):
        places = [
            (getattr(spread, part), place + away) for place, spread in enumerate(spreads) if spread
        ]
        x, y = zip(*places, strict=True)
        name = f"{label}, {part}"
        axes.plot(x, y, look.marker, ms=size, color=look.colour, mew=0, label=name)
    for place, spread in enumerate(spreads):
        if spread:
            axes.hlines(place + away, spread.min, spread.max, color=look.colour, lw=1.4)
