"""The files that an experiment leaves."""

from __future__ import annotations

from pathlib import Path

from syncfabric.models.files import csv_text
from syncfabric.sim.draw.canvas import FORMATS, picture
from syncfabric.sim.output import Content, write_folder
from syncfabric.sim.reproduce.claim import HEADS
from syncfabric.sim.reproduce.experiment import Work
from syncfabric.sim.reproduce.plot import figure_of

__all__ = ["write"]


def write(work: Work, folder: Path) -> list[Path]:
    """Write an experiment's rows as NAME.csv, its series as NAME-series.csv, and its picture.

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
    figure = figure_of(work)
    files |= {f"{name}.{kind}": picture(figure, kind) for kind in FORMATS}
    return write_folder(folder, files)
