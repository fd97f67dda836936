"""A static network on a sheet: a mesh, with rings and multicast trees along its directed links."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from syncfabric.models.networks.mesh import Mesh, Node
from syncfabric.sim.draw.canvas import GREY, PAPER, ROOT, depth_colours
from syncfabric.sim.draw.mesh.ground import MeshGround
from syncfabric.sim.draw.page import Mark, depth_key
from syncfabric.sim.draw.strokes import Point, draw_ways, head, rounded

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from syncfabric.models.planning.plan_static import StaticGroupPlan

__all__ = ["AWAY", "StaticChart", "branches", "ring_lane"]

AWAY = 0.085
"""Distance of a link's lane from the line between its switches; it keeps right of that.

No two ways use one directed link, so no two of them lie on one another.
"""
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
        draw_ways(
            axes,
            [rounded(lane) for lane in lanes],
            [head(_to_tip(link), TIP) for link in links],
            inks,
            [width] * len(lanes),
            [width * 1.5] * len(lanes),
            layer,
            tips,
        )

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


Link = tuple[Node, Node]


class Branch(NamedTuple):
    """A link of a tree, with the bend at its beginning.

    ``depth`` is the links from the root to its end; at a ``leaf`` the tree goes no further.
    """

    link: Link
    depth: int
    lane: list[Point]
    leaf: bool


def ring_lane(ring: Sequence[Node]) -> list[Point]:
    """Return a closed lane round a ring: the middle of its last link, its bends, the same point.

    Parameters
    ----------
    ring : sequence of Node
        Its switches in order, each next to the one before; the first follows the last.
    """
    links = list(zip(ring, [*ring[1:], ring[0]], strict=True))
    begin = middle(links[-1])
    bends = [
        point
        for before, after in zip([links[-1], *links[:-1]], links, strict=True)
        for point in _bend(before, after)
    ]
    return [begin, *bends, begin]


def branches(root: Node, edges: Iterable[tuple[Node, Node]], rim: float) -> list[Branch]:
    """Return every link of a tree, from the root outwards; each begins where one above it ends.

    Parameters
    ----------
    root : Node
    edges : iterable of (Node, Node)
        Every switch and the one above it, from the root outwards.
    rim : float
        How far from its ends a link's lane begins and ends: there the members' discs are.
    """
    edges = list(edges)
    depth, entry = {root: 0}, dict(edges)
    inner = set(entry.values())
    found = []
    for switch, above in edges:
        depth[switch] = depth[above] + 1
        link = (above, switch)
        if above == root:
            lane = [_beside(link, 0, rim)]
        else:
            before = (entry[above], above)
            lane = [_beside(before, 1, -rim), *_bend(before, link)]
        lane.append(_beside(link, 1, -rim))
        found.append(Branch(link, depth[switch], lane, switch not in inner))
    return found


def middle(link: Link) -> Point:
    """Return the middle of a link's lane."""
    (ax, ay), (bx, by) = _beside(link, 0, 0.0), _beside(link, 1, 0.0)
    return (ax + bx) / 2, (ay + by) / 2


def _way(link: Link) -> Node:
    (ax, ay), (bx, by) = link
    return bx - ax, by - ay


def _beside(link: Link, end: int, along: float) -> Point:
    """Return the point of a link's lane that is ``along`` after one of its ends."""
    (x, y), (dx, dy) = link[end], _way(link)
    # To the right of (dx, dy) is (dy, -dx).
    return x + dx * along + dy * AWAY, y + dy * along - dx * AWAY


def _bend(before: Link, after: Link) -> list[Point]:
    """Return where one link's lane goes over into another's; nothing where that is straight on."""
    if _way(before) == _way(after):
        return []
    if _way(before) == (-_way(after)[0], -_way(after)[1]):
        return [_beside(before, 1, AWAY), _beside(after, 0, -AWAY)]
    (x, y), (bx, by), (ax, ay) = after[0], _way(before), _way(after)
    return [(x + (by + ay) * AWAY, y - (bx + ax) * AWAY)]
