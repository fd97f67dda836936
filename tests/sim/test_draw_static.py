"""Pictures of static networks: ways along their own links, with the flow, members told apart."""

import random
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.path import Path as Outline

from syncfabric import Network
from syncfabric.models.errors import OutputError
from syncfabric.models.networks.mesh import Node, Port
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.plan import BarrierPlan, StaticGroupPlan
from syncfabric.sim.draw import (
    can_draw,
    check_picture,
    group_figure,
    heat_figure,
    network_figure,
    plan_figure,
    to_svg,
)
from syncfabric.sim.draw.canvas import GREY, ROOT, depth_colours
from syncfabric.sim.draw.static.chart import (
    AWAY,
    OTHERS,
    RING,
    RING_MEMBER,
    branches,
    middle,
    ring_lane,
)
from syncfabric.sim.draw.strokes import Point
from syncfabric.sim.results import ChannelLoad

HEAD = 'name = "drawn"\n[network]\nkind = "static"\nwidth = 6\nheight = 5\n'
RINGS = "[[group]]\nid = 1\nmembers = [[0, 0], [1, 0], [0, 1], [3, 2], [1, 3], [5, 0]]\n"
TREE = (
    '[[group]]\nid = 2\nplanner = "tree"\n'
    "members = [[5, 4], [2, 3], [2, 1], [4, 0], [0, 4], [4, 2]]\n"
)
ALONE = "[[group]]\nid = 3\nmembers = [[5, 1]]\n"


def plan_of(*groups: str) -> BarrierPlan:
    return Network.loads(HEAD + "".join(groups)).plan()


def static(group: object) -> StaticGroupPlan:
    assert isinstance(group, StaticGroupPlan)
    return group


def crossed(lane: Sequence[Point]) -> list[tuple[Node, Node]]:
    """Return the directed links that a lane follows, found by their middles, in order."""
    found: list[tuple[Node, Node]] = []
    for (ax, ay), (bx, by) in pairwise(lane):
        steps = 2000
        for step in range(steps + 1):
            x, y = ax + (bx - ax) * step / steps, ay + (by - ay) * step / steps
            across = abs(bx - ax) > abs(by - ay)
            along, aside = (x, y) if across else (y, x)
            if abs(along % 1 - 0.5) > 0.002:
                continue
            low, rail = int(along // 1), round(aside)
            forward = bx > ax if across else by > ay
            # Who goes east keeps to the south; who goes north, to the east.
            right = -AWAY if across == forward else AWAY
            assert aside - rail == pytest.approx(right)
            ends = [(low, rail), (low + 1, rail)] if across else [(rail, low), (rail, low + 1)]
            link = (ends[0], ends[1]) if forward else (ends[1], ends[0])
            if not found or found[-1] != link:
                found.append(link)
    return found


def test_a_ring_follows_its_links_and_closes() -> None:
    ring = [(0, 0), (1, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2), (0, 1)]
    lane = ring_lane(ring)
    assert lane[0] == lane[-1] == middle(((0, 1), (0, 0)))
    assert crossed(lane)[:-1] == [(ring[-1], ring[0]), *pairwise(ring)]


@pytest.mark.parametrize("seed", range(8))
def test_planned_rings_and_trees_follow_their_links(seed: int) -> None:
    rng = random.Random(seed)
    nodes = [(x, y) for x in range(6) for y in range(5)]
    members = [list(node) for node in rng.sample(nodes, 12)]
    text = f"[[group]]\nid = 1\nmembers = {members[:5]}\n"
    text += f'[[group]]\nid = 2\nplanner = "tree"\nmembers = {members[5:]}\n'
    ring, tree = map(static, plan_of(text).groups)
    assert ring.ring
    around = list(zip(ring.ring, [*ring.ring[1:], ring.ring[0]], strict=True))
    assert sorted(set(crossed(ring_lane(ring.ring)))) == sorted(around)
    assert tree.edges
    for branch in branches(tree.root, tree.edges, 0.2):
        assert crossed(branch.lane) == [branch.link]
        assert branch.leaf == (branch.link[1] not in {above for _, above in tree.edges})
    assert [(b.link[1], b.link[0]) for b in branches(tree.root, tree.edges, 0.2)] == tree.edges


def test_a_branch_begins_where_the_one_above_ends() -> None:
    edges = [((1, 0), (0, 0)), ((2, 0), (1, 0)), ((1, 1), (1, 0)), ((1, 2), (1, 1))]
    lanes = {branch.link[1]: branch for branch in branches((0, 0), edges, 0.2)}
    assert [branch.depth for branch in lanes.values()] == [1, 2, 2, 3]
    for switch, above in edges:
        if above != (0, 0):
            assert lanes[switch].lane[0] == lanes[above].lane[-1]


def test_both_directions_of_a_pair_of_switches_lie_apart() -> None:
    there, back = middle(((1, 1), (1, 2))), middle(((1, 2), (1, 1)))
    assert there == pytest.approx((1 + AWAY, 1.5))
    assert back == pytest.approx((1 - AWAY, 1.5))


def discs(axes: Axes) -> dict[tuple[str, str], set[Node]]:
    """Return where the discs of each face and edge colour lie."""
    found: dict[tuple[str, str], set[Node]] = {}
    for part in axes.collections:
        if type(part).__name__ != "PathCollection":
            continue
        places = np.asarray(part.get_offsets()).tolist()
        faces = np.resize(np.asarray(part.get_facecolor()), (len(places), 4))
        edges = np.asarray(part.get_edgecolor())
        edge = to_hex(tuple(edges[0])) if len(edges) else ""
        for (x, y), face in zip(places, faces, strict=True):
            found.setdefault((to_hex(tuple(face)), edge), set()).add((round(x), round(y)))
    return found


def heads(axes: Axes) -> dict[str, list[Point]]:
    """Return the tips of the arrowheads of each colour."""
    found: dict[str, list[Point]] = {}
    for part in axes.collections:
        if type(part).__name__ != "PolyCollection":
            continue
        shapes: list[Outline] = list(part.get_paths())
        inks = np.resize(np.asarray(part.get_facecolor()), (len(shapes), 4))
        for shape, ink in zip(shapes, inks, strict=True):
            x, y = np.asarray(shape.vertices)[0]
            found.setdefault(to_hex(tuple(ink)), []).append((float(x), float(y)))
    return found


def test_members_switches_passed_and_the_root_look_different() -> None:
    plan = plan_of(RINGS)
    group = static(plan.groups[0])
    (axes,) = group_figure(plan, group).axes
    shown = discs(axes)
    assert group.ring
    assert shown[RING_MEMBER, ""] == set(group.members) - {group.root}
    assert shown[ROOT, ""] == {group.root}
    assert shown["#ffffff", GREY] == set(group.ring) - set(group.members)
    assert len(heads(axes)[RING]) == group.links


def test_a_tree_has_the_colours_of_its_depths() -> None:
    plan = plan_of(RINGS, TREE)
    group = static(plan.groups[1])
    assert group.height
    assert group.edges
    axes = group_figure(plan, group).axes[0]
    tips, shown = heads(axes), discs(axes)
    depth = {group.root: 0}
    for switch, above in group.edges:
        depth[switch] = depth[above] + 1
    colours = depth_colours(group.height)
    for level in range(1, group.height + 1):
        assert len(tips[colours[level]]) == sum(depth[switch] == level for switch, _ in group.edges)
        members = {node for node in group.members if depth[node] == level}
        assert shown.get((colours[level], ""), set()) == members
    assert len(tips[OTHERS]) == static(plan.groups[0]).links


def test_arrowheads_point_with_the_flow() -> None:
    plan = plan_of(RINGS)
    group = static(plan.groups[0])
    routes = group.routes()
    tips = heads(group_figure(plan, group).axes[0])[RING]
    steps = {Port.EAST: (1, 0), Port.NORTH: (0, 1), Port.WEST: (-1, 0), Port.SOUTH: (0, -1)}
    wanted = []
    for x, y, port in routes:
        if port is not Port.LOCAL:
            dx, dy = steps[port]
            # The tip is past the middle of the link, to the right of the line between switches.
            wanted.append((x + dx * 0.575 + dy * AWAY, y + dy * 0.575 - dx * AWAY))
    assert np.array(sorted(tips)) == pytest.approx(np.array(sorted(wanted)))


def test_the_title_says_what_the_way_is() -> None:
    plan = plan_of(RINGS, TREE, ALONE)
    lines = [text.get_text() for text in plan_figure(plan).texts]
    ring, tree = plan.groups[:2]
    assert lines[1] == "6x5 static network · 3 groups"
    assert lines[3] == (
        f"root {ring.root} · ring of {ring.longest_path} links · bound {ring.bound} cycles"
    )
    assert lines[5] == (
        f"root {tree.root} · tree, {tree.height} links deep · bound {tree.bound} cycles"
    )
    assert lines[7] == "root (5, 1) · no links · bound 1 cycle"


@pytest.mark.parametrize("groups", [(), (RINGS,), (TREE,), (ALONE,), (RINGS, TREE, ALONE)])
def test_every_picture_can_be_made(groups: tuple[str, ...]) -> None:
    plan = plan_of(*groups)
    loads = [ChannelLoad((0, 0), "local", 0.5)]
    for figure in (
        plan_figure(plan),
        network_figure(plan.spec),
        heat_figure(plan.spec.network, loads, title="x"),
    ):
        assert ET.fromstring(to_svg(figure)).tag == "{http://www.w3.org/2000/svg}svg"


def test_a_static_network_too_large_to_draw_is_refused() -> None:
    large = StaticSpec(kind="static", width=65, height=2)
    message = (
        r"^picture a\.svg: a 65x2 static network is too large to draw; pictures go up to 64x64, "
        r"so leave the picture out$"
    )
    with pytest.raises(OutputError, match=message):
        check_picture("a.svg", large)
    assert not can_draw(large)
    assert Network.load("reflex-4x4")._repr_svg_()
