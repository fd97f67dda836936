"""``syncfabric report``: everything read, checked and run, then one page written."""

import base64
import csv
import io
import math
import os
from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from importlib import resources
from pathlib import Path

from markupsafe import Markup

from syncfabric.models.collectives.chunks.files import read_any
from syncfabric.models.collectives.chunks.schedule import Schedule as InChunks
from syncfabric.models.collectives.schedule import FORMAT, Schedule, collector_off
from syncfabric.models.errors import OutputError, SpecError, about
from syncfabric.models.files import read_bytes, read_text, reading
from syncfabric.models.parsed import parse_json
from syncfabric.sim.cores.result import CoresResult
from syncfabric.sim.experiments.choice import experiments
from syncfabric.sim.experiments.claim import HEADS, Value, words
from syncfabric.sim.experiments.frame import Axes, Experiment, Series, Work
from syncfabric.sim.experiments.output import figure_of
from syncfabric.sim.network import Network
from syncfabric.sim.output import check_file, write_file
from syncfabric.sim.progress import Progress, silent
from syncfabric.sim.report.blocks import (
    Block,
    Drawing,
    Picture,
    Section,
    Table,
    hover_points,
    inline_svg,
)
from syncfabric.sim.report.sections import (
    chunk_section,
    cores_section,
    network_section,
    result_section,
    schedule_section,
)
from syncfabric.sim.request import RunRequest
from syncfabric.sim.results import RunResult
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
    experiment = experiments().get(file.stem, unknown)
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


FOLDER = resources.files("syncfabric.sim.report") / "parts"
SCRIPTS = ("tables.js", "hover.js", "player.js")

Input = Network | Figures | tuple[str, RunResult | CoresResult | Schedule | InChunks]
"""What is read: of a file, its name and what it holds."""


def write_report(
    sources: Sequence[str | Path],
    file: str | Path,
    *,
    title: str = "",
    asked: RunRequest | None = None,
    progress: Progress = silent,
) -> list[RunResult]:
    """Gather networks, results, schedules and figures into one HTML page.

    Parameters
    ----------
    sources : sequence of str or Path
        Networks by name or file, results of ``run --json`` and ``cores --json``, schedules,
        folders of ``reproduce -o``.
    file : str or Path
        The page; its name ends in ``.html``.
    title : str
        Of the page; by default the sources' names.
    asked : RunRequest, optional
        How networks are run; by default by the golden model.
    progress : Progress

    Returns
    -------
    list of RunResult
        Of the networks that were run.

    Raises
    ------
    SyncfabricError
        There is nothing to report, an input is malformed, or the page cannot be written; nothing
        has been written then.
    """
    asked = asked or RunRequest("model")
    if not sources:
        raise SpecError(
            "report: name networks, results of `run --json`, schedules, or folders of "
            "`reproduce -o`"
        )
    if Path(file).suffix.lower() not in (".html", ".htm"):
        raise OutputError(f"report {file}: its name must end in .html")
    check_file(file, "report")
    inputs = [read_input(str(source)) for source in sources]
    networks = [given for given in inputs if isinstance(given, Network)]
    for network in networks:
        asked.check(network.spec)
        network.plan()
    sections, results = [], []
    for number, given in enumerate(inputs):
        prefix = f"s{number}"
        if isinstance(given, Network):
            section, result = network_section(given, asked, prefix, progress)
            results.append(result)
        else:
            section = _section(given, prefix, networks)
        sections.append(section)
    names = ", ".join(dict.fromkeys(section.title for section in sections))
    write_file(file, page(title or names, sections))
    return results


def read_input(source: str) -> Input:
    """Read a network by its name or file, a saved result, a schedule, or a folder of figures.

    Raises
    ------
    SpecError
        It is none of these, or malformed; the message names the file and the place.
    """
    path = Path(source)
    if os.path.isdir(path):  # which takes any name
        return read_figures(path)
    text = _text_of(path)
    if text is None or not (path.suffix.lower() == ".json" or text.lstrip()[:1] in ("{", "[")):
        return Network.load(source)
    with about(source):
        values = parse_json(text)
        if isinstance(values, dict) and "format" in values:
            return source, read_any(values)
        if isinstance(values, dict) and {"verdict", "cores", "console"} <= values.keys():
            return source, CoresResult.from_json(values)
        if isinstance(values, dict) and "verdict" in values:
            return source, RunResult.from_json(values)
        raise SpecError(
            f'neither a schedule, whose "format" is "{FORMAT}" or "/2", nor what `syncfabric run'
            ' --json` or `cores --json` prints, which has a "verdict"'
        )


def _text_of(path: Path) -> str | None:
    """Return a file's text; None if there is no such file: then it is a network's name."""
    try:
        with reading(path, or_name=True):
            return read_text(path)
    except FileNotFoundError:
        return None


def _section(given: Input, prefix: str, networks: Sequence[Network]) -> Section:
    if isinstance(given, Figures):
        return figures_section(given, prefix)
    assert isinstance(given, tuple)
    source, value = given
    if isinstance(value, RunResult):
        return result_section(source, value, prefix, networks)
    if isinstance(value, CoresResult):
        return cores_section(source, value)
    if isinstance(value, InChunks):
        return chunk_section(source, value, prefix)
    with collector_off():
        return schedule_section(source, value, prefix)


def page(title: str, sections: Sequence[Section]) -> str:
    """Return a whole HTML page.

    Everything goes through a template that escapes it. The page may run its own scripts alone,
    whose hashes it names, and load nothing: a browser keeps it so, whatever a user's files contain.
    """
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=FunctionLoader(_read),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    script = Markup("\n".join(map(_read, SCRIPTS)))
    digest = b64encode(sha256(script.encode()).digest()).decode()
    template = environment.get_template("page.html")
    style = Markup(_read("page.css"))
    text = template.render(
        title=title, sections=sections, style=style, script=script, digest=digest
    )
    # A name on the command line need not be UTF-8.
    return text.encode(errors="replace").decode()


def _read(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")
