"""``syncfabric report``: everything read, checked and run, then one page written."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from importlib import resources
from pathlib import Path

from markupsafe import Markup

from syncfabric.models.collectives.files import read as read_schedule
from syncfabric.models.collectives.schedule import FORMAT, Schedule, collector_off
from syncfabric.models.errors import OutputError, SpecError, about
from syncfabric.models.files import read_text, reading
from syncfabric.models.parsed import parse_json
from syncfabric.sim.cores.result import CoresResult
from syncfabric.sim.network import Network
from syncfabric.sim.output import check_file, write_file
from syncfabric.sim.progress import Progress, silent
from syncfabric.sim.report.blocks import Section
from syncfabric.sim.report.figures import Figures, figures_section, read_figures
from syncfabric.sim.report.network_section import network_section
from syncfabric.sim.report.run_section import cores_section, result_section
from syncfabric.sim.report.schedule_section import schedule_section
from syncfabric.sim.request import RunRequest
from syncfabric.sim.results import RunResult

FOLDER = resources.files("syncfabric.sim.report") / "parts"
SCRIPTS = ("tables.js", "hover.js", "player.js")

Input = Network | Figures | tuple[str, RunResult | CoresResult | Schedule]
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
            return source, read_schedule(values)
        if isinstance(values, dict) and {"verdict", "cores", "console"} <= values.keys():
            return source, CoresResult.from_json(values)
        if isinstance(values, dict) and "verdict" in values:
            return source, RunResult.from_json(values)
        raise SpecError(
            f'neither a schedule, whose "format" is "{FORMAT}", nor what `syncfabric run --json` '
            'or `cores --json` prints, which has a "verdict"'
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
