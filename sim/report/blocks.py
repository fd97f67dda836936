"""What sections of a page consist of; the page's template shows each by its ``kind``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from syncfabric.sim.report.film import Film
from syncfabric.sim.tables import Rows


class Block:
    """A part of a section."""

    @property
    def kind(self) -> str:
        """What the template calls it: the name of its class, in small letters."""
        return type(self).__name__.lower()


@dataclass(frozen=True)
class Words(Block):
    """Lines of text."""

    lines: Sequence[str]


@dataclass(frozen=True)
class Verdict(Block):
    """Whether all is well, and the lines that say why."""

    good: bool
    word: str
    lines: Sequence[str] = ()


@dataclass(frozen=True)
class Table(Block):
    """A table that can be sorted by each of its columns."""

    title: str
    rows: Rows
    """Heads and cells."""
    closed: bool = False
    """Whether it is shown only when it is asked for."""
    wordy: bool = False
    """Whether the first column holds sentences."""


@dataclass(frozen=True)
class Drawing(Block):
    """A figure, with the points that can be hovered over; ``light``: always on white."""

    title: str
    svg: Markup
    points: list[list[Any]] = field(default_factory=list)
    light: bool = False


@dataclass(frozen=True)
class Gallery(Block):
    """Figures side by side where there is room."""

    title: str
    svgs: Sequence[Markup]


@dataclass(frozen=True)
class Picture(Block):
    """A picture from a file of the user's, as a ``data:`` address."""

    title: str
    address: str


@dataclass(frozen=True)
class Play(Block):
    """An animation."""

    title: str
    film: Film
    note: str = ""


@dataclass(frozen=True)
class Section:
    """One input of the report: its title, kind, line below the title, and blocks.

    ``parts`` are sections below them, such as the experiments of a folder.
    """

    title: str
    sort: str
    line: str
    blocks: Sequence[Block]
    parts: Sequence[Section] = ()
