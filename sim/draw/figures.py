"""Whole pictures: one group's tree or ring, a plan's side by side, a network, its load."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from syncfabric.models.layout.slots import WIRE_PLANNER
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.sim.draw.canvas import INK, settings
from syncfabric.sim.draw.chart import chart_of
from syncfabric.sim.draw.page import TOP, Mark, Page
from syncfabric.sim.draw.style import colours
from syncfabric.sim.results import ChannelLoad
from syncfabric.sim.words import count, network_words, root_words, way_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from syncfabric.models.networks.spec import AnySpec, NetworkSpec
    from syncfabric.models.planning.plan import AnyGroupPlan, BarrierPlan

__all__ = ["SCALE", "group_figure", "heat_figure", "network_figure", "plan_figure"]

MOST_PANELS, MOST_COLOURS = 12, 10
"""Groups that have a panel, or a colour, of their own."""
PANEL_TOP = 0.62
"""Room for a panel's heading, in inches."""
SCALE = ("#e6eaee", "#f3c56a", "#f08a24", "#c4341f", "#5c0a16")
"""Idle to full."""


def group_figure(plan: "BarrierPlan", group: "AnyGroupPlan") -> "Figure":
    """Draw one group's tree or ring with its title and the key of its colours."""
    chart = chart_of(plan.spec.network, 6.4, plan.groups)
    left, right, below = chart.margins
    width, height = chart.sheet.size
    with settings():
        page = Page(max(left + width + right, 5.2), TOP + height + below, chart.tree_key([group]))
        line = f"{count(len(group.members), 'member')} · {_facts(plan, group)}"
        line += f" · planner {group.planner}"
        page.heading(f"{plan.spec.name} · group {group.id}", line, page.width / 2, 0.3)
        axes = page.axes(chart.sheet, chart.margins, page.width / 2, TOP)
        chart.draw_tree(axes, group, _highest([group]))
    return page.figure


def plan_figure(plan: "BarrierPlan") -> "Figure":
    """Draw a plan: one group as ``group_figure``, several as panels side by side."""
    if len(plan.groups) == 1:
        return group_figure(plan, plan.groups[0])
    shown = plan.groups[:MOST_PANELS]
    if not shown:
        return network_figure(plan.spec)
    chart = chart_of(plan.spec.network, 4.2, plan.groups)
    left, right, below = chart.margins
    width, height = chart.sheet.size
    step_x, step_y = max(left + width + right, 3.8), PANEL_TOP + height + below
    columns = min(len(shown), 2 if len(shown) in (2, 4) else 3, max(1, int(15 / step_x)))
    rows = -(-len(shown) // columns)
    highest = _highest(shown)
    rest = len(plan.groups) - len(shown)
    more = f" · {count(rest, 'group')} not shown" if rest else ""
    with settings():
        page = Page(columns * step_x, TOP + rows * step_y, chart.tree_key(shown))
        words = network_words(plan.spec.network)
        line = f"{words} · {count(len(plan.groups), 'group')}{more}"
        page.heading(plan.spec.name, line, page.width / 2, 0.3, size=15)
        for place, group in enumerate(shown):
            row, column = divmod(place, columns)
            middle, top = (column + 0.5) * step_x, TOP + row * step_y
            title = f"group {group.id} · {count(len(group.members), 'member')}"
            page.heading(title, _facts(plan, group), middle, top + 0.16, size=11)
            axes = page.axes(chart.sheet, chart.margins, middle, top + PANEL_TOP)
            chart.draw_tree(axes, group, highest)
    return page.figure


def network_figure(spec: "NetworkSpec") -> "Figure":
    """Draw a network, and at every node the colours of the groups it is in."""
    chart = chart_of(spec.network, 4.6)
    left, right, below = chart.margins
    width, height = chart.sheet.size
    shown = list(zip(colours(min(MOST_COLOURS, len(spec.groups))), spec.groups, strict=False))
    inks: dict[tuple[int, int], list[str]] = {}
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
        page = Page(max(left + width + right, 4.2), TOP + height + below, key)
        words = network_words(spec.network)
        page.heading(
            spec.name, f"{words} · {count(len(spec.groups), 'group')}", page.width / 2, 0.3
        )
        axes = page.axes(chart.sheet, chart.margins, page.width / 2, TOP)
        chart.draw_groups(axes, inks)
    return page.figure


def _highest(groups: Sequence["AnyGroupPlan"]) -> int:
    """Return the height of the highest tree; a ring has none."""
    return max((group.height for group in groups if group.height is not None), default=0)


def _facts(plan: "BarrierPlan", group: "AnyGroupPlan") -> str:
    """Return a group's figures in one line."""
    slot = ""
    if group.planner == WIRE_PLANNER and isinstance(group, GroupPlan):
        first = plan.spec.message_network.shape.router.layout.entries
        slot = f"slot {min(group.placement.values()) - first} · "
    bound = "" if group.bound is None else f" · bound {count(group.bound, 'cycle')}"
    return f"{slot}{root_words(group)} · {way_words(group)}{bound}"


def heat_figure(
    network: "AnySpec", loads: Iterable[ChannelLoad], *, title: str, line: str = ""
) -> "Figure":
    """Draw how busy each directed channel was.

    Between routers an arrow for each direction, keeping right; of a node's mark the left half is
    what it sends (``inject``), the right half what it receives.

    Parameters
    ----------
    network : AnySpec
    loads : iterable of ChannelLoad
        Channels that are left out are drawn empty.
    title, line : str
        Heading, and a line below it.
    """
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    loads = tuple(loads)
    top = max((load.load for load in loads), default=0.0)
    limit = next((step for step in (0.05, 0.1, 0.2, 0.5, 1.0) if top <= step), max(top, 1.0))
    norm, scale = Normalize(0, limit), LinearSegmentedColormap.from_list("load", SCALE)
    chart = chart_of(network, side=6.4)
    width, height = chart.sheet.size
    with settings():
        page = Page(max(chart.margins.left + width + chart.margins.right, 5.2), TOP + height + 1.0)
        page.heading(title, line, page.width / 2, 0.3)
        axes = page.axes(chart.sheet, chart.margins, page.width / 2, TOP)
        chart.draw_loads(axes, loads, lambda load: scale(norm(load)))
        long = min(3.6, page.width - 1.2)
        box = (0.5 - long / page.width / 2, 0.5 / page.height, long / page.width, 0.1 / page.height)
        bar = page.figure.colorbar(
            ScalarMappable(norm, scale), cax=page.figure.add_axes(box), orientation="horizontal"
        )
        bar.outline.set_visible(False)
        bar.ax.tick_params(length=2, labelsize=7, color=INK)
        bar.set_label(f"flits and messages a cycle; {chart.heat_words}", fontsize=7.5)
    return page.figure
