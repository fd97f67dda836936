"""The style of every plot: colours, markers and lines that differ in grey and to any eye.

A curve has a colour and a marker of its own, so that no reader depends on the colour. The line says
where the points come from: solid with filled markers for the main source, dashed with half-filled
markers for a second one, dotted with open markers for a paper's own points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from syncfabric.sim.draw.page import INK, PAPER

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INKS = ("#0072b2", "#e69f00", INK, "#cc79a7", "#009e73", "#d55e00", "#56b4e9")
"""The colours of Okabe and Ito (Color Universal Design, 2008), without their yellow."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
"""One more than colours: a colour that comes again has another marker, up to 56 curves."""

Stroke = Literal["solid", "dashed", "dotted"]

LINE = 0.17
"""Inches from one name of a key to the next."""

MANY = 50
"""Points of a curve from which on they have no markers."""


@dataclass(frozen=True)
class Look:
    """How one subject is drawn, whatever the source of its points."""

    colour: str
    marker: str

    def line(
        self, stroke: Stroke = "solid", points: int = 0, *, above: bool = False
    ) -> dict[str, Any]:
        """Return the keywords of ``Axes.plot`` for a curve with so many points.

        One that lies ``above`` another is dashed, with smaller points: so both are seen.
        """
        look: dict[str, Any] = {"color": self.colour, "marker": self.marker, "ls": stroke}
        size = 6.5 if self.marker == "*" else 4.5  # so that all look as large
        look |= {"ms": 0.0 if points >= MANY else size, "markerfacecoloralt": PAPER}
        look |= {"lw": 1.3, "clip_on": False, "zorder": 3}
        if stroke == "solid" and above:
            look |= {"ls": "--", "ms": look["ms"] / 2}
        elif stroke == "dashed":
            look |= {"fillstyle": "left", "ls": (0, (4, 2))}
        elif stroke == "dotted":
            look |= {"mfc": "none", "ms": 3.5 + look["ms"], "mew": 1.4, "zorder": 4}
        return look


def colours(count: int) -> list[str]:
    """Return as many colours: ``INKS``, or hues that are lighter and darker in turn."""
    from matplotlib.colors import hsv_to_rgb, to_hex

    if count <= len(INKS):
        return list(INKS[:count])
    shades = ((0.62, 0.9), (0.9, 0.5), (0.45, 0.7))
    hues = (hsv_to_rgb((i / count, *shades[i % len(shades)])) for i in range(count))
    return [to_hex((red, green, blue)) for red, green, blue in hues]


def lightness(colour: str) -> float:
    """Return how light a colour is in grey print, from 0 to 1 (ITU-R BT.601)."""
    from matplotlib.colors import to_rgb

    red, green, blue = to_rgb(colour)
    return 0.299 * red + 0.587 * green + 0.114 * blue


def looks(names: Iterable[str]) -> dict[str, Look]:
    """Return a look for each name, in the order in which they come."""
    distinct = dict.fromkeys(names)
    return {
        name: Look(INKS[place % len(INKS)], MARKERS[place % len(MARKERS)])
        for place, name in enumerate(distinct)
    }


def curves(
    axes: Axes,
    points: Mapping[str, Sequence[tuple[float, float]]],
    look: Mapping[str, Look],
    stroke: Callable[[str], Stroke] = lambda _: "solid",
) -> None:
    """Draw curves by their names; one that lies on another is seen all the same."""
    drawn: list[Sequence[tuple[float, float]]] = []
    for name, of in points.items():
        style = look[name].line(stroke(name), len(of), above=of in drawn)
        axes.plot([x for x, _ in of], [y for _, y in of], label=name, **style)
        drawn.append(of)


def scale(axes: Axes, which: Literal["x", "y"], words: str, base: int | None = None) -> None:
    """Label an axis: it starts at zero, or it has a logarithm's base and says so."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis = axes.xaxis if which == "x" else axes.yaxis
    least, most = getattr(axes.dataLim, f"interval{which}")
    axis.set_label_text(words if base is None else f"{words} (log scale)", size=9)
    if base is None:
        least = min(0.0, least)
        if least < most < float("inf"):
            getattr(axes, f"set_{which}lim")(least, most + 0.05 * (most - least))
    else:
        getattr(axes, f"set_{which}scale")("log", base=base)
        if base == 10 and most < 100 * least:
            axis.set_major_locator(LogLocator(base, subs=(1, 2, 5)))
        axis.set_minor_formatter(NullFormatter())
    axis.set_major_formatter(FuncFormatter(_number))


def _number(value: float, _: int | None) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def key(axes: Axes) -> None:
    """Name the curves at the right of their axes, each as near to its end as the others allow.

    Call it last: it needs the axes' limits.
    """
    from matplotlib.lines import Line2D

    figure = axes.figure
    gap = LINE / (axes.get_window_extent().height / figure.dpi)
    ends = {}
    for line in axes.lines:
        points = np.asarray(line.get_xydata())
        if len(points) and not str(line.get_label()).startswith("_"):
            end = line.get_transform().transform(points[-1])
            ends[line] = float(axes.transAxes.inverted().transform(end)[1])
    lines = sorted(ends, key=lambda line: -ends[line])
    heights, most, least = [], 1.0, 0.0
    for line in lines:
        heights.append(min(ends[line], most))
        most = heights[-1] - gap
    for place in reversed(range(len(heights))):
        heights[place] = max(heights[place], least)
        least = heights[place] + gap
    for line, height in zip(lines, heights, strict=True):
        mark = Line2D([1.025, 1.045, 1.065], [height] * 3, markevery=[1])
        mark.update_from(line)
        mark.set(transform=axes.transAxes, clip_on=False, markevery=[1])
        figure.add_artist(mark)
        words = str(line.get_label())
        axes.text(1.08, height, words, transform=axes.transAxes, va="center", size=8)
