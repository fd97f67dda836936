"""Trees and rings along their links: edges, colours by depth, members and keys."""

import random
from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from syncfabric import Network
from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim.draw.figures import group_figure
from syncfabric.sim.draw.overlay import OTHERS, RING, RING_MEMBER, Dot, key_of, overlay
from syncfabric.sim.draw.page import GREY, PAPER, ROOT, depth_colours, depth_key
from syncfabric.sim.draw.scene import scene_of
from tests.models.golden.static_plans import plan_of
from tests.sim.draw.test_figures import RINGS, TREE, planned, static, texts
from tests.sim.draw.test_scene import star
from tests.sim.matrix import GRID, MESH, network


@pytest.mark.parametrize("name", ["link", "routed", "wires-4x4", "wires-both", "wires-16x16"])
def test_edges_of_a_mesh_run_from_parents_to_children(name: str) -> None:
    if name in ("link", "routed"):
        spec = network(MESH, 5, 4, members=2, transport=name, channels=2)
        routed = name == "routed"
        plan = make_plan(spec.model_copy(update={"groups": spec.groups[routed:]}))
    else:
        plan = Network.load(name).plan()
    scene, grid = scene_of(plan.spec.network), plan.spec.network.topology
    assert isinstance(grid, Mesh)
    for group in plan.engine_groups:
        made, colours = overlay(scene, group, group.tree.height), depth_colours(group.tree.height)
        depths = dict(zip(group.tree.routers.tolist(), group.tree.depth.tolist(), strict=True))
        found = {}
        for line in made.lines:
            (tip,) = line.heads
            ends = [
                tuple(round(float(value)) for value in point) for point in (line.points[0], tip[0])
            ]
            assert np.hypot(*(tip[0] - ends[1])) == pytest.approx(0.22)
            found[ends[1]] = ends[0], line.ink
        edges = {grid.node(child): grid.node(parent) for child, parent in group.tree.edges}
        assert {child: parent for child, (parent, _) in found.items()} == edges
        for router, depth in depths.items():
            node, member = grid.node(router), grid.node(router) in group.members
            ink = colours[depth]
            assert made.dots[node] == (Dot(ink) if member else Dot(PAPER, ink))
            assert depth == 0 or found[node][1] == ink
        assert made.dots.keys() == set(map(grid.node, depths))
        assert made.passed == bool(group.relays)
        assert made.root == group.root


@pytest.mark.parametrize("name", ["cluster-fig1", "wires-cluster", "cluster-19"])
def test_edges_of_switches_are_links_and_members_have_their_colours(name: str) -> None:
    plan = Network.load(name).plan()
    scene, grid = scene_of(plan.spec.network), plan.spec.network.topology
    for group in plan.engine_groups:
        made, colours, shape = overlay(scene, group, 9), depth_colours(9), group.tree
        depths = dict(zip(shape.routers.tolist(), shape.depth.tolist(), strict=True))
        tips = {line.heads[0][0].tobytes(): line.ink for line in made.lines if line.heads}
        for switch, port in zip(depths, shape.parent_port.tolist(), strict=True):
            assert made.dots[switch] == Dot(colours[depths[switch]])
            if port >= 0:
                far = grid.across(switch, port)  # type: ignore[union-attr]
                assert far is not None
                assert depths[switch] == depths[far[0]] + 1
                end = scene.links[far[0], str(far[1])][-1]
                assert tips.pop(end.tobytes()) == colours[depths[switch]]
        assert not tips
        assert {node for node in made.dots if isinstance(node, tuple)} == set(group.members)
        assert all(made.dots[node] == made.dots[node[0]] for node in group.members)
        assert made.root == group.root_node
        assert f" · height {group.height}" in texts(group_figure(plan, group))[1]


def test_messages_of_routed_trees_are_drawn_along_every_link() -> None:
    plan = make_plan(network(GRID, "torus-4x4", members=4, transport="routed"))
    scene = scene_of(plan.spec.network)
    for group in plan.engine_groups:
        made, shape = overlay(scene, group, 9), group.tree
        lines = [line.points.tobytes() for line in made.lines if not line.heads]
        tips = [line.heads[0][0].tobytes() for line in made.lines if line.heads]
        for child, down, _ in shape.edge_paths():
            *passed, last = [scene.links[router, str(port)] for router, port in down]
            assert len(down) == shape.hops[child]
            assert {line.tobytes() for line in passed} <= set(lines)
            assert last[-1].tobytes() in tips
        assert len(tips) == len(shape) - 1
        assert len(lines) == len(group.members) + shape.hops.sum() - len(tips)


def crossed(line: Any) -> set[tuple[Any, Any]]:
    """Return the directed links whose middles a line passes on their right."""
    found = set()
    for a, b in pairwise(line):
        for axis in (0, 1):
            low, high = sorted((a[axis], b[axis]))
            half = np.ceil(low - 0.5) + 0.5
            if half > high or abs(a[1 - axis] - b[1 - axis]) > 1e-9:
                continue
            rail, ahead = round(a[1 - axis]), int(np.sign(b[axis] - a[axis]))
            assert a[1 - axis] - rail == pytest.approx(0.085 * ahead * (-1 if axis == 0 else 1))
            ends = [[0, 0], [0, 0]]
            for end, along in zip(ends, (half - 0.5 * ahead, half + 0.5 * ahead), strict=True):
                end[axis], end[1 - axis] = int(along), rail
            found.add((tuple(ends[0]), tuple(ends[1])))
    return found


@pytest.mark.parametrize("seed", range(8))
def test_rings_and_trees_of_a_static_network_follow_their_links(seed: int) -> None:
    rng = random.Random(seed)
    members = [list(node) for node in rng.sample([(x, y) for x in range(6) for y in range(5)], 12)]
    text = f"[[group]]\nid = 1\nmembers = {members[:5]}\n"
    plan = static(text + f'[[group]]\nid = 2\nplanner = "tree"\nmembers = {members[5:]}\n')
    scene, (around, tree) = scene_of(plan.spec.network), plan.static_groups
    made = overlay(scene, around, 0, plan.groups)
    (line,), links = (
        made.lines,
        list(pairwise([*map(around.graph.member, around.ring or []), around.route.root])),
    )
    assert line.points[0].tolist() == line.points[-1].tolist()
    tips = sorted(tip[0].round(6).tolist() for tip in line.heads)
    for a, b in links:
        middle, ahead = (np.array(a) + b) / 2, np.array(b) - a
        wanted = middle + 0.075 * ahead + 0.085 * np.array([ahead[1], -ahead[0]])
        assert wanted.round(6).tolist() in tips
    assert len(tips) == len(links) == around.links
    dense = np.vstack([np.linspace(a, b, 200) for a, b in pairwise(line.points)])
    for tip in line.heads:  # the line passes through its arrowheads
        assert np.hypot(*(dense - tip[0]).T).min() < 0.02
    assert made.others is not None
    assert {line.ink for line in made.others.lines} == {OTHERS}
    grown, depth = overlay(scene, tree, tree.height or 0), {tree.route.root: 0}
    name = tree.graph.member
    edges = [(name(switch), name(above)) for switch, above in tree.edges or []]
    for (switch, above), line in zip(edges, grown.lines, strict=True):
        depth[switch] = depth[above] + 1
        assert crossed(line.points) == {(above, switch)}
        assert line.ink == depth_colours(tree.height or 0)[depth[switch]]
        if above != tree.route.root:  # it begins where the one above ends
            before = [switch for switch, _ in edges].index(above)
            assert line.points[0] == pytest.approx(grown.lines[before].points[-1])
    for node in set(tree.members) - {tree.route.root}:
        assert grown.dots[node] == Dot(depth_colours(tree.height or 0)[depth[node]])


def test_members_switches_passed_and_the_root_look_different() -> None:
    plan = static(RINGS, TREE)
    group = plan.static_groups[0]
    made = overlay(scene_of(plan.spec.network), group, 0)
    looks = Counter((dot.face, dot.edge) for dot in made.dots.values())
    passed = len({*map(group.graph.member, group.ring or [])} - {*group.members})
    members = len(group.members) - 1
    assert looks == {(RING_MEMBER, None): members, (ROOT, None): 1, (PAPER, GREY): passed}
    assert {line.ink for line in made.lines} == {RING}


def words_of(plan: BarrierPlan, *groups: int) -> list[str]:
    shown = [plan.groups[place] for place in groups]
    return [mark.words for mark in key_of(scene_of(plan.spec.network), shown, len(plan.groups))]


def test_keys_name_what_is_drawn() -> None:
    few = planned(star(4), ((1, 1), (2, 2)))
    wanted = ["root", "depth 1", "not in the tree", "member", "other node"]
    assert words_of(few, 0) == wanted
    whole = planned(spec := star(2), spec.nodes)
    assert words_of(whole, 0) == ["root", "depth 1", "member"]
    assert words_of(static(RINGS), 0)[:2] == ["root", "member on a ring"]
    assert words_of(static(RINGS, TREE), 0)[-1] == "other groups"
    both = Network.load("wires-both").plan()
    passed = [group.id for place, group in enumerate(both.groups)
              if "on the way, not a member" in words_of(both, place)]  # fmt: skip
    assert passed == [group.id for group in both.engine_groups if group.relays]
    assert [mark.words for mark in depth_key(2, others="others", shape="disc")] == [
        *("root", "depth 1", "depth 2", "others")
    ]
    assert len(depth_key(40, others=None, shape="disc")) <= 7
    assert len(set(depth_colours(6))) == 7
    assert depth_colours(0) == [ROOT]


@pytest.mark.parametrize("planner", ["ring", "tree"])
@pytest.mark.parametrize("name", ["torus-3x3", "fat-tree-2x2", "star-4"])
def test_lines_over_a_graph_have_an_arrow_on_every_link(name: str, planner: str) -> None:
    plan = plan_of(f'topology = "{name}"', planner)
    group, scene = plan.static_groups[0], scene_of(plan.spec.network)
    made = overlay(scene, group, group.height or 0)
    arrows = [line for line in made.lines if line.heads]
    assert len(arrows) == group.links
    for (switch, port), line in zip(group.route.outputs, arrows, strict=True):
        lane = scene.lane((switch, str(port)))
        assert line.points[0].tolist() == lane[0].tolist()
        assert line.heads[0][0] == pytest.approx(lane[-1])
    assert made.dots[group.route.root] == Dot(ROOT)
    assert made.dots.keys() >= set(group.members)
