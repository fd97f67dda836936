"""What is drawn over a scene for a group: its tree or ring along the links, and its members."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from syncfabric.models.networks.mesh import Node
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.sim.draw.lines import TIP, Points, corners, cut, head, lanes, moved, rounded
from syncfabric.sim.draw.page import GREY, INK, PAPER, ROOT, Mark, depth_colours, depth_key
from syncfabric.sim.draw.scene import NODE, Scene

RING, RING_MEMBER = "#1f5f99", "#a9cbe8"
OTHERS = "#c5ccd4"
"""Colour of the groups that a panel is not about."""
PASSED = 0.7
"""Size of a switch of a static network that is passed without a member, in parts of a node's."""


class Dot(NamedTuple):
    """How a spot is drawn: its face, its edge, and its size in parts of the spot's own."""

    face: str
    edge: str | None = None
    part: float = 1.0


class Line(NamedTuple):
    """A line in a colour, and arrowheads; ``broad`` in parts of a leaf's edge."""

    points: Points
    ink: str
    heads: Sequence[Points] = ()
    broad: float = 1.0


@dataclass
class Overlay:
    """Everything that a group adds to its network's scene."""

    dots: dict[Hashable, Dot] = field(default_factory=dict)
    """By spot."""
    lines: list[Line] = field(default_factory=list)
    bands: dict[Hashable, Any] = field(default_factory=dict)
    """Colours of directed links that are broad arrows."""
    root: Hashable | None = None
    """The spot that is marked as the root."""
    passed: bool = False
    """Some router is on the path without a member."""
    above: bool = False
    """Lines lie over the dots: they lead through members."""
    others: "Overlay | None" = None
    """What is drawn below it."""


def overlay(
    scene: Scene, group: GroupPlan, height: int, groups: Sequence[GroupPlan] = ()
) -> Overlay:
    """Return what is drawn of a group.

    Parameters
    ----------
    scene : Scene
        Of its network.
    group : group plan
    height : int
        That of the highest tree on the page, which spreads the colours.
    groups : sequence of group plans
        All: on a static network, where they share out the links, the others are drawn pale.
    """
    colours = depth_colours(height)
    if group.static:
        made = _static(scene, group, colours)
        made.others = Overlay()
        for other in groups:
            if other.id != group.id:
                pale = _static(scene, other, [OTHERS] * (1 + other.longest_path))
                lines = [line._replace(ink=OTHERS, broad=0.75) for line in pale.lines]
                made.others.lines += lines
                made.others.dots |= dict.fromkeys(other.members, Dot(OTHERS, None, PASSED))
        for node in made.dots.keys() & made.others.dots.keys() - set(group.members):
            made.dots[node] = Dot(OTHERS, GREY, PASSED)
        return made
    return _grid_tree(group, colours) if group.graph.columns else _tree(scene, group, colours)


def flow_overlay(scene: Scene, group: GroupPlan, inks: Mapping[Hashable, Any]) -> Overlay:
    """Return a group's members and its root, and links of its tree in colours of their own."""
    made = overlay(scene, group, group.height or 0)
    made.lines = [line._replace(ink=GREY) for line in made.lines if not line.heads]
    for name, dot in made.dots.items():
        if dot.face == PAPER:
            made.dots[name] = Dot(PAPER, GREY)
        elif dot.face != ROOT or (name != made.root and not scene.spots[name].square):
            made.dots[name] = Dot(INK)
    between = scene.links.keys() - {end for pair in scene.ends.values() for end in pair}
    made.bands = {link: ink for link, ink in inks.items() if link in between}
    return made


def arrow(line: Points, ink: str, broad: float = 1.0) -> Line:
    """Return a line whose end is the tip of an arrow."""
    return Line(cut(line, 0, 0.8 * TIP), ink, [head(line)], broad)


def _trunk(depth: int, group: GroupPlan) -> float:
    """Return how broad an edge is, 1 at the leaves: a large tree's trunk stands out."""
    return 1 + 0.5 * (group.tree.height - depth) / group.tree.height


def _grid_tree(group: GroupPlan, colours: Sequence[str]) -> Overlay:
    """Draw a tree over a mesh: routers in the colours of their depths, edges as messages go."""
    tree, name = group.tree, group.graph.member
    depths, members = tree.depth.tolist(), set(group.members)
    made = Overlay(root=name(tree.root))
    for router, depth in zip(tree.routers.tolist(), depths, strict=True):
        ink, member = colours[depth], name(router) in members
        made.dots[name(router)] = Dot(ink) if member else Dot(PAPER, ink)
        made.passed |= not member
    edges = [
        (child, corners([name(r) for r in (*(r for r, _ in down), int(tree.routers[child]))]))
        for child, down, _ in tree.edge_paths()
    ]
    for (child, _), line in zip(edges, lanes([p for _, p in edges], NODE + 0.02), strict=True):
        depth = depths[child]
        made.lines.append(arrow(rounded(line), colours[depth], _trunk(depth, group)))
    return made


def _tree(scene: Scene, group: GroupPlan, colours: Sequence[str]) -> Overlay:
    """Draw a tree over switches: these in the colours of their depths, with their members."""
    tree, made = group.tree, Overlay(root=group.root_node)
    depths = dict(zip(tree.routers.tolist(), tree.depth.tolist(), strict=True))
    made.dots |= {switch: Dot(colours[depth]) for switch, depth in depths.items()}
    for switch, port in group.members:
        ink = colours[depths.get(switch, 0)]
        made.dots[switch, port] = Dot(ink)
        made.lines.append(Line(scene.links[switch, str(port)], ink))
    for child, down, _ in tree.edge_paths():
        depth = int(tree.depth[child])
        ink, broad = colours[depth], _trunk(depth, group)
        *passed, last = [scene.links[router, str(port)] for router, port in down]
        made.lines += [Line(line, ink, (), broad) for line in passed]
        made.lines.append(arrow(last, ink, broad))
    return made


def _static(scene: Scene, group: GroupPlan, colours: Sequence[str]) -> Overlay:
    """Draw a ring or tree of a static network, an arrowhead on every link.

    Every directed link keeps right of its line; no two routes use one, so none lies on another.
    """
    if not group.graph.columns:
        return _static_graph(scene, group, colours)
    name = group.graph.member
    ring = [name(switch) for switch in group.ring or ()]
    edges = [(name(switch), name(above)) for switch, above in group.edges or ()]
    root = group.route.root
    made = Overlay(root=root, above=True)
    passed = sorted({*ring, *(switch for switch, _ in edges)} - set(group.members))
    made.passed = bool(passed)
    made.dots |= dict.fromkeys(passed, Dot(PAPER, GREY, PASSED))
    made.dots |= dict.fromkeys(group.members, Dot(RING_MEMBER))
    if ring:
        (ax, ay), (bx, by) = ring[-1], ring[0]
        begin = ((ax + bx) / 2, (ay + by) / 2)
        around = corners([begin, *ring, begin])  # type: ignore[list-item]
        heads = [
            _middle_head(scene, *link) for link in zip(ring, [*ring[1:], ring[0]], strict=True)
        ]
        made.lines.append(Line(rounded(_right_of(scene, around)), RING, heads))
    depth, entry = {root: 0}, dict(edges)
    for switch, above in edges:
        depth[switch] = depth[above] + 1
        ink = colours[depth[switch]]
        path = [above, switch] if above == root else [entry[above], above, switch]
        line = _right_of(scene, corners(path))
        # From where the link before it ended, at the edge of the switch above.
        line = cut(line, 1 - RIM if len(path) > 2 else RIM, RIM)
        made.lines.append(Line(rounded(line), ink, [_middle_head(scene, above, switch)]))
    made.dots |= {node: Dot(colours[depth[node]]) for node in group.members if node in depth}
    made.dots[root] = Dot(ROOT)
    return made


def _static_graph(scene: Scene, group: GroupPlan, colours: Sequence[str]) -> Overlay:
    """Draw a ring or tree over a graph: an arrow on the lane of every link that it takes."""
    route, port_of = group.route, group.graph.port_of
    made = Overlay(root=route.root, above=True)
    inks = {port_of(route.root)[0]: RING if route.ring is not None else colours[0]}
    for switch, port in route.outputs:
        far = group.graph.across(switch, port)
        assert far is not None
        ink = RING
        if route.edges is not None:
            ink = colours[1 + colours.index(inks[switch])]
        inks.setdefault(far[0], ink)
        made.lines.append(arrow(scene.lane((switch, str(port))), ink))
    here = {port_of(member)[0] for member in group.members}
    made.passed = bool(inks.keys() - here)
    for switch, ink in inks.items():
        made.dots[switch] = Dot(ink) if switch in here else Dot(PAPER, ink)
    for member in group.members:
        switch, port = port_of(member)
        made.dots[member] = Dot(inks[switch])
        made.lines.append(Line(scene.links[switch, str(port)], inks[switch]))
    made.dots[route.root] = Dot(ROOT)
    return made


RIM = 0.2
"""How far from a switch a lane of a static network meets a member's disc."""


def _right_of(scene: Scene, path: Points) -> Points:
    return moved(path, [scene.away] * (len(path) - 1))


def _middle_head(scene: Scene, a: Node, b: Node) -> Points:
    """Return an arrowhead in the middle of a link."""
    line = _right_of(scene, np.array([a, b], dtype=np.float64))
    return head(cut(line, 0, (1 - TIP) / 2))


def key_of(scene: Scene, groups: Sequence[GroupPlan], count: int) -> list[Mark]:
    """Return the key of some groups' trees and rings, of ``count`` in all."""
    highest = max((group.height or 0 for group in groups), default=0)
    drawn = [overlay(scene, group, highest) for group in groups]
    if any(spot.square for spot in scene.spots.values()):
        switches = {name for name, spot in scene.spots.items() if spot.square}
        some = any(switches - made.dots.keys() for made in drawn)
        key = depth_key(highest, others="not in the tree" if some else None, shape="square")
        key.append(Mark(GREY, "member"))
        others = any(scene.ends.keys() - made.dots.keys() for made in drawn)
        if any(Dot(RING) in made.dots.values() for made in drawn):
            key.insert(1, Mark(RING, "on a ring", "square"))
        if count > 1 and any(made.above for made in drawn):
            key.append(Mark(OTHERS, "other groups"))
        return [*key, *([Mark(GREY, "other node", "ring")] if others else [])]
    some = any(scene.spots.keys() - made.dots.keys() for made in drawn)
    key = depth_key(highest, others="not a member" if some else None, shape="disc")
    if any(Dot(RING_MEMBER) in made.dots.values() for made in drawn):
        key.insert(1, Mark(RING_MEMBER, "member on a ring"))
    if any(made.passed for made in drawn):
        key.append(Mark(GREY, "on the way, not a member", "ring"))
    if count > 1 and any(made.above for made in drawn):
        key.append(Mark(OTHERS, "other groups"))
    return key
