"""A timeline of a program on a many-core system, core by core."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from syncfabric.sim.cores.events import Kind, Piece
from syncfabric.sim.draw.page import GREY, INK, PAPER, TOP, Mark, Page, settings
from syncfabric.sim.draw.style import INKS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from syncfabric.sim.cores.result import CoresResult

COLOURS = {
    Kind.WORKS: INKS[0],
    Kind.WAITS: "#f0b93a",
    Kind.RELEASED: INK,
    Kind.PACKETS: INKS[3],
    Kind.STOPPED: "#eef1f4",
}
"""Each is lighter or darker than the others, for print in grey."""

_COLUMNS = 1600
"""Places along the time axis: pieces that are shorter share one, by the cycles that they take."""

_WIDTH, _LEFT, _RIGHT, _BELOW = 12.0, 0.75, 1.35, 0.5


def timeline_figure(
    result: CoresResult, cores: Sequence[Sequence[Piece]], title: str, begin: int, end: int
) -> Figure:
    """Return the picture of the cycles from ``begin`` to before ``end``: a row a core.

    Beside it stand its cycles in barriers: those that ``result`` has as lost.
    """
    row = 0.26 if len(cores) <= 32 else 0.17
    height = TOP + row * len(cores) + _BELOW
    with settings():
        key = [Mark(colour, kind.value, "square") for kind, colour in COLOURS.items()]
        page = Page(_WIDTH, height, key)
        lost = sum(one.cycles for one in result.lost)
        cycles = f"{result.cycles:,} cycles"
        if (begin, end) != (0, result.cycles):
            cycles = f"cycles {begin:,} to {end:,} of {result.cycles:,}"
        line = f"{len(cores)} cores of {result.network}, {cycles}"
        share = lost / max(1, len(cores) * (end - begin))
        page.heading(title, f"{line}; {share:.1%} of them in barriers", _WIDTH / 2, 0.3)
        axes = page.box(_LEFT, TOP, _WIDTH - _LEFT - _RIGHT, row * len(cores))
        for core, pieces in enumerate(cores):
            shown = _thinned(pieces, begin, end)
            for kind, colour in COLOURS.items():
                spans = [(one.begin, one.end - one.begin) for one in shown if one.kind is kind]
                if spans:
                    axes.broken_barh(spans, (core - 0.4, 0.8), color=colour, lw=0)
        beside = axes.get_yaxis_transform()
        for one in result.lost:
            words = f"{one.cycles:,}"
            axes.text(1.008, one.core, words, transform=beside, va="center", fontsize=7, color=INK)
        axes.text(1.008, -0.85, "in barriers", transform=beside, fontsize=7)
        axes.set_xlim(begin, max(begin + 1, end))
        axes.set_ylim(len(cores) - 0.4, -0.6)
        axes.set_yticks(range(len(cores)), [str(core) for core in range(len(cores))], fontsize=7)
        axes.tick_params(length=2, labelsize=7)
        axes.set_xlabel("cycle", fontsize=8)
        axes.set_ylabel("core", fontsize=8)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        axes.set_facecolor(PAPER)
        for side, spine in axes.spines.items():
            spine.set_visible(side == "bottom")
            spine.set_color(GREY)
    return page.figure


def _thinned(pieces: Sequence[Piece], first: int, last: int) -> list[Piece]:
    """Return the pieces of some cycles, or if there are too many what is most in each column."""
    pieces = [
        Piece(max(piece.begin, first), min(piece.end, last), piece.kind)
        for piece in pieces
        if piece.begin < last and piece.end > first
    ]
    if len(pieces) <= _COLUMNS:
        return pieces
    found: list[Piece] = []
    place = 0
    for column in range(_COLUMNS):
        begin, end = (first + (last - first) * at // _COLUMNS for at in (column, column + 1))
        shares = dict.fromkeys(Kind, 0)
        while place < len(pieces) and pieces[place].begin < end:
            piece = pieces[place]
            shares[piece.kind] += min(end, piece.end) - max(begin, piece.begin)
            if piece.end > end:
                break
            place += 1
        kind = max(shares, key=lambda one: shares[one])
        if found and found[-1].kind is kind:
            begin = found.pop().begin
        found.append(Piece(begin, end, kind))
    return found
