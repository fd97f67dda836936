"""What a report is made of: each input read, and its kind told by what is in it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from syncfabric.models.collectives.files import read as read_schedule
from syncfabric.models.collectives.schedule import FORMAT, Schedule
from syncfabric.models.errors import SpecError, about
from syncfabric.models.files import read_text, reading
from syncfabric.models.parsed import parse_json
from syncfabric.sim.cores.result import CoresResult
from syncfabric.sim.network import Network
from syncfabric.sim.report.figures_folder import Figures, read_figures
from syncfabric.sim.results import RunResult

__all__ = ["Input", "SavedCores", "SavedResult", "SavedSchedule", "read_input"]


@dataclass(frozen=True)
class SavedResult:
    """What ``syncfabric run --json`` printed, and the file that it was kept in."""

    source: str
    result: RunResult


@dataclass(frozen=True)
class SavedSchedule:
    """A schedule, and its file."""

    source: str
    schedule: Schedule


@dataclass(frozen=True)
class SavedCores:
    """What ``syncfabric cores --json`` printed, and the file that it was kept in."""

    source: str
    result: CoresResult


Input = Network | SavedResult | SavedCores | SavedSchedule | Figures


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
            return SavedSchedule(source, read_schedule(values))
        if isinstance(values, dict) and {"verdict", "cores", "console"} <= values.keys():
            return SavedCores(source, CoresResult.from_json(values))
        if isinstance(values, dict) and "verdict" in values:
            return SavedResult(source, RunResult.from_json(values))
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
