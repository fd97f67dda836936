"""What an experiment found, as files: its rows and series as CSV, and a picture.

The picture is its own if it has one, else its curves, else the ratio of each claim.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from syncfabric.models.files import csv_text
from syncfabric.sim.draw.page import FORMATS, INK, TOP, Page, picture, settings
from syncfabric.sim.draw.style import LINE, Stroke, curves, key, looks, scale
from syncfabric.sim.experiments.claim import HEADS, Claim, words
from syncfabric.sim.experiments.frame import Axes, Series, Work
from syncfabric.sim.output import Content, write_folder

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEAST, WIDTH, LEFT, ALONE, STACKED, BELOW = 7.4, 4.8, 0.85, 3.6, 2.6, 0.62
"""In inches: page, curves, room before them, height of one and of more, and room below."""
MARK, LETTER = 0.6, 0.068
"""Of a mark of the key and of a letter of its words, in inches."""
PAPER, OURS, RTL, MODEL, SOFTWARE = ", paper", ", ours", ", RTL", ", model", ", software"
"""How labels end of what is to be compared: those that differ in this alone look alike."""
LINE_STYLES: dict[str, Stroke] = {PAPER: "dotted", RTL: "dashed", SOFTWARE: "dashed"}
MEANING = {PAPER: "Open markers: the paper's values.", RTL: "Half-filled: measured on the RTL."}
RATIOS, ROW, NAMES, LONGEST = 9.6, 0.26, 4.6, 68
"""Of ratios, in inches: the page's width, a claim's line and words; and their most letters."""
FILLS = {"holds": "full", "partly": "left", "does not hold": "none"}
"""How the marker of a claim is filled, by its verdict."""
FILLED = "Filled: holds; half-filled: partly; open: does not hold."


def figure_of(work: Work) -> Figure:
    """Draw an experiment: its own picture if it has one, else its series, else its ratios."""
    if work.drawing is not None:
        return work.drawing()
    with settings():
        return _curves(work) if work.series else _ratios(work)


def _page(work: Work, width: float, height: float, notes: list[str]) -> Page:
    """Return a page with its title in words, where it comes from, and the caption at the bottom."""
    experiment = work.experiment
    caption = " ".join((*notes, experiment.caption))
    page = Page(width, TOP + height + BELOW, caption=caption)
    title = experiment.title[:1].upper() + experiment.title[1:]
    command = f" · syncfabric reproduce {experiment.name}" if experiment.of_a_paper else ""
    page.heading(title, experiment.place + command, width / 2, 0.3)
    return page


def _curves(work: Work) -> Figure:
    panels = _panels(work)
    subjects = {label: _own(label, panel) for panel, series in panels for label in series}
    names = {
        label: label.removeprefix(panel.prefix).removesuffix(OURS)
        for panel, series in panels
        for label in series
    }
    tall = [
        max(STACKED if len(panels) > 1 else ALONE, LINE * (len(series) + 1)) for _, series in panels
    ]
    height = sum(tall) + BELOW * (len(panels) - 1)
    width = max(LEAST, LEFT + WIDTH + MARK + LETTER * max(map(len, names.values())))
    there = [said for end, said in MEANING.items() if any(n.endswith(end) for n in work.series)]
    page = _page(work, width, height, there)
    look = looks(subjects.values())
    places = sorted({x for points in work.series.values() for x, _ in points})
    top, first = TOP, None
    for (panel, series), high in zip(panels, tall, strict=True):
        axes = page.plot(LEFT, top, WIDTH, high)
        if first is not None:
            axes.sharex(first)
        first, top = axes, top + high + BELOW
        kept = {
            names[label]: [
                (x, y)
                for x, y in points
                if (panel.across_base is None or x > 0) and (panel.up_base is None or y > 0)
            ]
            for label, points in series.items()
        }
        curves(axes, kept, {names[label]: look[subjects[label]] for label in series}, _stroke)
        scale(axes, "x", panel.across, panel.across_base)
        scale(axes, "y", panel.up, panel.up_base)
        if panel.across_base is not None and len(places) <= 12:
            axes.set_xticks(places)
        key(axes)
    return page.figure


def _stroke(label: str) -> Stroke:
    return next((stroke for end, stroke in LINE_STYLES.items() if label.endswith(end)), "solid")


def _panels(work: Work) -> list[tuple[Axes, Series]]:
    """Return the axes that have curves, with them."""
    every = work.experiment.axes or (Axes("", ""),)
    found: dict[Axes, Series] = {panel: {} for panel in every}
    rest = next((panel for panel in every if not panel.prefix), every[0])
    for label, points in work.series.items():
        fits = (panel for panel in every if panel.prefix and label.startswith(panel.prefix))
        found[next(fits, rest)][label] = points
    return [(panel, series) for panel, series in found.items() if series]


def _own(label: str, panel: Axes) -> str:
    """Return what a curve is of, whatever its points come from."""
    label = label.removeprefix(panel.prefix)
    for end in (PAPER, OURS, RTL, MODEL):
        label = label.removesuffix(end)
    return label


def _ratios(work: Work) -> Figure:
    """Draw ours by the paper's of each claim that has a ratio, and write both numbers beside it."""
    shown = [claim for claim in work.claims if claim.ratio is not None]
    rows = max(1, len(shown))
    page = _page(work, RATIOS, rows * ROW, [FILLED])
    axes = page.plot(NAMES, TOP, page.width - NAMES - 1.3, rows * ROW)
    axes.axvline(1, color=INK, lw=0.9)
    for place, claim in enumerate(shown):
        look = looks([""])[""].line()
        look |= {"fillstyle": FILLS.get(claim.verdict or "", "full"), "ls": "", "ms": 6}
        axes.plot([claim.ratio or 0.0], [place], **look)
        both = f"{words(claim.ours)} / {words(claim.paper)}"
        axes.text(1.02, place, both, transform=axes.get_yaxis_transform(), size=8, va="center")
    axes.set_yticks(range(len(shown)), [_short(claim) for claim in shown])
    axes.set_ylim(rows - 0.5, -0.5)
    scale(axes, "x", "ours over the paper's; both numbers at the right")
    return page.figure


def _short(claim: Claim) -> str:
    return claim.claim if len(claim.claim) <= LONGEST else f"{claim.claim[: LONGEST - 1]}…"


def write(work: Work, folder: Path) -> list[Path]:
    """Write an experiment's rows as NAME.csv, its series as NAME-series.csv, and its picture.

    Of a section of ``scripts/bench`` without series there is no picture.

    Raises
    ------
    OutputError
        The folder cannot be written.
    """
    name = work.experiment.name
    rows = [[*claim.to_json().values()] for claim in work.claims]
    for row in rows:
        row[-1] = "yes" if row[-1] else None
    files: dict[str, Content] = {f"{name}.csv": csv_text(HEADS, rows)}
    if work.series:
        points = ((label, *point) for label, points in work.series.items() for point in points)
        files[f"{name}-series.csv"] = csv_text(("series", "x", "y"), points)
    if work.series or work.experiment.of_a_paper:
        figure = figure_of(work)
        files |= {f"{name}.{kind}": picture(figure, kind) for kind in FORMATS}
    return write_folder(folder, files)
