"""What an experiment found, as a picture: its curves, or the ratio of each claim."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from syncfabric.sim.draw.canvas import GREY, INK, PALE, ROOT, settings
from syncfabric.sim.draw.page import TOP, Page
from syncfabric.sim.reproduce.claim import Claim
from syncfabric.sim.reproduce.experiment import Axes, Series, Work

if TYPE_CHECKING:
    from matplotlib import axes as mpl
    from matplotlib.figure import Figure

__all__ = ["figure_of"]

WIDTH, HEIGHT, LEFT, BELOW = 5.6, 4.2, 0.85, 0.6
"""Of curves, in inches; the key is at the right."""
KEY, MARK, LETTER, ENTRY = 2.6, 0.6, 0.066, 0.17
"""Of the key at least, of a mark in it, a letter of its words, and the height of an entry."""
PAPER, OURS, RTL, MODEL = ", paper", ", ours", ", RTL", ", model"
"""How labels end of what is to be compared: those that are the same but for this share a colour."""
APART = {PAPER: "o:", RTL: "s--"}
"""How curves are drawn that are told apart from ours, with open points."""
MANY = 50
"""Points of a curve that are no longer marked."""
RATIOS, LINE, NAMES, LONGEST = 9.2, 0.24, 4.6, 80
"""Of ratios, in inches: the page's width, a claim's line and words; and their most letters."""


def figure_of(work: Work) -> Figure:
    """Draw an experiment: its own picture if it has one, else its series, else its ratios."""
    if work.drawing is not None:
        return work.drawing()
    with settings():
        if work.series:
            return _curves(work, work.series, work.experiment.axes or Axes("", ""))
        return _ratios(work)


def _curves(work: Work, series: Series, words: Axes) -> Figure:
    width = WIDTH + max(KEY, MARK + LETTER * max(map(len, series)))
    height = max(HEIGHT, BELOW + ENTRY * (len(series) + 1))
    page = Page(width, TOP + height)
    page.heading(work.experiment.name, work.experiment.title, width / 2, 0.3)
    across, up = (WIDTH - LEFT) / width, (height - BELOW) / page.height
    axes = page.figure.add_axes((LEFT / width, BELOW / page.height, across, up))
    drawn: list[list[tuple[float, float]]] = []
    colours = _colours(series)
    for label, points in series.items():
        kept = [
            (x, y)
            for x, y in points
            if (words.across_base is None or x > 0) and (words.up_base is None or y > 0)
        ]
        # The paper's are open and dotted, the hardware's open squares, in the colour of ours. Of
        # ours, one that lies on another is dashed, with smaller points: so all are seen.
        look: dict[str, Any] = {"color": colours[_own(label)], "ms": 4, "lw": 1.3, "label": label}
        style = APART.get(label.removeprefix(_own(label)))
        if style is not None:
            look["mfc"] = "none"
        elif kept in drawn:
            style, look = "o--", {**look, "ms": 2}
        if len(kept) >= MANY:
            look["ms"] = 0
        axes.plot([x for x, _ in kept], [y for _, y in kept], style or "o-", **look)
        drawn.append(kept)
    _scales(axes, words, sorted({x for points in series.values() for x, _ in points}))
    axes.legend(loc="upper left", bbox_to_anchor=(1.02, 1.0), frameon=False, fontsize=8)
    return page.figure


def _own(label: str) -> str:
    """Return what a curve is of, whoever found it."""
    for end in (PAPER, OURS, RTL, MODEL):
        label = label.removesuffix(end)
    return label


def _colours(labels: Iterable[str]) -> dict[str, str]:
    """Return a colour for what each curve is of; of many, some are pale."""
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    names = list(dict.fromkeys(map(_own, labels)))
    scale = colormaps["tab10" if len(names) <= 10 else "tab20"]
    return {name: to_hex(scale(place % scale.N)) for place, name in enumerate(names)}


def _scales(axes: mpl.Axes, words: Axes, places: list[float]) -> None:
    from matplotlib.ticker import NullFormatter

    axes.set_xlabel(words.across, size=9)
    axes.set_ylabel(words.up, size=9)
    if words.across_base is not None:
        axes.set_xscale("log", base=words.across_base)
        if len(places) <= 12:
            axes.set_xticks(places, [f"{place:g}" for place in places])
            axes.xaxis.set_minor_formatter(NullFormatter())
    if words.up_base is not None:
        axes.set_yscale("log", base=words.up_base)
    _plain(axes)


def _ratios(work: Work) -> Figure:
    """Draw ours by the paper's of each claim that has a ratio."""
    shown = [claim for claim in work.claims if claim.ratio is not None]
    lines = max(1, len(shown))
    height = lines * LINE
    page = Page(RATIOS, TOP + height + BELOW)
    page.heading(work.experiment.name, work.experiment.title, page.width / 2, 0.3)
    box = (NAMES, BELOW, page.width - NAMES - 0.3, height)
    left, bottom, wide, high = (
        length / (page.height if place % 2 else page.width) for place, length in enumerate(box)
    )
    axes = page.figure.add_axes((left, bottom, wide, high))
    axes.axvline(1, color=ROOT, lw=0.9)
    ratios = [claim.ratio or 0.0 for claim in shown]
    axes.plot(ratios, range(len(shown)), "o", color=INK, ms=4)
    axes.set_yticks(range(len(shown)), [_short(claim) for claim in shown])
    axes.set_ylim(lines - 0.5, -0.5)
    axes.set_xlabel("ours / paper", size=9)
    _plain(axes)
    return page.figure


def _short(claim: Claim) -> str:
    return claim.claim if len(claim.claim) <= LONGEST else f"{claim.claim[: LONGEST - 1]}…"


def _plain(axes: mpl.Axes) -> None:
    axes.grid(color=PALE, lw=0.6)
    axes.tick_params(length=2, labelsize=8)
    for spine in axes.spines.values():
        spine.set_color(GREY)
        spine.set_linewidth(0.6)
