"""Whole pictures: one tree with its title and key, a plan's trees side by side, a network."""

from typing import TYPE_CHECKING

from syncfabric.sim.draw.canvas import Sheet, draw_mesh, settings
from syncfabric.sim.draw.page import LEFT, NUMBERS, RIGHT, TOP, Page, count, depth_key
from syncfabric.sim.draw.tree import draw_tree

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from syncfabric.models.networks.spec import NetworkSpec
    from syncfabric.models.planning.plan import BarrierPlan, GroupPlan

__all__ = ["group_figure", "network_figure", "plan_figure"]

MOST_PANELS = 12
PANEL_TOP = 0.62
"""Room for a panel's heading, in inches."""


def group_figure(plan: "BarrierPlan", group: "GroupPlan") -> "Figure":
    """Draw one group's tree with its title and the key of its colours."""
    sheet = Sheet(plan.spec.network.mesh)
    width, height = sheet.size
    with settings():
        others = len(group.members) < len(sheet.mesh.nodes)
        key = depth_key(group.height, others=others)
        page = Page(max(LEFT + width + RIGHT, 5.2), TOP + height + NUMBERS, key)
        line = f"{count(len(group.members), 'member')} · {_facts(group)} · planner {group.planner}"
        page.heading(f"{plan.spec.name} · group {group.id}", line, page.width / 2, 0.3)
        draw_tree(page.mesh(sheet, page.width / 2, TOP), group.tree, sheet, group.height)
    return page.figure


def plan_figure(plan: "BarrierPlan") -> "Figure":
    """Draw a plan: one group's tree as ``group_figure``, several as panels side by side."""
    if len(plan.groups) == 1:
        return group_figure(plan, plan.groups[0])
    mesh, shown = plan.spec.network.mesh, plan.groups[:MOST_PANELS]
    if not shown:
        return network_figure(plan.spec)
    sheet = Sheet(mesh, side=4.2)
    width, height = sheet.size
    step_x, step_y = max(LEFT + width + RIGHT, 3.2), PANEL_TOP + height + NUMBERS
    columns = min(len(shown), 2 if len(shown) in (2, 4) else 3, max(1, int(15 / step_x)))
    rows = -(-len(shown) // columns)
    highest = max(group.height for group in shown)
    rest = len(plan.groups) - len(shown)
    more = f" · {count(rest, 'group')} not shown" if rest else ""
    with settings():
        others = any(len(group.members) < len(mesh.nodes) for group in shown)
        key = depth_key(highest, others=others)
        page = Page(columns * step_x, TOP + rows * step_y, key)
        line = f"{mesh} · {count(len(plan.groups), 'group')}{more}"
        page.heading(plan.spec.name, line, page.width / 2, 0.3, size=15)
        for place, group in enumerate(shown):
            row, column = divmod(place, columns)
            middle, top = (column + 0.5) * step_x, TOP + row * step_y
            title = f"group {group.id} · {count(len(group.members), 'member')}"
            page.heading(title, _facts(group), middle, top + 0.16, size=11)
            draw_tree(page.mesh(sheet, middle, top + PANEL_TOP), group.tree, sheet, highest)
    return page.figure


def network_figure(spec: "NetworkSpec") -> "Figure":
    """Draw a network: the mesh, and at every node the colours of the groups it is in."""
    from matplotlib import colormaps
    from matplotlib.collections import PatchCollection
    from matplotlib.colors import to_hex
    from matplotlib.patches import Wedge

    sheet = Sheet(spec.network.mesh, side=4.6)
    width, height = sheet.size
    palette = [to_hex(colormaps["tab10"](place)) for place in range(10)]
    shown = spec.groups[: len(palette)]
    groups: dict[tuple[int, int], list[int]] = {}
    for place, group in enumerate(shown):
        for node in group.members:
            groups.setdefault(node, []).append(place)
    wedges, inks = [], []
    for node, places in groups.items():
        part = 360 / len(places)
        for turn, place in enumerate(places):
            wedges.append(Wedge(node, 0.26, 90 - (turn + 1) * part, 90 - turn * part))
            inks.append(palette[place])
    key = [
        (palette[place], f"group {group.id}: {count(len(group.members), 'member')}")
        for place, group in enumerate(shown)
    ]
    if rest := len(spec.groups) - len(shown):
        key.append(("white", f"{count(rest, 'group')} not shown"))
    with settings():
        page = Page(max(LEFT + width + RIGHT, 4.2), TOP + height + NUMBERS, key)
        line = f"{sheet.mesh} · {count(len(spec.groups), 'group')}"
        page.heading(spec.name, line, page.width / 2, 0.3)
        axes = page.mesh(sheet, page.width / 2, TOP)
        draw_mesh(axes, sheet)
        axes.add_collection(PatchCollection(wedges, facecolors=inks, linewidths=0, zorder=3))
    return page.figure


def _facts(group: "GroupPlan") -> str:
    """Return a group's figures in one line."""
    bound = "" if group.bound is None else f" · bound {count(group.bound, 'cycle')}"
    path = count(group.longest_path, "hop")
    x, y = group.root
    return f"root ({x}, {y}) · height {group.height} · longest path {path}{bound}"
