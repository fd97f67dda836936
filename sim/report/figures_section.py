"""A folder of ``reproduce -o`` in a report: each experiment's curves and claims."""

from __future__ import annotations

import base64
from collections.abc import Iterator

from syncfabric.sim.experiments.claim import words
from syncfabric.sim.experiments.frame import Work
from syncfabric.sim.experiments.output import figure_of
from syncfabric.sim.report.blocks import Block, Drawing, Picture, Section, Table
from syncfabric.sim.report.drawing import hover_points, inline_svg
from syncfabric.sim.report.figures_folder import CLAIM_HEADS, Figure, Figures
from syncfabric.sim.words import count

__all__ = ["figures_section"]


def figures_section(figures: Figures, prefix: str) -> Section:
    """Return a folder's experiments, in the order of their names."""
    parts = []
    for place, figure in enumerate(figures.figures):
        known = figure.experiment
        line = " · ".join(filter(None, (known.title, known.place)))
        parts.append(Section(known.name, "figure", line, [*_blocks(figure, f"{prefix}-{place}")]))
    return Section(figures.source, "figures", count(len(parts), "experiment"), (), parts)


def _blocks(figure: Figure, prefix: str) -> Iterator[Block]:
    name = figure.experiment.name
    if figure.series:
        # A dollar would begin a formula.
        series = {label.replace("$", r"\$"): points for label, points in figure.series.items()}
        drawn = figure_of(Work(figure.experiment, series=series))
        svg = inline_svg(drawn, prefix, name)
        yield Drawing("", svg, hover_points(drawn))
    elif figure.picture is not None:
        data = base64.b64encode(figure.picture).decode()
        yield Picture(name, f"data:image/svg+xml;base64,{data}")
    rows = [[words(value) for value in row] for row in figure.rows]
    if rows:
        yield Table("", (CLAIM_HEADS, rows), wordy=True)
