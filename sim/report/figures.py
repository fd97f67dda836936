"""A folder of ``syncfabric reproduce -o`` in a report: read again, its curves and claims shown."""

from __future__ import annotations

import base64
import csv
import io
import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from syncfabric.models.errors import SpecError
from syncfabric.models.files import read_bytes
from syncfabric.sim.experiments.choice import EXPERIMENTS
from syncfabric.sim.experiments.claim import HEADS, Value, words
from syncfabric.sim.experiments.frame import Axes, Experiment, Series, Work
from syncfabric.sim.experiments.output import figure_of
from syncfabric.sim.report.blocks import Block, Drawing, Picture, Section, Table
from syncfabric.sim.report.drawing import hover_points, inline_svg
from syncfabric.sim.words import count

CLAIM_HEADS = list(HEADS)
SERIES_HEADS = ["series", "x", "y"]
SERIES = "-series"


@dataclass(frozen=True)
class Figure:
    """One experiment."""

    experiment: Experiment
    """With a title and axes where its name is known."""
    rows: list[list[Value]]
    """As `CLAIM_HEADS`."""
    series: Series
    """Points of each curve."""
    picture: bytes | None
    """Its SVG."""


@dataclass(frozen=True)
class Figures:
    """All experiments of a folder."""

    source: str
    figures: list[Figure]


def read_figures(folder: Path) -> Figures:
    """Read every NAME.csv of a folder, with NAME-series.csv and NAME.svg where these are.

    Raises
    ------
    SpecError
        There is none, or one is malformed; the message names the file and the line.
    """
    try:
        tables = [file for file in sorted(folder.glob("*.csv")) if not file.stem.endswith(SERIES)]
        figures = [_figure(file) for file in tables]
    except OSError as error:
        raise SpecError(f"{error.filename or folder}: cannot be read: {error.strerror}") from None
    if not figures:
        raise SpecError(
            f"{folder}: a folder without NAME.csv; name one that `syncfabric reproduce -o` wrote"
        )
    return Figures(str(folder), figures)


def _figure(file: Path) -> Figure:
    series: Series = {}
    curves = file.with_name(f"{file.stem}{SERIES}.csv")
    if curves.is_file():
        for line, (label, x, y) in _rows(curves, SERIES_HEADS):
            point = _number(curves, line, "x", x), _number(curves, line, "y", y)
            series.setdefault(label, []).append(point)
    rows = [[row[0], *map(_value, row[1:])] for _, row in _rows(file, CLAIM_HEADS)]
    picture = file.with_suffix(".svg")
    unknown = Experiment(file.stem, "", "", lambda work: None, axes=(Axes("x", "y"),))
    experiment = EXPERIMENTS.get(file.stem, unknown)
    return Figure(experiment, rows, series, read_bytes(picture) if picture.is_file() else None)


def _rows(file: Path, heads: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows below the heads, each with the number of its last line."""
    try:
        text = read_bytes(file).decode()
    except UnicodeDecodeError:
        raise SpecError(f"{file}: not a text file in UTF-8") from None
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        first = next(reader, [])
        if first != heads:
            wanted, found = ",".join(heads), ",".join(first)
            raise SpecError(f"{file}: line 1: it must be {wanted!r}, not {found[:80]!r}")
        for row in reader:
            if len(row) != len(heads):
                raise SpecError(
                    f"{file}: line {reader.line_num}: {len(row)} values; it must have "
                    f"{len(heads)}: {', '.join(heads)}"
                )
            yield reader.line_num, row
    except csv.Error as error:
        raise SpecError(f"{file}: line {reader.line_num}: not CSV: {error}") from None


def _number(file: Path, line: int, name: str, text: str) -> float:
    value = _value(text)
    if not isinstance(value, int | float):
        raise SpecError(f"{file}: line {line}: {name} must be a finite number, not {text[:80]!r}")
    return value


def _value(text: str) -> Value:
    """Return a number where it is one and finite."""
    for kind in (int, float):
        with suppress(ValueError, OverflowError):
            if math.isfinite(value := kind(text)):
                return value
    return text or None


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
