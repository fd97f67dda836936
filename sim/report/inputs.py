"""What a report is made of: each input read, and its kind told by what is in it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from syncfabric.models.collectives.files import read as read_schedule
from syncfabric.models.collectives.schedule import FORMAT, Schedule
from syncfabric.models.errors import SpecError, about
from syncfabric.models.files import read_text, reading
from syncfabric.models.parsed import parse_json
from syncfabric.sim.cores.result import CoresResult
from syncfabric.sim.network import Network
from syncfabric.sim.report.figures import Figures, read_figures
from syncfabric.sim.results import RunResult

__all__ = ["Input", "Saved", "read_input"]

Value = TypeVar("Value", covariant=True)


@dataclass(frozen=True)
class Saved(Generic[Value]):
    """What a file holds: what ``run --json`` or ``cores --json`` printed, or a schedule."""

    source: str
    value: Value


Input = Network | Figures | Saved[RunResult] | Saved[CoresResult] | Saved[Schedule]


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
            return Saved(source, read_schedule(values))
        if isinstance(values, dict) and {"verdict", "cores", "console"} <= values.keys():
            return Saved(source, CoresResult.from_json(values))
        if isinstance(values, dict) and "verdict" in values:
            return Saved(source, RunResult.from_json(values))
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
