"""Pictures: trees and rings along their links, colours by depth, the same bytes every time."""

import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from syncfabric import Network
from syncfabric.models.errors import OutputError
from syncfabric.models.networks.spec import (
    AnySpec,
    GroupSpec,
    IrregularSpec,
    MeshSpec,
    NetworkSpec,
    StaticSpec,
)
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim.draw.figures import (
    can_draw,
    check_picture,
    group_figure,
    heat_figure,
    network_figure,
    plan_figure,
    show,
)
from syncfabric.sim.draw.page import to_svg
from syncfabric.sim.draw.scene import scene_of
from syncfabric.sim.results import ChannelLoad
from syncfabric.sim.words import count
from tests.nightly import nightly_but
from tests.sim.draw.test_scene import PARALLEL, SHAPES, ring

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


SVG = "{http://www.w3.org/2000/svg}svg"
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
LARGE = {*NAMES, "torus-4x3x3", "mesh-3x4x2", "torus-5x4", "fat-tree-2x4", "random-20"} - {"demo"}


@pytest.mark.parametrize("name", nightly_but(PLANS.keys() - LARGE, PLANS))
def test_every_plan_can_be_drawn(name: str) -> None:
    assert ET.fromstring(to_svg(plan_figure(PLANS[name]()))).tag == SVG


@pytest.mark.parametrize("name", nightly_but(PLANS.keys() - LARGE, PLANS))
def test_every_other_picture_can_be_made(name: str) -> None:
    plan = PLANS[name]()
    loads = [ChannelLoad(plan.spec.network.topology.nodes[0], "inject", 0.5)]
    figures = [network_figure(plan.spec), heat_figure(plan.spec.network, loads, title="x")]
    figures += [group_figure(plan, group) for group in plan.groups[:1]]
    for figure in figures:
        assert ET.fromstring(to_svg(figure)).tag == SVG


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


@pytest.mark.nightly
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
