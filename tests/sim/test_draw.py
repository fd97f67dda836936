"""Pictures: along real routes, in lanes that never overlap, the same bytes every time."""

import random
import subprocess
import sys
import xml.etree.ElementTree as ET
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_hex

from syncfabric import Network
from syncfabric.models.errors import OutputError
from syncfabric.models.networks.spec import GroupSpec, MeshSpec, NetworkSpec
from syncfabric.models.planning.plan import make_plan
from syncfabric.sim.draw import (
    check_picture,
    group_figure,
    heat_figure,
    network_figure,
    picture,
    plan_figure,
    to_svg,
)
from syncfabric.sim.draw.canvas import depth_colours
from syncfabric.sim.draw.mesh.chart import branches
from syncfabric.sim.draw.mesh.lanes import corners, lay_out
from syncfabric.sim.draw.page import depth_key
from syncfabric.sim.results import ChannelLoad
from syncfabric.sim.words import count

PNG = b"\x89PNG\r\n\x1a\n"
READY_MADE = ["mesh-2x2", "row-1x8", "mesh-5x3", "fig1", "demo", "mesh-32x32"]


def test_corners_are_ends_and_bends() -> None:
    assert corners([(0, 0), (1, 0), (2, 0), (2, 1), (2, 2)]) == [(0, 0), (2, 0), (2, 2)]
    assert corners([(0, 0), (1, 0)]) == [(0, 0), (1, 0)]


@pytest.mark.parametrize("seed", range(20))
def test_no_two_lanes_lie_on_one_another(seed: int) -> None:
    rng = random.Random(seed)
    spec = mesh_spec(rng.randint(2, 12), rng.randint(2, 12), transport="routed")
    members = tuple(rng.sample(spec.mesh.nodes, rng.randint(2, len(spec.mesh.nodes))))
    groups = (GroupSpec(id=1, members=members),)
    (group,) = make_plan(NetworkSpec(name="net", network=spec, groups=groups)).engine_groups
    lanes = lay_out([path for _, path in branches(group, spec.mesh).ways], 0.2)
    pieces = [piece for lane in lanes for piece in pairwise(lane)]
    for (a, b), (c, d) in combinations(pieces, 2):
        for along in (0, 1):
            aside = 1 - along
            if a[aside] == b[aside] == c[aside] == d[aside]:
                first, second = sorted((a[along], b[along])), sorted((c[along], d[along]))
                assert min(first[1], second[1]) - max(first[0], second[0]) < 1e-9


def test_lanes_begin_and_end_on_the_rim_of_their_nodes() -> None:
    paths = [[(0, 0), (3, 0), (3, 3)], [(1, 0), (3, 0)]]
    for path, lane in zip(paths, lay_out(paths, 0.2), strict=True):
        for node, point in ((path[0], lane[0]), (path[-1], lane[-1])):
            away = (point[0] - node[0]) ** 2 + (point[1] - node[1]) ** 2
            assert away == pytest.approx(0.04)


@pytest.mark.parametrize("name", READY_MADE)
def test_every_picture_can_be_made(name: str) -> None:
    plan = Network.load(name).plan()
    for figure in (
        plan_figure(plan),
        group_figure(plan, plan.groups[0]),
        network_figure(plan.spec),
    ):
        assert ET.fromstring(to_svg(figure)).tag == "{http://www.w3.org/2000/svg}svg"


def test_pictures_are_the_same_every_time() -> None:
    plan = Network.load("demo").plan()
    for kind in ("svg", "png"):
        first, second = (picture(plan_figure(plan), kind) for _ in range(2))
        assert first == second
    assert b"<dc:date>" not in picture(plan_figure(plan), "svg")


def test_a_network_without_groups_is_a_mesh() -> None:
    text = 'name = "bare"\n[network]\nkind = "mesh"\nwidth = 3\nheight = 2\n'
    assert picture(plan_figure(Network.loads(text).plan()), "png").startswith(PNG)


def test_many_groups_are_shown_in_part() -> None:
    groups = "".join(f"[[group]]\nid = {i}\nmembers = [[0, 0], [1, 1]]\n" for i in range(16))
    text = 'name = "many"\n[network]\nkind = "mesh"\nwidth = 2\nheight = 2\n'
    plan = Network.loads(text + groups).plan()
    assert len(plan_figure(plan).axes) == 12
    assert "2x2 mesh · 16 groups · 4 groups not shown" in [
        t.get_text() for t in plan_figure(plan).texts
    ]
    network_figure(plan.spec)


def test_the_title_says_what_the_tree_is() -> None:
    plan = Network.load("fig1").plan()
    texts = [text.get_text() for text in group_figure(plan, plan.groups[0]).texts]
    assert texts[0] == "fig1 · group 1"
    assert texts[1].startswith(
        "14 members · root node (4, 4) · height 2 · longest path 9 hops · bound"
    )


def mesh_spec(width: int, height: int, **keys: Any) -> MeshSpec:
    return MeshSpec(kind="mesh", width=width, height=height, **keys)


@pytest.mark.parametrize("size", [(1, 1), (4, 1), (8, 8)])
def test_heat_draws_every_channel(size: tuple[int, int]) -> None:
    mesh = mesh_spec(*size).mesh
    loads = [ChannelLoad(node, "inject", 0.3) for node in mesh.nodes]
    figure = heat_figure(mesh_spec(*size), loads, title="x")
    links = 2 * (mesh.width - 1) * mesh.height + 2 * (mesh.height - 1) * mesh.width
    shapes = figure.axes[0].collections[0].get_paths()
    assert len(shapes) == links + 2 * len(mesh.nodes)


def test_a_loaded_channel_has_a_colour_of_its_own() -> None:
    figure = heat_figure(mesh_spec(2, 1), [ChannelLoad((0, 0), "east", 0.9)], title="x")
    colours = np.asarray(figure.axes[0].collections[0].get_facecolor())
    assert len(np.unique(colours, axis=0)) == 2


def test_the_root_and_each_depth_have_a_colour() -> None:
    assert len(set(depth_colours(6))) == 7
    assert depth_colours(0) == ["#d1382c"]
    words = [mark.words for mark in depth_key(2, others="not a member", shape="disc")]
    assert words == ["root", "depth 1", "depth 2", "not a member"]
    assert len(depth_key(40, others=None, shape="disc")) <= 7


def test_members_are_drawn_above_lines() -> None:
    (axes,) = group_figure(plan := Network.load("fig1").plan(), plan.groups[0]).axes
    layers = {"LineCollection": [], "PathCollection": []}  # type: dict[str, list[float]]
    for drawn in axes.collections:
        layers.setdefault(type(drawn).__name__, []).append(drawn.get_zorder())
    assert sum(layer > max(layers["LineCollection"]) for layer in layers["PathCollection"]) == 2


def test_counting_in_words() -> None:
    assert count(1, "hop") == "1 hop"
    assert count(1024, "member") == "1,024 members"


def test_other_kinds_of_picture_are_refused() -> None:
    message = r"^picture tree\.pdf: its name must end in \.svg or \.png$"
    with pytest.raises(OutputError, match=message):
        check_picture("tree.pdf", mesh_spec(4, 4))


def test_a_mesh_too_large_to_draw_is_refused() -> None:
    message = (
        r"^picture a\.svg: a 65x2 mesh is too large to draw; pictures go up to 64x64, "
        r"so leave the picture out$"
    )
    with pytest.raises(OutputError, match=message):
        check_picture("a.svg", mesh_spec(65, 2))


def test_a_plan_draws_itself_into_a_file(tmp_path: Path) -> None:
    plan = Network.load("mesh-2x2").plan()
    assert plan.draw(tmp_path / "a" / "x.png").read_bytes().startswith(PNG)
    assert plan.draw(tmp_path / "x.SVG").read_text().startswith("<?xml")


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


def test_a_depth_has_one_colour_on_all_panels() -> None:
    plan = Network.load("demo").plan()
    highest = max(group.height for group in plan.engine_groups)
    for group, axes in zip(plan.engine_groups, plan_figure(plan).axes, strict=True):
        depths = branches(group, plan.spec.network.topology).depths  # type: ignore[arg-type]
        discs = np.asarray(axes.collections[2].get_facecolor())
        for node, colour in zip(group.members, discs, strict=True):
            assert to_hex(tuple(colour)) == depth_colours(highest)[depths[node]]
