"""Pictures of irregular networks: nothing lies on anything else, and colours mean what they say."""

import random
import xml.etree.ElementTree as ET
from collections.abc import Callable
from itertools import combinations, pairwise

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from syncfabric.models.errors import OutputError
from syncfabric.models.networks.irregular import Place
from syncfabric.models.networks.spec import GroupSpec, IrregularSpec, NetworkSpec
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim.draw import (
    can_draw,
    check_picture,
    heat_figure,
    network_figure,
    picture,
    plan_figure,
    show,
    to_svg,
)
from syncfabric.sim.draw.canvas import PAPER, ROOT, depth_colours
from syncfabric.sim.draw.irregular.arrows import arrow, band
from syncfabric.sim.draw.irregular.chart import IrregularChart
from syncfabric.sim.draw.irregular.ground import HALF, RIM, ground_of
from syncfabric.sim.draw.irregular.layout import crossings, places
from syncfabric.sim.results import ChannelLoad


def network(
    ports: int, switches: int, pairs: list[tuple[int, int]], nodes: int = 99
) -> IrregularSpec:
    """Return a network of these links on the lowest ports, and so many nodes a switch."""
    free = {switch: list(range(ports)) for switch in range(switches)}
    links = [((a, free[a].pop(0)), (b, free[b].pop(0))) for a, b in pairs]
    places = [(switch, port) for switch in free for port in free[switch][:nodes]]
    return IrregularSpec(
        kind="irregular", ports=ports, switches=switches, links=tuple(links), nodes=tuple(places)
    )


def ring(size: int) -> IrregularSpec:
    return network(4, size, [(i, (i + 1) % size) for i in range(size)])


def star(leaves: int) -> IrregularSpec:
    return network(16, leaves + 1, [(0, i + 1) for i in range(leaves)], 3)


def parallel() -> IrregularSpec:
    return network(16, 3, 4 * [(0, 1)] + 3 * [(2, 1)] + [(0, 2)], 5)


def wheel() -> IrregularSpec:
    """Return a ring whose opposite switches are linked, which all cross in the middle."""
    return network(
        6, 9, [(i, (i + 1) % 8) for i in range(8)] + [(i, i + 4) for i in range(4)] + [(8, 0)]
    )


def anything(switches: int, seed: int) -> IrregularSpec:
    rng = random.Random(seed)
    pairs = [(rng.randrange(max(0, i - 6), i), i) for i in range(1, switches)]
    pairs += [(a, b) for a, b in (rng.sample(range(switches), 2) for _ in range(switches // 3))]
    return network(16, switches, pairs, 4)


def plan_of(spec: IrregularSpec, *groups: tuple[Place, ...], planner: str = "") -> BarrierPlan:
    specs = tuple(
        GroupSpec(id=i, members=members, planner=planner) for i, members in enumerate(groups)
    )
    return make_plan(NetworkSpec(name="net", network=spec, groups=specs))


SHAPES: dict[str, Callable[[], IrregularSpec]] = {
    "one": lambda: network(16, 1, []),
    "two": lambda: network(4, 2, [(0, 1)]),
    "ring": lambda: ring(9),
    "star": lambda: star(12),
    "parallel": parallel,
    "wheel": wheel,
    "random-20": lambda: anything(20, 1),
    "random-75": lambda: anything(75, 2),
}


@pytest.mark.parametrize(
    "shape",
    [pytest.param(name, marks=[pytest.mark.long] * (name == "random-75")) for name in SHAPES],
)
def test_nothing_lies_on_anything_else(shape: str) -> None:
    spec = SHAPES[shape]()
    ground = ground_of(spec.topology)
    middles = np.array(ground.switches)
    for a, b in combinations(middles, 2):
        assert np.linalg.norm(a - b) >= 0.99
    discs = np.array([ground.ports[node] for node in spec.nodes])
    gaps = np.linalg.norm(discs[:, None] - discs[None], axis=2)
    np.fill_diagonal(gaps, np.inf)
    assert gaps.min() > 2 * ground.radius
    for node, disc in zip(spec.nodes, discs, strict=True):
        away = np.linalg.norm(middles - disc, axis=1)
        assert away.argmin() == node[0]
        assert away.min() > HALF * 2**0.5 + ground.radius / 2


@pytest.mark.parametrize("shape", SHAPES)
def test_links_go_from_rim_to_rim_and_over_no_other_switch(shape: str) -> None:
    spec = SHAPES[shape]()
    ground = ground_of(spec.topology)
    for ((a, _), (b, _)), curve in zip(spec.links, ground.links, strict=True):
        for end, point in ((a, curve[0]), (b, curve[-1])):
            assert np.linalg.norm(point - ground.switches[end]) == pytest.approx(RIM, abs=0.05)
        for switch, middle in enumerate(ground.switches):
            if switch not in (a, b):
                assert np.linalg.norm(curve - middle, axis=1).min() > HALF * 2**0.5


def test_parallel_links_can_be_told_apart() -> None:
    spec = parallel()
    ground = ground_of(spec.topology)
    for (first, one), (second, two) in combinations(zip(spec.links, ground.links, strict=True), 2):
        if {first[0][0], first[1][0]} == {second[0][0], second[1][0]}:
            middle = one[len(one) // 2]
            assert np.linalg.norm(two - middle, axis=1).min() > 0.08
    numbers = np.array([ground.ports[end] for link in spec.links for end in link])
    gaps = np.linalg.norm(numbers[:, None] - numbers[None], axis=2)
    np.fill_diagonal(gaps, np.inf)
    assert gaps.min() > 0.1


def test_a_ring_and_a_star_have_no_crossings() -> None:
    for spec in (ring(9), star(12), anything(2, 1)):
        pairs = np.array([[a, b] for (a, _), (b, _) in spec.links])
        assert crossings(np.array(places(spec.topology)), pairs) == 0
    square = np.array([[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    assert crossings(square, np.array([[0, 1], [2, 3]])) == 1
    assert crossings(square, np.array([[0, 2], [3, 1]])) == 0


def test_a_picture_is_no_larger_than_it_must() -> None:
    width, height = np.ptp(np.array(places(SHAPES["random-75"]().topology)), axis=0)
    assert width * height < 3 * 75


def test_the_long_way_lies_level() -> None:
    row = network(4, 6, [(i, i + 1) for i in range(5)])
    width, height = np.ptp(np.array(places(row.topology)), axis=0)
    assert width > 3 * height


def test_an_arrow_ends_where_its_curve_does() -> None:
    curve = np.stack([np.linspace(0, 1, 101), np.zeros(101)], axis=1)
    line, head = arrow(curve, 0.2)
    assert head[0].tolist() == [1.0, 0.0]
    assert line[-1][0] == pytest.approx(0.8, abs=0.02)
    assert sorted(head[1:, 1]) == pytest.approx([-0.096, 0.096])
    outline = band(curve)
    assert (outline[:, 1] < 0).all()
    assert outline[:, 0].max() == pytest.approx(1.0)


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape != "random-75"])
def test_every_picture_can_be_made(shape: str) -> None:
    spec = SHAPES[shape]()
    nodes = spec.nodes
    plan = plan_of(spec, nodes, nodes[:3], nodes[-1:])
    figures = [plan_figure(plan), network_figure(plan.spec)]
    figures.append(heat_figure(spec, [ChannelLoad(0, "0", 0.5)], title="x"))
    for figure in figures:
        assert ET.fromstring(to_svg(figure)).tag == "{http://www.w3.org/2000/svg}svg"


def test_pictures_are_the_same_every_time() -> None:
    plan = plan_of(anything(20, 1), anything(20, 1).nodes[:9])
    first = picture(plan_figure(plan), "svg")
    places.cache_clear()
    ground_of.cache_clear()
    assert picture(plan_figure(plan), "svg") == first


def drawn(figure: Figure) -> dict[str, set[str]]:
    """Return the colours of the squares of switches and of tree edges, most general first."""
    collections = figure.axes[0].collections
    by_kind: dict[str, set[str]] = {}
    for collection in collections:
        colours = {to_hex(tuple(c)) for c in np.asarray(collection.get_facecolor()).reshape(-1, 4)}
        by_kind.setdefault(type(collection).__name__, set()).update(colours)
    return by_kind


def test_colours_are_depths() -> None:
    """A ring's tree goes both ways round: six switches up to three links away."""
    spec = ring(6)
    plan = plan_of(spec, spec.nodes)
    (group,) = plan.groups
    assert group.height == 3
    shapes = drawn(plan_figure(plan))
    colours = depth_colours(3)
    assert shapes["PatchCollection"] == set(colours)
    assert shapes["PolyCollection"] == set(colours[1:])


def test_what_is_not_in_the_tree_is_pale() -> None:
    spec = star(4)
    plan = plan_of(spec, ((1, 1), (2, 2)))
    (group,) = plan.groups
    assert group.height == 1
    texts = [text.get_text() for text in plan_figure(plan).texts]
    assert texts[0] == "net · group 0"
    assert texts[1].startswith("2 members · root switch 0 · height 1 · longest path")
    squares = next(
        c for c in plan_figure(plan).axes[0].collections if type(c).__name__ == "PatchCollection"
    )
    inks = [to_hex(tuple(c)) for c in np.asarray(squares.get_facecolor())]
    depth = depth_colours(1)
    assert inks[:3] == [ROOT, depth[1], depth[1]]
    assert len(set(inks[3:])) == 1
    assert not {*inks[3:]} & {*depth}
    chart = IrregularChart(spec.topology, 6.4)
    words = [mark.words for mark in chart.tree_key([group])]  # type: ignore[list-item]
    assert words == ["root", "depth 1", "not in the tree", "member", "other node"]


def test_a_member_alone_has_its_switch_for_a_tree() -> None:
    spec = star(4)
    figure = plan_figure(plan_of(spec, ((1, 1),)))
    assert ROOT in drawn(figure)["PatchCollection"]
    assert not drawn(figure).get("PolyCollection")
    discs = [c for c in figure.axes[0].collections if type(c).__name__ == "PathCollection"]
    assert ROOT in {to_hex(tuple(c)) for d in discs for c in np.asarray(d.get_facecolor())}


def test_heat_draws_every_channel() -> None:
    spec = parallel()
    loads = [ChannelLoad(1, "2", 0.9), ChannelLoad((0, 6), "inject", 0.4), ChannelLoad(0, "7", 0.2)]
    figure = heat_figure(spec, loads, title="x")
    bands = next(c for c in figure.axes[0].collections if type(c).__name__ == "PolyCollection")
    halves = [c for c in figure.axes[0].collections if type(c).__name__ == "PatchCollection"][-1]
    assert len(bands.get_paths()) == 2 * len(spec.links)
    assert len(halves.get_paths()) == 2 * len(spec.nodes)
    for part, busy in ((bands, 1), (halves, 2)):
        inks, counts = np.unique(np.asarray(part.get_facecolor()), axis=0, return_counts=True)
        assert len(inks) == 1 + busy
        assert sorted(counts)[:-1] == busy * [1]


def test_a_network_too_large_to_draw_is_refused() -> None:
    links = tuple(((i, 0), (i + 1, 1)) for i in range(100))
    large = IrregularSpec(kind="irregular", ports=4, switches=101, links=links, nodes=((0, 2),))
    message = (
        r"^picture a\.svg: an irregular network of 101 switches is too large to draw; "
        r"pictures go up to 100 switches, so leave the picture out$"
    )
    with pytest.raises(OutputError, match=message):
        check_picture("a.svg", large)
    assert not can_draw(large)
    assert show(large, lambda: pytest.fail("it was drawn")) is None
    assert check_picture("a.PNG", ring(4)) == "png"


def test_many_groups_share_a_node() -> None:
    spec = ring(3)
    plan = plan_of(spec, *4 * (spec.nodes,))
    figure = network_figure(plan.spec)
    pies = [c for c in figure.axes[0].collections if type(c).__name__ == "PatchCollection"][-1]
    assert len(pies.get_paths()) == 4 * len(spec.nodes)
    assert PAPER not in {to_hex(tuple(c)) for c in np.asarray(pies.get_facecolor())}


def test_gaps_between_the_ports_of_a_full_switch() -> None:
    """All 16 ports of a switch have a seat of their own."""
    spec = network(16, 9, [(0, i) for i in range(1, 9)])
    ground = ground_of(spec.topology)
    angles = sorted(
        float(np.arctan2(*(np.array(ground.ports[0, port]) - ground.switches[0])[::-1]))
        for port in range(16)
    )
    assert min(b - a for a, b in pairwise(angles)) > np.radians(12)
