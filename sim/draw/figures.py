"""Whole pictures: one group's tree or ring, a plan's side by side, a network, its load."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from syncfabric.models.errors import OutputError
from syncfabric.models.layout.slots import WIRE_PLANNER
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.sim.draw.overlay import Dot, flow_overlay, key_of, overlay
from syncfabric.sim.draw.page import (
    GREY,
    INK,
    PAPER,
    ROOT,
    TOP,
    Margins,
    Mark,
    Page,
    Sheet,
    format_of,
    settings,
    to_svg,
)
from syncfabric.sim.draw.renderer import Renderer, sheet_of
from syncfabric.sim.draw.scene import Scene, scene_of
from syncfabric.sim.draw.style import colours
from syncfabric.sim.results import ChannelLoad
from syncfabric.sim.words import count, hop_words, kind_words, network_words, node_words, root_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap, Normalize
    from matplotlib.figure import Figure

    from syncfabric.models.networks.spec import AnySpec, NetworkSpec
    from syncfabric.models.planning.group_plan import GroupPlan
    from syncfabric.models.planning.plan import BarrierPlan
    from syncfabric.sim.stream_result import StreamResult

MOST_PANELS, MOST_COLOURS = 12, 10
"""Groups that have a panel, or a colour, of their own."""
PANEL_TOP = 0.62
"""Room for a panel's heading, in inches."""
HEAT_WORDS = "in a node: left sent by it, right received"
SCALE = ("#e6eaee", "#f3c56a", "#f08a24", "#c4341f", "#5c0a16")
"""Idle to full."""
LARGEST_MESH = 64
"""Most nodes along a side of a mesh, or of a static network, that a picture shows."""
LARGEST_IRREGULAR = 100
"""Most switches of an irregular network that a picture shows."""


def _within(network: AnySpec) -> tuple[bool, str]:
    """Return whether a network fits, and the largest one in words."""
    topology = network.topology
    if isinstance(topology, Irregular):
        fits = topology.switches <= LARGEST_IRREGULAR
        return fits, f"{LARGEST_IRREGULAR} switches"
    fits = max(topology.width, topology.height) <= LARGEST_MESH
    return fits, f"{LARGEST_MESH}x{LARGEST_MESH}"


def can_draw(network: AnySpec) -> bool:
    """Return whether a network is small enough for a picture."""
    return _within(network)[0]


def check_picture(path: str | Path, network: AnySpec) -> str:
    """Return the format that a picture's file name asks for.

    Raises
    ------
    OutputError
        The name ends otherwise, or the network is larger than a picture can show.
    """
    kind = format_of(path)
    fits, largest = _within(network)
    if not fits:
        words = kind_words(network)
        raise OutputError(
            f"picture {path}: a{'n' * (words[0] in 'aeiou')} {words} is too large to draw; "
            f"pictures go up to {largest}, so leave the picture out"
        )
    return kind


def show(network: AnySpec, make: Callable[[], Figure]) -> str | None:
    """Return a figure as SVG for a notebook; None where the network is too large to draw."""
    return to_svg(make()) if can_draw(network) else None


class Place:
    """A network's scene, its sheet, and the room around it."""

    def __init__(self, network: AnySpec, side: float) -> None:
        self.scene: Scene = scene_of(network)
        self.sheet: Sheet = sheet_of(self.scene, side)
        numbered = bool(self.scene.marks)
        self.margins = Margins(0.42, 0.2, 0.34) if numbered else Margins(0.15, 0.15, 0.1)
        self.width = self.margins.left + self.sheet.size[0] + self.margins.right
        self.height = self.sheet.size[1] + self.margins.below

    def renderer(self, page: Page, middle: float, top: float) -> Renderer:
        """Return what draws it on a page: around ``middle``, ``top`` inches from above."""
        axes: Axes = page.axes(self.sheet, self.margins, middle, top)
        return Renderer(axes, self.sheet, self.scene)


def group_figure(plan: BarrierPlan, group: GroupPlan) -> Figure:
    """Draw one group's tree or ring with its title and the key of its colours."""
    place = Place(plan.spec.network, 6.4)
    with settings():
        key = key_of(place.scene, [group], len(plan.groups))
        page = Page(max(place.width, 5.2), TOP + place.height, key)
        line = f"{count(len(group.members), 'member')} · {_facts(plan, group)}"
        line += f" · planner {group.planner}"
        page.heading(f"{plan.spec.name} · group {group.id}", line, page.width / 2, 0.3)
        drawn = overlay(place.scene, group, group.height or 0, plan.groups)
        place.renderer(page, page.width / 2, TOP).draw(drawn)
    return page.figure


def plan_figure(plan: BarrierPlan) -> Figure:
    """Draw a plan: one group as ``group_figure``, several as panels side by side."""
    if len(plan.groups) == 1:
        return group_figure(plan, plan.groups[0])
    shown = plan.groups[:MOST_PANELS]
    if not shown:
        return network_figure(plan.spec)
    place = Place(plan.spec.network, 4.2)
    step_x, step_y = max(place.width, 3.8), PANEL_TOP + place.height
    columns = min(len(shown), 2 if len(shown) in (2, 4) else 3, max(1, int(15 / step_x)))
    rows = -(-len(shown) // columns)
    highest = max(group.height or 0 for group in shown)
    rest = len(plan.groups) - len(shown)
    more = f" · {count(rest, 'group')} not shown" if rest else ""
    with settings():
        key = key_of(place.scene, shown, len(plan.groups))
        page = Page(columns * step_x, TOP + rows * step_y, key)
        words = network_words(plan.spec.network)
        line = f"{words} · {count(len(plan.groups), 'group')}{more}"
        page.heading(plan.spec.name, line, page.width / 2, 0.3, size=15)
        for number, group in enumerate(shown):
            row, column = divmod(number, columns)
            middle, top = (column + 0.5) * step_x, TOP + row * step_y
            title = f"group {group.id} · {count(len(group.members), 'member')}"
            page.heading(title, _facts(plan, group), middle, top + 0.16, size=11)
            drawn = overlay(place.scene, group, highest, plan.groups)
            place.renderer(page, middle, top + PANEL_TOP).draw(drawn)
    return page.figure


def network_figure(spec: NetworkSpec) -> Figure:
    """Draw a network, and at every node the colours of the groups it is in."""
    place = Place(spec.network, 4.6)
    shown = list(zip(colours(min(MOST_COLOURS, len(spec.groups))), spec.groups, strict=False))
    inks: dict[Hashable, list[str]] = {}
    for ink, group in shown:
        for node in group.members:
            inks.setdefault(node, []).append(ink)
    key = [
        Mark(ink, f"group {group.id}: {count(len(group.members), 'member')}")
        for ink, group in shown
    ]
    if rest := len(spec.groups) - len(shown):
        key.append(Mark("white", f"{count(rest, 'group')} not shown"))
    with settings():
        page = Page(max(place.width, 4.2), TOP + place.height, key)
        words = network_words(spec.network)
        page.heading(
            spec.name, f"{words} · {count(len(spec.groups), 'group')}", page.width / 2, 0.3
        )
        renderer = place.renderer(page, page.width / 2, TOP)
        renderer.background(INK)
        renderer.pies(inks, PAPER)
    return page.figure


def _facts(plan: BarrierPlan, group: GroupPlan) -> str:
    """Return a group's figures in one line."""
    slot = ""
    if group.planner == WIRE_PLANNER:
        first = plan.spec.message_network.shape.router.layout.entries
        slot = f"slot {min(group.placement.values()) - first} · "
    bound = "" if group.bound is None else f" · bound {count(group.bound, 'cycle')}"
    return f"{slot}{root_words(group)} · {hop_words(group)}{bound}"


def heat_figure(
    network: AnySpec, loads: Iterable[ChannelLoad], *, title: str, line: str = ""
) -> Figure:
    """Draw how busy each directed channel was.

    Between routers an arrow for each direction, keeping right; of a node the left half is what it
    sends (``inject``), the right half what it receives.

    Parameters
    ----------
    network : AnySpec
    loads : iterable of ChannelLoad
        Channels that are left out are drawn empty.
    title, line : str
        Heading, and a line below it.
    """
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    loads = tuple(loads)
    top = max((load.load for load in loads), default=0.0)
    limit = next((step for step in (0.05, 0.1, 0.2, 0.5, 1.0) if top <= step), max(top, 1.0))
    norm, scale = Normalize(0, limit), LinearSegmentedColormap.from_list("load", SCALE)
    place = Place(network, 6.4)
    known: dict[Hashable, Any] = {(load.node, load.port): scale(norm(load.load)) for load in loads}
    scene, idle = place.scene, scale(norm(0.0))
    ends = dict.fromkeys(end for pair in scene.ends.values() for end in pair)
    with settings():
        page = Page(max(place.width, 5.2), TOP + place.sheet.size[1] + 1.0)
        page.heading(title, line, page.width / 2, 0.3)
        renderer = place.renderer(page, page.width / 2, TOP)
        renderer.bands({link: known.get(link, idle) for link in scene.links if link not in ends})
        renderer.links([scene.links[end] for end in ends if end in scene.links])
        renderer.numbers(covering=False)
        switches = {name: Dot(INK) for name, spot in scene.spots.items() if spot.square}
        renderer.dots(switches, 6)
        halves = {
            node: (known.get(received, idle), known.get(sent, idle))
            for node, (sent, received) in scene.ends.items()
        }
        renderer.pies(halves, GREY, hole=0.55)
        words = f"flits and messages a cycle; {HEAT_WORDS}"
        colour_bar(page, norm, scale, words, page.width / 2, page.height - 0.6)
    return page.figure


def colour_bar(
    page: Page, norm: Normalize, scale: Colormap, words: str, middle: float, top: float
) -> None:
    """Draw a scale of colours with words below it, around ``middle``, ``top`` inches from above."""
    from matplotlib.cm import ScalarMappable

    long = min(3.6, page.width - 1.2)
    bar = page.figure.colorbar(
        ScalarMappable(norm, scale),
        cax=page.box(middle - long / 2, top, long, 0.1),
        orientation="horizontal",
    )
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=2, labelsize=7, color=INK)
    bar.set_label(words, fontsize=7.5)


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
            renderer = place.renderer(page, left + place.width / 2, top + PANEL_TOP)
            renderer.draw(flow_overlay(place.scene, group, inks))
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
