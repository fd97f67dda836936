"""Pictures: trees and rings along their links, colours by depth, the same bytes every time."""

import os
import random
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from syncfabric import Network
from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.exact.constructions import construct
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.schedule import Schedule
from syncfabric.models.collectives.task import Rules, Task
from syncfabric.models.errors import OutputError
from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.networks.spec import (
    AnySpec,
    GroupSpec,
    IrregularSpec,
    MeshSpec,
    NetworkSpec,
    StaticSpec,
)
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim.draw import (
    can_draw,
    check_picture,
    group_figure,
    heat_figure,
    network_figure,
    picture,
    plan_figure,
    show,
    to_svg,
)
from syncfabric.sim.draw.page import GREY, PAPER, ROOT, depth_colours, depth_key
from syncfabric.sim.draw.scene import scene_of
from syncfabric.sim.draw.schedule import (
    check_schedule_picture,
    save_schedule_picture,
    schedule_figure,
)
from syncfabric.sim.draw.ways import OTHERS, RING, RING_MEMBER, Dot, key_of, overlay
from syncfabric.sim.results import ChannelLoad
from syncfabric.sim.words import count
from tests.sim.test_draw_scene import PARALLEL, SHAPES, ring, star
from tests.sim.test_engine_networks import MESH, network

PNG = b"\x89PNG\r\n\x1a\n"
NAMES = ["mesh-2x2", "row-1x8", "mesh-5x3", "fig1", "demo", "mesh-16x16", "wires-both"]
SLOTS = {1: 0, 2: 1}
"""Of the groups of wires-both that are on wires."""
HEAD = 'name = "drawn"\n[network]\nkind = "static"\nwidth = 6\nheight = 5\n'
RINGS = "[[group]]\nid = 1\nmembers = [[0, 0], [1, 0], [0, 1], [3, 2], [1, 3], [5, 0]]\n"
TREE = (
    '[[group]]\nid = 2\nplanner = "tree"\n'
    "members = [[5, 4], [2, 3], [2, 1], [4, 0], [0, 4], [4, 2]]\n"
)
ALONE = "[[group]]\nid = 3\nmembers = [[5, 1]]\n"


def static(*groups: str) -> BarrierPlan:
    return Network.loads(HEAD + "".join(groups)).plan()


def planned(spec: AnySpec, *groups: Any) -> BarrierPlan:
    found = tuple(GroupSpec(id=i, members=members) for i, members in enumerate(groups))
    return make_plan(NetworkSpec(name="net", network=spec, groups=found))


def mesh(width: int, height: int) -> MeshSpec:
    return MeshSpec(kind="mesh", width=width, height=height)


def texts(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.texts]


PLANS: dict[str, Any] = {
    **{name: (lambda name=name: Network.load(name).plan()) for name in NAMES},
    "bare": lambda: make_plan(NetworkSpec(name="bare", network=mesh(3, 2), groups=())),
    **{
        f"static {len(groups)}": (lambda groups=groups: static(*groups))
        for groups in ((), (ALONE,), (RINGS, TREE, ALONE))
    },
    **{
        shape: (lambda make=make: planned(spec := make(), spec.nodes, spec.nodes[:3]))
        for shape, make in SHAPES.items()
        if shape != "random-75"
    },
}


@pytest.mark.parametrize("name", PLANS)
def test_every_picture_can_be_made(name: str) -> None:
    plan = PLANS[name]()
    loads = [ChannelLoad(plan.spec.network.topology.nodes[0], "inject", 0.5)]
    figures = [plan_figure(plan), network_figure(plan.spec)]
    figures += [group_figure(plan, group) for group in plan.groups[:1]]
    figures.append(heat_figure(plan.spec.network, loads, title="x"))
    for figure in figures:
        assert ET.fromstring(to_svg(figure)).tag == "{http://www.w3.org/2000/svg}svg"


@pytest.mark.parametrize("name", ["demo", "reflex-groups", "cluster-fig1"])
def test_pictures_are_the_same_every_time(name: str) -> None:
    plan = Network.load(name).plan()
    for kind in ("svg", "png"):
        scene_of.cache_clear()
        first, second = (picture(plan_figure(plan), kind) for _ in range(2))
        assert first == second
    assert b"<dc:date>" not in picture(plan_figure(plan), "svg")


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
        for way in made.ways:
            (tip,) = way.heads
            ends = [
                tuple(round(float(value)) for value in point) for point in (way.line[0], tip[0])
            ]
            assert np.hypot(*(tip[0] - ends[1])) == pytest.approx(0.22)
            found[ends[1]] = ends[0], way.ink
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
        tips = {way.heads[0][0].tobytes(): way.ink for way in made.ways if way.heads}
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


def crossed(line: Any) -> set[tuple[Any, Any]]:
    """Return the directed links whose middles a line passes on their right."""
    found = set()
    for a, b in pairwise(line):
        for way in (0, 1):
            low, high = sorted((a[way], b[way]))
            half = np.ceil(low - 0.5) + 0.5
            if half > high or abs(a[1 - way] - b[1 - way]) > 1e-9:
                continue
            rail, ahead = round(a[1 - way]), int(np.sign(b[way] - a[way]))
            assert a[1 - way] - rail == pytest.approx(0.085 * ahead * (-1 if way == 0 else 1))
            ends = [[0, 0], [0, 0]]
            for end, along in zip(ends, (half - 0.5 * ahead, half + 0.5 * ahead), strict=True):
                end[way], end[1 - way] = int(along), rail
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
    (way,), links = made.ways, list(pairwise([*(around.ring or []), around.root]))
    assert way.line[0].tolist() == way.line[-1].tolist()
    tips = sorted(tip[0].round(6).tolist() for tip in way.heads)
    for a, b in links:
        middle, ahead = (np.array(a) + b) / 2, np.array(b) - a
        wanted = middle + 0.075 * ahead + 0.085 * np.array([ahead[1], -ahead[0]])
        assert wanted.round(6).tolist() in tips
    assert len(tips) == len(links) == around.links
    dense = np.vstack([np.linspace(a, b, 200) for a, b in pairwise(way.line)])
    for tip in way.heads:  # the line passes through its arrowheads
        assert np.hypot(*(dense - tip[0]).T).min() < 0.02
    assert made.others is not None
    assert {way.ink for way in made.others.ways} == {OTHERS}
    grown, depth = overlay(scene, tree, tree.height or 0), {tree.root: 0}
    for (switch, above), way in zip(tree.edges or [], grown.ways, strict=True):
        depth[switch] = depth[above] + 1
        assert crossed(way.line) == {(above, switch)}
        assert way.ink == depth_colours(tree.height or 0)[depth[switch]]
        if above != tree.root:  # it begins where the one above ends
            before = [switch for switch, _ in tree.edges or []].index(above)
            assert way.line[0] == pytest.approx(grown.ways[before].line[-1])
    for node in set(tree.members) - {tree.root}:
        assert grown.dots[node] == Dot(depth_colours(tree.height or 0)[depth[node]])


def test_members_switches_passed_and_the_root_look_different() -> None:
    plan = static(RINGS, TREE)
    group = plan.static_groups[0]
    made = overlay(scene_of(plan.spec.network), group, 0)
    looks = Counter((dot.face, dot.rim) for dot in made.dots.values())
    passed = len({*(group.ring or [])} - {*group.members})
    members = len(group.members) - 1
    assert looks == {(RING_MEMBER, None): members, (ROOT, None): 1, (PAPER, GREY): passed}
    assert {way.ink for way in made.ways} == {RING}


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


def test_titles_say_what_is_drawn() -> None:
    plan = Network.load("fig1").plan()
    first, second, *_ = texts(group_figure(plan, plan.groups[0]))
    assert first == "fig1 · group 1"
    assert second.startswith("14 members · root node (4, 4) · height 2 · longest path 9 hops · b")
    drawn = static(RINGS, TREE, ALONE)
    lines = texts(plan_figure(drawn))
    around, tree = drawn.groups[:2]
    assert lines[1] == "6x5 static network · 3 groups"
    assert lines[3] == (
        f"root {around.root} · ring of {around.longest_path} links · bound {around.bound} cycles"
    )
    assert lines[5] == (
        f"root {tree.root} · tree, {tree.height} links deep · bound {tree.bound} cycles"
    )
    assert lines[7] == "root (5, 1) · no links · bound 1 cycle"
    wires = Network.load("wires-both").plan()
    lines = texts(plan_figure(wires))
    for group in wires.groups:
        line = lines[lines.index(f"group {group.id} · {len(group.members)} members") + 1]
        assert line.startswith(f"slot {SLOTS[group.id]} · root" if group.id in SLOTS else "root")
    assert (count(1, "hop"), count(1024, "member")) == ("1 hop", "1,024 members")


def test_many_groups_are_shown_in_part() -> None:
    plan = planned(mesh(2, 2), *16 * [((0, 0), (1, 1))])
    assert len(plan_figure(plan).axes) == 12
    assert "2x2 mesh · 16 groups · 4 groups not shown" in texts(plan_figure(plan))
    network_figure(plan.spec)


def test_members_are_drawn_above_edges_and_rings_above_members() -> None:
    for name, over in (("fig1", False), ("reflex-4x4", True)):
        (axes,) = group_figure(plan := Network.load(name).plan(), plan.groups[0]).axes
        layers: dict[str, list[float]] = {}
        for drawn in axes.collections:
            layers.setdefault(type(drawn).__name__, []).append(drawn.get_zorder())
        above = max(layers["LineCollection"]) > max(layers["PathCollection"])
        assert above is over


def test_a_network_shows_the_groups_of_each_node() -> None:
    spec = ring(3)
    plan = planned(spec, *4 * (spec.nodes,))
    pies = network_figure(plan.spec).axes[0].collections[-1]
    assert len(pies.get_paths()) == 4 * len(spec.nodes)
    assert len(np.unique(np.asarray(pies.get_facecolor()), axis=0)) == 4


@pytest.mark.parametrize("spec", [mesh(1, 1), mesh(4, 1), mesh(8, 8), PARALLEL])
def test_heat_draws_every_channel_in_its_colour(spec: MeshSpec | IrregularSpec) -> None:
    scene, nodes = scene_of(spec), spec.topology.nodes
    ends: set[Any] = {*sum(scene.ends.values(), ())}
    channels: list[Any] = [link for link in scene.links if link not in ends]
    loads = [ChannelLoad(nodes[0], "inject", 0.4)]
    loads += [ChannelLoad(node, port, 0.9) for node, port in channels[:1]]
    figure = heat_figure(spec, loads, title="x")
    parts = {type(part).__name__: part for part in figure.axes[0].collections}
    bands, halves = parts["PolyCollection"], parts["PatchCollection"]
    assert len(bands.get_paths()) == len(channels)
    assert len(halves.get_paths()) == 2 * len(nodes)
    for part, whole in ((bands, channels), (halves, nodes)):
        inks, times = np.unique(np.asarray(part.get_facecolor()), axis=0, return_counts=True)
        assert len(inks) == (2 if len(whole) else 0)
        assert 1 in times or not len(whole)
    loaded = np.asarray(halves.get_facecolor())[:, 2]  # the scale's yellow has least blue
    (place,) = np.flatnonzero(loaded < loaded.max()).tolist()
    x, _ = np.asarray(halves.get_paths()[place].vertices).mean(axis=0)
    assert x < scene.spots[nodes[0]].x  # what it sends is at the left


def test_loads_of_switches_are_drawn_alike_in_every_process() -> None:
    program = (
        "from syncfabric import Network\n"
        "from syncfabric.sim.draw import heat_figure, to_svg\n"
        "network = Network.load('cluster-fig1').plan().spec.network\n"
        "print(to_svg(heat_figure(network, [], title='x')))"
    )
    made = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(made) == 1
    assert b"<svg" in made.pop()


@pytest.mark.parametrize(
    ("name", "spec", "message"),
    [
        ("a.pdf", mesh(4, 4), r"a\.pdf: its name must end in \.svg or \.png"),
        ("a.svg", mesh(65, 2), r"a\.svg: a 65x2 mesh is too large .* up to 64x64, so leave the"),
        ("a.svg", StaticSpec(kind="static", width=65, height=2), "a 65x2 static network is too"),
        ("a.svg", ring(101), r"a\.svg: an irregular network of 101 switches .* to 100 switches,"),
    ],
)
def test_what_cannot_be_drawn_is_refused(name: str, spec: AnySpec, message: str) -> None:
    with pytest.raises(OutputError, match=f"^picture .*{message}"):
        check_picture(name, spec)
    assert can_draw(spec) == name.endswith("pdf")
    if not can_draw(spec):
        assert show(spec, lambda: pytest.fail("it was drawn")) is None
    assert check_picture("a.PNG", mesh(2, 2)) == "png"


def test_a_plan_draws_itself_into_a_file(tmp_path: Path) -> None:
    plan = Network.load("mesh-2x2").plan()
    assert plan.draw(tmp_path / "a" / "x.png").read_bytes().startswith(PNG)
    assert plan.draw(tmp_path / "x.SVG").read_text().startswith("<?xml")
    assert Network.load("reflex-4x4")._repr_svg_()


def test_a_users_own_settings_of_matplotlib_stay() -> None:
    code = (
        "import matplotlib; matplotlib.use('svg'); matplotlib.rcParams['font.size'] = 17\n"
        "from syncfabric import Network\n"
        "Network.load('mesh-2x2')._repr_svg_()\n"
        "import sys; assert 'matplotlib.pyplot' not in sys.modules\n"
        "assert matplotlib.rcParams['font.size'] == 17, matplotlib.get_backend()\n"
        "assert matplotlib.get_backend() == 'svg', matplotlib.get_backend()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def cube(nodes: int) -> Schedule:
    topology = named(f"hypercube-{nodes}")
    task = Task(topology, collective("AAS", topology), Rules())
    steps = construct(task, nodes // 2)
    assert steps is not None
    return Schedule(topology, task.collective, task.rules, steps)


def test_a_schedule_has_a_panel_a_step_and_colours_by_origin() -> None:
    schedule, figure = cube(8), schedule_figure(cube(8))
    assert len(figure.axes) == 4
    words = texts(figure)
    assert "AAS on hypercube-8: 4 steps" in words
    assert {f"step {number}" for number in range(1, 5)} <= set(words)
    arrows = 0
    for axes in figure.axes:
        kinds = {type(part).__name__: part for part in axes.collections}
        arrows += len(kinds["PolyCollection"].get_paths())
        faces = np.unique(np.asarray(kinds["PathCollection"].get_facecolor()), axis=0)
        lines = np.unique(np.asarray(kinds["LineCollection"].get_edgecolor()), axis=0)
        assert len(faces) == 8
        assert {*map(tuple, lines)} <= {*map(tuple, faces)}
    assert arrows == schedule.messages
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [f"origin {n}" for n in range(8)]
    first, again = (picture(schedule_figure(schedule), "svg") for _ in range(2))
    assert first == again


def test_a_schedule_of_many_steps_is_a_table() -> None:
    (axes,) = schedule_figure(cube(64)).axes
    cells = np.asarray(axes.images[0].get_array())
    assert cells.shape == (384, 32, 3)
    # All channels are busy in all steps but the first half of step 1, which has one vector only.
    assert (cells < 1).any(axis=2).mean() == 1
    assert len({tuple(ink) for ink in cells.reshape(-1, 3).tolist()}) == 64


def test_schedules_that_cannot_be_drawn(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"must end in \.svg or \.png"):
        check_schedule_picture("a.pdf", named("ring-4"))
    with pytest.raises(OutputError, match="has 4,096 channels"):
        check_schedule_picture("a.svg", named("torus-32x32"))
    small = cube(4)
    long = Schedule(small.topology, small.collective, small.rules, ((),) * 1025)
    with pytest.raises(OutputError, match="it can show 1,024 steps, not 1,025"):
        save_schedule_picture(long, tmp_path / "a.svg")
    with pytest.raises(OutputError, match="cannot be written"):
        save_schedule_picture(small, tmp_path / "none" / "a.svg")
