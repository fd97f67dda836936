"""A static network on a sheet: a mesh, with rings and multicast trees along its directed links."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from syncfabric.models.networks.mesh import Mesh, Node
from syncfabric.sim.draw.canvas import GREY, PAPER, ROOT, depth_colours
from syncfabric.sim.draw.mesh.ground import MeshGround
from syncfabric.sim.draw.page import Mark, depth_key
from syncfabric.sim.draw.static.lanes import AWAY, branches, middle, ring_lane
from syncfabric.sim.draw.strokes import Point, head, rounded

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from syncfabric.models.planning.plan_static import StaticGroupPlan

__all__ = ["StaticChart"]

RADIUS = 0.21
"""Of a member's disc, in hops."""
RIM = (RADIUS**2 - AWAY**2) ** 0.5 + 0.01
"""How far from a switch a lane meets that disc."""
PASSED = 0.14
"""Of a switch's that is only passed."""
TIP = 0.15
"""Length of an arrowhead."""
RING, RING_MEMBER = "#1f5f99", "#a9cbe8"
OTHERS = "#c5ccd4"


class StaticChart(MeshGround):
    """See ``Chart``.

    Parameters
    ----------
    mesh : Mesh
        The switches.
    side : float
        As of ``Sheet``.
    groups : sequence of StaticGroupPlan
        All groups: beside the one that is drawn, the others' ways are pale.
    """

    heat_words = "in a square: left sent by the core, right received"

    def __init__(self, mesh: Mesh, side: float, groups: Sequence["StaticGroupPlan"]) -> None:
        super().__init__(mesh, side)
        self.groups = groups

    def draw_tree(self, axes: "Axes", group: "StaticGroupPlan", height: int) -> None:
        """Draw the mesh, the group's members, and its ring or tree over the other groups' ways."""
        self.ground(axes)
        others = [other for other in self.groups if other.id != group.id]
        for other in others:
            self._discs(axes, other.members, PASSED, [OTHERS] * len(other.members), 3)
            self._way(axes, other, [OTHERS] * (1 + other.longest_path), OTHERS, 0.75, 3)
        colours, passed = depth_colours(height), _passed(group)
        taken = {node for other in others for node in other.members}
        faces = [OTHERS if node in taken else PAPER for node in passed]
        self._discs(axes, passed, PASSED, faces, 4, edgecolors=GREY)
        self._discs(axes, group.members, RADIUS, _inks(group, colours), 4)
        self._discs(axes, [group.root], RADIUS * 0.45, [PAPER], 5)
        self._way(axes, group, colours, RING, 1.0, 6)

    def tree_key(self, groups: Sequence["StaticGroupPlan"]) -> list[Mark]:
        """Return what the discs and lines are."""
        heights = [group.height for group in groups if group.height]
        key = depth_key(max(heights, default=0), others=None, shape="disc")
        if any(group.ring for group in groups):
            key.insert(1, Mark(RING_MEMBER, "member on a ring"))
        if any(map(_passed, groups)):
            key.append(Mark(GREY, "passed, not a member", "ring"))
        if len(self.groups) > 1:
            key.append(Mark(OTHERS, "other groups"))
        return key

    def _way(
        self,
        axes: "Axes",
        group: "StaticGroupPlan",
        colours: Sequence[str],
        ring_ink: str,
        broad: float,
        layer: int,
    ) -> None:
        """Draw a group's ring or tree, an arrowhead on every link."""
        from matplotlib.collections import LineCollection, PolyCollection

        ring = group.ring or []
        lanes: list[list[Point]] = [ring_lane(ring)] if ring else []
        inks = [ring_ink] * len(lanes)
        links = list(zip(ring, [*ring[1:], *ring[:1]], strict=True))
        tips = [ring_ink] * len(links)
        for branch in branches(group.root, group.edges or (), RIM):
            lanes.append(branch.lane)
            links.append(branch.link)
            inks.append(colours[branch.depth])
            tips.append(colours[branch.depth])
        width = broad * max(0.8, self.sheet.points(0.05))
        lines = [rounded(lane) for lane in lanes]
        cased = LineCollection(lines, colors="white", linewidths=width * 1.5, zorder=layer)
        axes.add_collection(cased)
        axes.add_collection(LineCollection(lines, colors=inks, linewidths=width, zorder=layer + 1))
        heads = [head(_to_tip(link), TIP) for link in links]
        axes.add_collection(PolyCollection(heads, facecolors=tips, lw=0, zorder=layer + 2))

    def _discs(
        self,
        axes: "Axes",
        nodes: Sequence[Node],
        radius: float,
        inks: Sequence[str],
        layer: int,
        edgecolors: str = "none",
    ) -> None:
        if nodes:
            x, y = zip(*nodes, strict=True)
            size = self.sheet.points(2 * radius) ** 2
            thin = self.sheet.points(0.025)
            axes.scatter(x, y, s=size, c=inks, zorder=layer, edgecolors=edgecolors, linewidths=thin)


def _to_tip(link: tuple[Node, Node]) -> list[Point]:
    """Return a piece of a link's lane that ends where its arrowhead does."""
    (ax, ay), (bx, by) = link
    (x, y), ahead = middle(link), TIP / 2
    return [(x, y), (x + (bx - ax) * ahead, y + (by - ay) * ahead)]


def _passed(group: "StaticGroupPlan") -> list[Node]:
    """Return the switches that a group's way passes without a member, each once."""
    on_way = group.ring or [switch for switch, _ in group.edges or ()]
    return sorted(set(on_way) - set(group.members))


def _inks(group: "StaticGroupPlan", colours: Sequence[str]) -> list[str]:
    """Return a colour for each member: red for the root, one for a ring, by depth in a tree."""
    depth = {group.root: 0}
    for switch, above in group.edges or ():
        depth[switch] = depth[above] + 1
    return [
        ROOT if node == group.root else colours[depth[node]] if node in depth else RING_MEMBER
        for node in group.members
    ]
