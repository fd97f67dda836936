"""Several measures of an experiment beside each other, each with a curve a label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from syncfabric.sim.draw.canvas import GREY, PALE, settings
from syncfabric.sim.draw.page import TOP, Page
from syncfabric.sim.reproduce.experiment import Experiment, Series

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Panel", "draw_panels"]

WIDE, HIGH, LEFT, BELOW, KEY = 3.6, 3.4, 0.75, 0.6, 1.4
"""Of a panel, in inches; the key is at the right of all."""


@dataclass(frozen=True)
class Panel:
    """A measure."""

    words: str
    curves: Series
    logarithmic: bool = False


def draw_panels(experiment: Experiment, panels: Sequence[Panel]) -> Figure:
    """Draw them under the experiment's name; all share the axis across."""
    with settings():
        page = Page(len(panels) * WIDE + KEY, TOP + HIGH)
        page.heading(experiment.name, experiment.title, page.width / 2, 0.3)
        for place, panel in enumerate(panels):
            inches = (place * WIDE + LEFT, BELOW, WIDE - LEFT - 0.1, HIGH - BELOW)
            left, bottom, wide, high = (
                length / (page.height if side % 2 else page.width)
                for side, length in enumerate(inches)
            )
            axes = page.figure.add_axes((left, bottom, wide, high))
            for label, points in panel.curves.items():
                axes.plot([x for x, _ in points], [y for _, y in points], "o-", ms=4, label=label)
            axes.set_xlabel(experiment.axes.across if experiment.axes else "", size=9)
            axes.set_ylabel(panel.words, size=9)
            if panel.logarithmic:
                axes.set_yscale("log")
            else:
                axes.ticklabel_format(axis="y", useOffset=False)
            axes.grid(color=PALE, lw=0.6)
            axes.tick_params(length=2, labelsize=8)
            for spine in axes.spines.values():
                spine.set_color(GREY)
                spine.set_linewidth(0.6)
        axes.legend(loc="upper left", bbox_to_anchor=(1.02, 1.0), frameon=False, fontsize=8)
        return page.figure
