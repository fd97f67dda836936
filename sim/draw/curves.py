"""Curves over a number that doubles, on logarithmic scales."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from syncfabric.sim.draw.canvas import GREY, PALE, settings
from syncfabric.sim.draw.page import TOP, Page

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["curves_figure"]

SIZE = 7.8, 3.9
"""Of the axes with their words, in inches."""
LEFT, BELOW, KEY = 0.8, 0.6, 2.7
"""Room around the axes, in inches; the key is at the right."""


def curves_figure(
    curves: Mapping[str, Mapping[int, float]], *, title: str, line: str, across: str, up: str
) -> "Figure":
    """Draw a curve for each name; the key has the highest first.

    Parameters
    ----------
    curves : mapping of str to mapping of int to float
        By its name, a curve's points; all numbers are above 0.
    title, line : str
        Heading, and a line below it.
    across, up : str
        What the axes are.
    """
    width, height = SIZE
    with settings():
        page = Page(width, TOP + height)
        page.heading(title, line, width / 2, 0.3)
        across_share, up_share = (width - LEFT - KEY) / width, (height - BELOW) / page.height
        axes = page.figure.add_axes((LEFT / width, BELOW / page.height, across_share, up_share))
        ends = {name: points[max(points)] for name, points in curves.items()}
        drawn: list[Mapping[int, float]] = []
        for name in sorted(curves, key=lambda name: -ends[name]):
            points = curves[name]
            # One that lies on another is dashed, with smaller points: so both are seen.
            line_style, size = ("o--", 2) if points in drawn else ("o-", 4)
            axes.plot(list(points), list(points.values()), line_style, ms=size, lw=1.4, label=name)
            drawn.append(points)
        axes.set_xlabel(across, size=9)
        axes.set_ylabel(up, size=9)
        axes.legend(loc="upper left", bbox_to_anchor=(1.02, 1.0), frameon=False, fontsize=8)
        _scale(axes, sorted({place for points in curves.values() for place in points}))
    return page.figure


def _scale(axes: "Axes", places: list[int]) -> None:
    """Make both scales logarithmic, with plain numbers."""
    from matplotlib.ticker import LogLocator, NullFormatter, ScalarFormatter

    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=10)
    axes.set_xticks(places, list(map(str, places)))
    axes.yaxis.set_major_locator(LogLocator(10, subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter(ScalarFormatter())
    axes.minorticks_off()
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.grid(color=PALE, lw=0.6)
    axes.tick_params(length=2, labelsize=8)
    for spine in axes.spines.values():
        spine.set_color(GREY)
        spine.set_linewidth(0.6)
