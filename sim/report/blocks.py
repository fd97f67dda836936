"""What sections of a page consist of; the page's template shows each by its ``kind``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from syncfabric.sim.draw.overlay import OTHERS
from syncfabric.sim.draw.page import GREY, INK, PALE, PAPER, to_svg
from syncfabric.sim.draw.renderer import FAINT
from syncfabric.sim.report.animation import Animation
from syncfabric.sim.tables import Rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Block:
    """A part of a section."""

    @property
    def kind(self) -> str:
        """What the template calls it: the name of its class, in small letters."""
        return type(self).__name__.lower()


@dataclass(frozen=True)
class Words(Block):
    """Lines of text."""

    lines: Sequence[str]


@dataclass(frozen=True)
class Verdict(Block):
    """Whether all is well, and the lines that say why."""

    good: bool
    word: str
    lines: Sequence[str] = ()


@dataclass(frozen=True)
class Table(Block):
    """A table that can be sorted by each of its columns."""

    title: str
    rows: Rows
    """Heads and cells."""
    closed: bool = False
    """Whether it is shown only when it is asked for."""
    wordy: bool = False
    """Whether the first column holds sentences."""


@dataclass(frozen=True)
class Drawing(Block):
    """A figure, with the points that can be hovered over; ``light``: always on white."""

    title: str
    svg: Markup
    points: list[list[Any]] = field(default_factory=list)
    light: bool = False


@dataclass(frozen=True)
class Gallery(Block):
    """Figures side by side where there is room."""

    title: str
    svgs: Sequence[Markup]


@dataclass(frozen=True)
class Picture(Block):
    """A picture from a file of the user's, as a ``data:`` address."""

    title: str
    address: str


@dataclass(frozen=True)
class Play(Block):
    """An animation."""

    title: str
    animation: Animation
    note: str = ""


@dataclass(frozen=True)
class Section:
    """One input of the report: its title, kind, line below the title, and blocks.

    ``parts`` are sections below them, such as the experiments of a folder.
    """

    title: str
    sort: str
    line: str
    blocks: Sequence[Block]
    parts: Sequence[Section] = ()


MOST_POINTS = 4_000
"""Points that can be hovered over in one figure; beyond, every n-th."""
JOINS = "stroke-linejoin: round; stroke-linecap: butt"
"""What Matplotlib's style element says."""
INKS = {
    INK: "--ink",
    GREY: "--grey",
    PALE: "--pale",
    PAPER: "--paper",
    FAINT: "--ground",
    OTHERS: "--others",
}
"""Colours that the page has by these names; the rest it makes lighter on a dark background."""


def inline_svg(figure: Figure, prefix: str, words: str) -> Markup:
    """Return a figure as an SVG element.

    Parameters
    ----------
    figure : Figure
    prefix : str
        Begins all its ids: a page holds many drawings, and ids are the page's.
    words : str
        Text alternative for readers who cannot see it.
    """
    text = to_svg(figure)
    text = text[text.index("<svg ") :]
    # A style element would hold for the whole page.
    text = re.sub(r"<!--.*?-->|<(metadata|style)\b.*?</\1>", "", text, flags=re.DOTALL)
    text = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{prefix}-", text)
    for colour, name in INKS.items():
        # Both follow the reader's light or dark; a style may name a variable, an attribute not.
        text = text.replace(f": {colour}", f": var({name})")
    text = re.sub(r": (#[0-9a-f]{6})\b", r": color-mix(in srgb, \1, #fff var(--lift))", text)
    width = float(re.search(r'<svg [^>]*?\bwidth="([\d.]+)pt"', text)[1])  # type: ignore[index]
    text = re.sub(r'(<svg [^>]*?) ?\bwidth="[\d.]+pt"', r"\1", text, count=1)
    text = re.sub(r'(<svg [^>]*?) ?\bheight="[\d.]+pt"', r"\1", text, count=1)
    label = (
        f' role="img" style="max-width: {width:g}pt; {JOINS}" aria-label="{Markup.escape(words)}"'
    )
    return Markup("<svg" + label + text.removeprefix("<svg").strip())


def hover_points(figure: Figure) -> list[list[Any]]:
    """Return what can be hovered over in a figure, once it has been drawn.

    Returns
    -------
    list of [x, y, words]
        Places in the units of the figure's SVG, y downwards.
    """
    found = [point for axes in figure.axes for point in _points(axes, figure)]
    return found[:: -(-len(found) // MOST_POINTS)] if found else []


def _points(axes: Axes, figure: Figure) -> Iterator[list[Any]]:
    across, up = axes.get_xlabel() or "x", axes.get_ylabel() or "y"
    x_names = _names(axes.get_xticks(), axes.get_xticklabels())
    y_names = _names(axes.get_yticks(), axes.get_yticklabels())
    height = figure.get_figheight() * 72
    for line in axes.lines:
        label = str(line.get_label())
        if line.get_transform() != axes.transData:
            continue  # a line across the plot, not a curve
        for x, y in np.asarray(line.get_xydata(), dtype=float).tolist():
            place = axes.transData.transform((x, y)) * 72 / figure.dpi
            words = [] if label.startswith("_") else [label.replace(r"\$", "$")]
            words += [f"{across}: {x_names.get(round(x)) or _number(x)}"]
            words += [y_names.get(round(y)) or f"{up}: {_number(y)}"]
            left, top = round(float(place[0]), 1), round(height - float(place[1]), 1)
            yield [left, top, "\n".join(words)]


def _names(places: Any, labels: Any) -> dict[int, str]:
    """Return what an axis calls its places, if not by numbers."""
    named = zip(places, (label.get_text() for label in labels), strict=False)
    # Numbers may be mathematics, which is written in letters between dollars.
    return {round(place): text for place, text in named if re.match(r"[^\W\d_]", text)}


def _number(value: float) -> str:
    return f"{value:,.6g}"
