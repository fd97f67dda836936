"""A mesh with its barrier trees, every edge along the links that its messages or wires take."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from syncfabric.models.networks.mesh import Mesh, Node, Port
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.tree import distribute_turn
from syncfabric.sim.draw.canvas import GREY, PAPER, Sheet, depth_colours
from syncfabric.sim.draw.mesh.ground import MeshGround
from syncfabric.sim.draw.mesh.lanes import corners, lay_out
from syncfabric.sim.draw.page import Mark, depth_key
from syncfabric.sim.draw.strokes import draw_ways, head, rounded, shortened, trunk

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Branches", "MeshChart", "branches"]

RADIUS = 0.21


class Branches(NamedTuple):
    """A tree as it is drawn.

    Parameters
    ----------
    depths : dict of Node to int
        Of every router of the tree.
    ways : list of (int, list of Node)
        For each but the root its depth, and the corners of the path from its parent.
    """

    depths: dict[Node, int]
    ways: list[tuple[int, list[Node]]]


def branches(group: GroupPlan, mesh: Mesh) -> Branches:
    """Return a group's tree: all routers that it takes, and the ways between them."""
    tree = group.shape
    nodes, depths = [mesh.node(router) for router in tree.routers.tolist()], tree.depth.tolist()
    ways = []
    for child, above in enumerate(tree.parent.tolist()):
        if above >= 0:
            turn = distribute_turn(Port(int(tree.far_port[child])))
            crossed = [node for node, _ in mesh.path(nodes[above], nodes[child], turn)]
            ways.append((depths[child], corners([*crossed, nodes[child]])))
    return Branches(dict(zip(nodes, depths, strict=True)), ways)


class MeshChart(MeshGround):
    """See ``Chart``."""

    def draw_tree(self, axes: "Axes", group: GroupPlan, height: int) -> None:
        """Draw the mesh, the tree's routers in the colours of their depths, and its ways."""
        self.ground(axes)
        _draw_tree(axes, group, self.mesh, self.sheet, height)

    def tree_key(self, groups: Sequence[GroupPlan]) -> list[Mark]:
        """Return the colours of the depths, and how routers that are passed are marked."""
        some = any(len(group.members) < len(self.mesh.nodes) for group in groups)
        highest = max(group.height for group in groups)
        key = depth_key(highest, others="not a member" if some else None, shape="disc")
        trees = (branches(group, self.mesh).depths for group in groups)
        if any(len(tree) > len(group.members) for tree, group in zip(trees, groups, strict=True)):
            key.append(Mark(GREY, "on the way, not a member", "ring"))
        return key


def _draw_tree(axes: "Axes", group: GroupPlan, mesh: Mesh, sheet: Sheet, height: int) -> None:
    """Draw the tree's routers in the colours of their depths, and the routes between them.

    A router that is no member is a ring.

    Parameters
    ----------
    axes : Axes
    group : GroupPlan
    mesh : Mesh
    sheet : Sheet
    height : int
        Height of the highest tree on the page, which spreads the colours.
    """
    colours = depth_colours(height)
    cell = sheet.points(1)
    depths, paths = branches(group, mesh)
    members = set(group.members)
    x, y = zip(*group.members, strict=True)
    ink = [colours[depths[node]] for node in group.members]
    axes.scatter(x, y, s=(cell * 2 * RADIUS) ** 2, c=ink, linewidths=0, zorder=6)
    if passed := [node for node in depths if node not in members]:
        x, y = zip(*passed, strict=True)
        rim, line = [colours[depths[node]] for node in passed], cell * 0.06
        size = (cell * 2 * RADIUS - line) ** 2
        axes.scatter(x, y, s=size, c=PAPER, edgecolors=rim, linewidths=line, zorder=6)
    (root,) = (node for node, depth in depths.items() if depth == 0)
    dot = PAPER if root in members else colours[0]
    axes.scatter(*root, s=(cell * RADIUS * 0.9) ** 2, color=dot, linewidths=0, zorder=7)
    lanes = lay_out([path for _, path in paths], RADIUS + 0.02)
    tip, width = 0.17, max(0.8, cell * 0.05)
    broad = [trunk(depth, height) for depth, _ in paths]
    draw_ways(
        axes,
        [rounded(shortened(lane, tip * 0.8)) for lane in lanes],
        [head(lane, tip) for lane in lanes],
        [colours[depth] for depth, _ in paths],
        [width * part for part in broad],
        [width * (part + 0.7) for part in broad],
        3,
    )
