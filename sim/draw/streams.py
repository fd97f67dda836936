"""Pictures of streams: the words on each link of a group's tree, and over time."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from syncfabric.sim.draw.figures import MOST_PANELS, PANEL_TOP, Place, colour_bar
from syncfabric.sim.draw.page import GREY, INK, PAPER, ROOT, TOP, Mark, Page, settings
from syncfabric.sim.draw.ways import flow_overlay
from syncfabric.sim.words import count, network_words, node_words, root_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from syncfabric.models.planning.plan import BarrierPlan
    from syncfabric.sim.stream_result import StreamResult

UP, DOWN = ("#cfe0ef", "#6ba3d6", "#0b3c6f"), ("#f8e3d0", "#f08a24", "#7a1f0b")
"""Scales of words on links to the root, and away from it: from none to all."""
SIDE, PLOT, GAP = 4.4, 4.6, 0.75
"""In inches: of a network's longer side, of the width of plots, and of the room before them."""
FLOWS, ROW, ROWS = 1.5, 0.16, 3.2
"""Heights: of the plot of words, of a member's row, and of all members' rows at most."""
NAMED = 32
"""Members whose rows have names, at most."""
BESIDE = 3
"""Groups from which on two stand side by side."""


def stream_figure(plan: BarrierPlan, streams: Sequence[StreamResult]) -> Figure:
    """Draw what streams had on the links of their trees, and when members had their results.

    Parameters
    ----------
    plan : BarrierPlan
    streams : sequence of StreamResult
        At least one, each of a group of the plan.
    """
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    groups = {group.id: group for group in plan.groups}
    shown, place = streams[:MOST_PANELS], Place(plan.spec.network, SIDE)
    columns = 2 if len(shown) >= BESIDE else 1
    most = max(len(stream.flow.members) for stream in shown)
    rows = min(most * ROW, ROWS)
    step_x = place.width + GAP + PLOT + 0.2
    step_y = PANEL_TOP + max(place.height, FLOWS + 0.45 + rows + 0.55)
    norm = Normalize(0, max(stream.words for stream in shown))
    scales = [LinearSegmentedColormap.from_list("words", inks) for inks in (DOWN, UP)]
    key = [Mark(INK, "member"), Mark(ROOT, "root")]
    key += [
        Mark(ink, words, "square")
        for ink, words in (
            (UP[0], "from a member's first beat to its first word of the result"),
            (DOWN[1], "words of the result"),
            (GREY, "bound of the first word"),
        )
    ]
    with settings():
        bottom = TOP + -(-len(shown) // columns) * step_y
        page = Page(columns * step_x, bottom + 0.6, key)
        first, rest = streams[0], len(streams) - len(shown)
        title = f"{plan.spec.name} · {first.kind} of {count(first.words, 'word')}, {first.op}"
        more = f" · {count(rest, 'group')} not shown" if rest else ""
        page.heading(title, network_words(plan.spec.network) + more, page.width / 2, 0.3, size=15)
        for number, stream in enumerate(shown):
            row, column = divmod(number, columns)
            left, top = column * step_x, TOP + row * step_y
            group = groups[stream.id]
            title = f"group {group.id} · {count(len(group.members), 'member')}"
            line = f"{root_words(group)} · {_took(stream)}"
            page.heading(title, line, left + step_x / 2, top + 0.16, size=11)
            inks: dict[Hashable, Any] = {
                (link.node, link.port): scales[link.up](norm(link.words))
                for link in stream.flow.links
            }
            pen = place.pen(page, left + place.width / 2, top + PANEL_TOP)
            pen.draw(flow_overlay(place.scene, group, inks))
            plots = left + place.width + GAP
            _flows(page.plot(plots, top + PANEL_TOP, PLOT, FLOWS), stream)
            _members(page.plot(plots, top + PANEL_TOP + FLOWS + 0.45, PLOT, rows), stream)
        for up, words, at in ((True, "up, to the root", 0.3), (False, "down, away from it", 0.7)):
            label = f"words on a link {words}"
            colour_bar(page, norm, scales[up], label, at * page.width, bottom)
    return page.figure


def _took(stream: StreamResult) -> str:
    """Return what a stream took in words."""
    if stream.last is None:
        return "not all of it has come"
    bound = "" if stream.bound is None else f" (bound {stream.bound})"
    return f"first word after {stream.first} cycles{bound}, last after {stream.last}"


def _flows(axes: Axes, stream: StreamResult) -> None:
    """Draw the words on all links in each window: to the root above the axis, others below."""
    flow = stream.flow
    edges = [flow.begin + flow.window * i for i in range(len(flow.up) + 1)]
    for counts, sign, inks in ((flow.up, 1, UP), (flow.down, -1, DOWN)):
        heights = [sign * words / flow.window for words in counts]
        axes.stairs(heights, edges, fill=True, color=inks[1])
    axes.axhline(0, color=INK, lw=0.6)
    axes.set_xlim(*_span(stream))
    axes.yaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")
    axes.set_ylabel("words a cycle\ndown · up", fontsize=8)
    axes.tick_params(labelbottom=False)


def _members(axes: Axes, stream: StreamResult) -> None:
    """Draw a row a member: from its first beat to its first word of the result, and the last."""
    flow = stream.flow
    for row, member in enumerate(flow.members):
        for begin, end, ink in (
            (member.begun, member.first, UP[0]),
            (member.first, member.last, DOWN[1]),
        ):
            if begin is not None and end is not None:
                axes.barh(row, end - begin, left=begin, height=0.7, color=ink, lw=0)
        if member.begun is not None:
            axes.plot(member.begun, row, "|", color=UP[2], ms=4)
    if stream.bound is not None:
        axes.axvline(stream.bound, color=GREY, lw=1.2)
    named = len(flow.members) <= NAMED
    names = [node_words(member.node) for member in flow.members] if named else []
    axes.set_yticks(range(len(names)), names, fontsize=6)
    axes.set_ylim(len(flow.members) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
    axes.set_xlim(*_span(stream))
    axes.set_xlabel("cycles from the first beat of the last member", fontsize=8)
    axes.set_facecolor(PAPER)


def _span(stream: StreamResult) -> tuple[int, int]:
    """Return the cycles that plots show."""
    flow = stream.flow
    times = [at for member in flow.members for at in (member.begun, member.last) if at is not None]
    end = flow.begin + flow.window * len(flow.up)
    return min([flow.begin, *times]), max([end, *times])
