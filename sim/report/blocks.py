"""What sections of a page consist of; the page's template shows each by its ``kind``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from markupsafe import Markup

from syncfabric.sim.report.film import Film
from syncfabric.sim.tables import Rows

__all__ = [
    "Block",
    "Drawing",
    "Gallery",
    "Picture",
    "Play",
    "Section",
    "Table",
    "Verdict",
    "Words",
]


@dataclass(frozen=True)
class Words:
    """Lines of text."""

    lines: Sequence[str]
    kind: Literal["words"] = "words"


@dataclass(frozen=True)
class Verdict:
    """Whether all is well, and what is to be said of it."""

    good: bool
    word: str
    lines: Sequence[str] = ()
    kind: Literal["verdict"] = "verdict"


@dataclass(frozen=True)
class Table:
    """A table that can be sorted by each of its columns.

    Parameters
    ----------
    title : str
    rows : Rows
        Heads and cells.
    closed : bool
        Whether it is shown only when it is asked for.
    wordy : bool
        Whether the first column holds sentences.
    """

    title: str
    rows: Rows
    closed: bool = False
    wordy: bool = False
    kind: Literal["table"] = "table"


@dataclass(frozen=True)
class Drawing:
    """A figure, with the points that can be hovered over; ``light``: always on white."""

    title: str
    svg: Markup
    points: list[list[Any]] = field(default_factory=list)
    light: bool = False
    kind: Literal["drawing"] = "drawing"


@dataclass(frozen=True)
class Gallery:
    """Figures side by side where there is room."""

    title: str
    svgs: Sequence[Markup]
    kind: Literal["gallery"] = "gallery"


@dataclass(frozen=True)
class Picture:
    """A picture from a file of the user's, as a ``data:`` address."""

    title: str
    address: str
    kind: Literal["picture"] = "picture"


@dataclass(frozen=True)
class Play:
    """An animation."""

    title: str
    film: Film
    note: str = ""
    kind: Literal["play"] = "play"


Block = Words | Verdict | Table | Drawing | Gallery | Picture | Play


@dataclass(frozen=True)
class Section:
    """One input of the report.

    Parameters
    ----------
    title : str
    sort : str
        What kind of input it is.
    line : str
        Below the title.
    blocks : sequence of Block
    parts : sequence of Section
        Below them, such as the experiments of a folder.
    """

    title: str
    sort: str
    line: str
    blocks: Sequence[Block]
    parts: Sequence[Section] = ()
