"""Charts: a timeline of a program on a many-core system, and barrier schemes side by side.

Latencies with start-ups in software and those without are on axes of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from syncfabric.sim.cores.events import Kind, Piece
from syncfabric.sim.draw.page import GREY, INK, PAPER, TOP, Mark, Page, settings
from syncfabric.sim.draw.style import INKS, curves, key, looks, scale
from syncfabric.sim.schemes import APART, Row, number_words
from syncfabric.sim.words import count, network_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from syncfabric.sim.cores.result import CoresResult
    from syncfabric.sim.schemes import Compared, GroupCosts, Range

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


WIDTH, LEFT, RIGHT = 7.6, 1.3, 1.6
"""Of the page, and beside its axes, in inches; the key is at the right."""
BAR, CURVES, GAP = 0.3, 2.6, 0.95
"""Height of a bar, of curves, and of what is between two panels."""
WIDE = 50
"""From this ratio of the slowest to the fastest on, there are points on a logarithmic scale."""
WORDS = {
    True: "by formulas with start-ups of messages in software (t_s)",
    False: "by LogGP: a message takes o in place of a start-up",
}


class Panel(NamedTuple):
    """The schemes of one group whose latencies can be compared."""

    costs: GroupCosts
    software: bool
    rows: list[Row]


def schemes_figure(compared: Compared) -> Figure:
    """Draw the latency of each scheme for each group: bars, or curves where a time was swept."""
    panels = [
        Panel(costs, software, rows)
        for costs in compared.groups
        for software in WORDS
        if (rows := [r for r in costs.rows if r.cost and r.times.SOFTWARE is software])
    ]
    tall = [CURVES if compared.span else len(panel.rows) * BAR + 0.2 for panel in panels]
    apart = APART if len({panel.software for panel in panels}) > 1 else ""
    with settings():
        height = TOP + sum(tall) + GAP * len(tall)
        page = Page(WIDTH, height, caption=f"Nothing is simulated. {apart}")
        title = f"{compared.spec.name}: latency of a barrier by scheme"
        page.heading(title, network_words(compared.spec.network), WIDTH / 2, 0.3)
        top = TOP
        for panel, height in zip(panels, tall, strict=True):
            axes = page.plot(LEFT, top + 0.25, WIDTH - LEFT - RIGHT, height)
            members = count(len(panel.costs.group.members), "member")
            words = f"group {panel.costs.group.id}, {members}: {WORDS[panel.software]}"
            axes.set_title(words, size=9, loc="left")
            if compared.span is None:
                _bars(axes, panel.rows)
            else:
                _curves(axes, panel, compared.span)
            top += height + GAP
        return page.figure


def _bars(axes: Axes, rows: list[Row]) -> None:
    """Draw bars from zero, their start-ups hatched, or points where latencies differ much."""
    names = [row.scheme.name for row in rows]
    latencies = [row.cost.latency_ns for row in rows if row.cost is not None]
    most, least = max(latencies), min(value for value in (*latencies, 1e9) if value > 0)
    wide = most > WIDE * least
    if wide:
        axes.plot(latencies, names, "o", ms=6, color=INKS[0])
    else:
        axes.barh(names, latencies, color=INKS[0], height=0.6)
        started = [row.start_up_ns for row in rows]
        if any(started):
            bars = axes.barh(names, started, height=0.6, color=PAPER, label="of it start-up")
            for bar in bars:
                bar.set(edgecolor=INK, hatch="////", lw=0.6)
            axes.legend(loc="upper left", bbox_to_anchor=(1.02, 1.0), frameon=False, fontsize=8)
    for place, value in enumerate(latencies):
        end, away = (value, place), (6, 0)
        words = number_words(value)
        axes.annotate(words, end, away, textcoords="offset points", va="center", size=8)
    scale(axes, "x", "latency, ns", 10 if wide else None)
    low, high = axes.get_xlim()
    axes.set_xlim(low, high * (most / least) ** 0.15 if wide else high * 1.12)
    axes.set_ylim(len(rows) - 0.4, -0.6)


def _curves(axes: Axes, panel: Panel, span: Range) -> None:
    swept = panel.costs.swept
    names = [row.scheme.name for row in panel.rows]
    curves(axes, {n: list(zip(span.values, swept[n], strict=True)) for n in names}, looks(names))
    every = [value for name in names for value in swept[name] if value > 0]
    wide = bool(every) and max(every) > WIDE * min(every)
    scale(axes, "x", f"{span.name}, ns")
    scale(axes, "y", "latency, ns", 10 if wide else None)
    key(axes)
