"""Lines, and scenes: nothing lies on anything else, links go from edge to edge, lanes are apart."""

import random
from collections.abc import Callable
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest

from syncfabric.models.collectives.library import named
from syncfabric.models.networks import reader
from syncfabric.models.networks.families import FAMILIES
from syncfabric.models.networks.spec import IrregularSpec, MeshSpec
from syncfabric.sim.draw.scene import (
    HALF,
    LINK,
    RIM,
    crossings,
    directions,
    places,
    scene_of,
    schedule_scene,
    vertex_places,
)
from tests.nightly import nightly_but


def cluster(
    ports: int, switches: int, pairs: list[tuple[int, int]], nodes: int = 99
) -> IrregularSpec:
    """Return a network of these links on the lowest ports, and so many nodes a switch."""
    free = {switch: list(range(ports)) for switch in range(switches)}
    links = [((a, free[a].pop(0)), (b, free[b].pop(0))) for a, b in pairs]
    ends = [(switch, port) for switch in free for port in free[switch][:nodes]]
    return IrregularSpec(
        kind="irregular", ports=ports, switches=switches, links=tuple(links), nodes=tuple(ends)
    )


def ring(size: int) -> IrregularSpec:
    return cluster(4, size, [(i, (i + 1) % size) for i in range(size)])


def star(leaves: int) -> IrregularSpec:
    return cluster(16, leaves + 1, [(0, i + 1) for i in range(leaves)], 3)


def by_name(name: str) -> Callable[[], IrregularSpec]:
    def make() -> IrregularSpec:
        text = f'name = "a"\n[network]\nkind = "irregular"\ntopology = "{name}"\n'
        network = reader.loads(text).network
        assert isinstance(network, IrregularSpec)
        return network

    return make


def anything(switches: int, seed: int) -> IrregularSpec:
    rng = random.Random(seed)
    pairs = [(rng.randrange(max(0, i - 6), i), i) for i in range(1, switches)]
    pairs += [(a, b) for a, b in (rng.sample(range(switches), 2) for _ in range(switches // 3))]
    return cluster(16, switches, pairs, 4)


PARALLEL = cluster(16, 3, 4 * [(0, 1)] + 3 * [(2, 1)] + [(0, 2)], 5)
AROUND = [(i, (i + 1) % 8) for i in range(8)]
SHAPES: dict[str, Callable[[], IrregularSpec]] = {
    "one": lambda: cluster(16, 1, []),
    "two": lambda: cluster(4, 2, [(0, 1)]),
    "ring": lambda: ring(9),
    "star": lambda: star(12),
    "parallel": lambda: PARALLEL,
    "wheel": lambda: cluster(6, 9, [*AROUND, *((i, i + 4) for i in range(4)), (8, 0)]),
    "random-20": lambda: anything(20, 1),
    "random-75": lambda: anything(75, 2),
    **{name: by_name(name) for name in ("torus-5x4", "torus-4x3x3", "ring-9", "fat-tree-2x4")},
    **{name: by_name(name) for name in ("mesh-3x4x2", "hypercube-8", "coated-mesh-4x3")},
}


def gaps(points: Any) -> Any:
    """Return the distances of points, infinite from each to itself."""
    found = np.linalg.norm(np.array(points)[:, None] - np.array(points)[None], axis=2)
    np.fill_diagonal(found, np.inf)
    return found


@pytest.mark.parametrize("shape", nightly_but(SHAPES.keys() - {"random-75"}, SHAPES))
def test_nothing_lies_on_anything_else(shape: str) -> None:
    spec = SHAPES[shape]()
    scene = scene_of(spec)
    middles = np.array([(scene.spots[s].x, scene.spots[s].y) for s in range(spec.switches)])
    assert gaps(middles).min() >= 0.99
    discs = np.array([(scene.spots[node].x, scene.spots[node].y) for node in spec.nodes])
    radius = scene.spots[spec.nodes[0]].radius
    assert gaps(discs).min() > 2 * radius
    for node, disc in zip(spec.nodes, discs, strict=True):
        away = np.linalg.norm(middles - disc, axis=1)
        assert away.argmin() == node[0]
        assert away.min() > HALF * 2**0.5 + radius / 2
    for link in spec.links:
        for (here, port), (there, _) in (link, link[::-1]):
            line = scene.links[here, str(port)]
            for end, point in ((here, line[0]), (there, line[-1])):
                assert np.linalg.norm(point - middles[end]) == pytest.approx(RIM, abs=0.05)
            others = [switch for switch in range(spec.switches) if switch not in (here, there)]
            away = np.linalg.norm(line[:, None] - middles[others], axis=2)
            assert away.min(initial=9) > HALF * 2**0.5
    for x, y, _ in scene.numbers:
        assert -0.5 < x < scene.width - 0.5
        assert -0.5 < y < scene.height - 0.5


def test_a_topology_stands_as_it_says() -> None:
    def middles(name: str) -> list[tuple[float, float]]:
        spec = by_name(name)()
        spots = scene_of(spec).spots
        found = [(spots[s].x - spots[0].x, spots[s].y - spots[0].y) for s in range(spec.switches)]
        return [(round(x / LINK, 2), round(y / LINK, 2)) for x, y in found]

    assert middles("torus-3x4") == [(x, y) for y in range(4) for x in range(3)]
    layers = [(3 * x + z, 2 * 3 * y / 2 + z) for z in range(3) for y in range(2) for x in range(4)]
    assert middles("mesh-4x2x3") == layers
    tree = middles("fat-tree-2x3")
    assert [y for _, y in tree] == [-1.5 * level for level in range(3) for _ in range(4)]
    circle = np.array(middles("ring-12"))
    assert np.hypot(*(circle - circle.mean(axis=0)).T) == pytest.approx(np.full(12, 1.93), abs=0.02)


def test_a_mesh_has_both_directions_of_each_link() -> None:
    scene = scene_of(MeshSpec(kind="mesh", width=3, height=2))
    assert len(scene.links) == 2 * (2 * 2 + 3)
    there, back = scene.links[(0, 0), "east"], scene.links[(1, 0), "west"]
    assert there.tolist() == back[::-1].tolist() == [[0.23, 0.0], [0.77, 0.0]]
    assert scene.lane(((0, 0), "east"))[:, 1].tolist() == pytest.approx([-0.085] * 2)
    assert scene.lane(((1, 0), "west"))[:, 1].tolist() == pytest.approx([0.085] * 2)
    assert scene.lane(((1, 0), "north"))[:, 0].tolist() == pytest.approx([1.085] * 2)


@pytest.mark.parametrize("name", [family.example for family in FAMILIES.values()])
def test_every_topology_has_its_places(name: str) -> None:
    topology = named(name)
    found = vertex_places(topology)
    assert found.shape == (topology.vertices, 2)
    assert (found.min(), found.max()) == (0, 1)
    assert gaps(found).min() > 0.02
    scene = schedule_scene(topology)
    assert list(scene.links) == list(topology.channels)
    for channel in topology.channels:
        line = scene.links[channel]
        for vertex, point in zip(channel, (line[0], line[-1]), strict=True):
            spot = scene.spots[vertex]
            assert np.hypot(*(point - (spot.x, spot.y))) == pytest.approx(spot.radius, abs=0.05)


def test_channels_bow_round_what_is_in_their_path() -> None:
    torus = schedule_scene(named("torus-4x4")).links
    assert (len(torus[0, 1]), len(torus[1, 0])) == (2, 2)
    assert len(torus[3, 0]) > 2
    assert torus[0, 3] == pytest.approx(torus[3, 0][::-1])
    assert all(len(line) == 2 for line in schedule_scene(named("octagon-8")).links.values())


def test_longer_links_show_their_registers() -> None:
    text = 'name = "n"\n[network]\nkind = "irregular"\ntopology = "ring-4"\n'
    plain = scene_of(reader.loads(text).network)
    long = scene_of(
        reader.loads(text + 'long_links = [{ registers = 5, between = "wraps" }]').network
    )
    assert [mark for _, _, mark in long.numbers if mark.startswith("+")] == ["+5"]
    assert len(long.numbers) == len(plain.numbers) + 1


def test_parallel_links_and_their_numbers_are_distinct() -> None:
    scene = scene_of(PARALLEL)
    for first, second in combinations(PARALLEL.links, 2):
        if (first[0][0], first[1][0]) == (second[0][0], second[1][0]):
            one, two = (scene.links[link[0][0], str(link[0][1])] for link in (first, second))
            assert np.linalg.norm(two - one[len(one) // 2], axis=1).min() > 0.08
    assert gaps([(x, y) for x, y, _ in scene.numbers]).min() > 0.1
    full = cluster(16, 9, [(0, i) for i in range(1, 9)])
    angles = sorted(angle for port, angle in directions(full.topology).items() if port[0] == 0)
    assert min(b - a for a, b in pairwise(angles)) > np.radians(12)


def test_crossings_are_few() -> None:
    for spec in (ring(9), star(12), anything(2, 1)):
        pairs = np.array([[a, b] for (a, _), (b, _) in spec.links])
        assert crossings(np.array(places(spec.topology)), pairs) == 0
    square = np.array([[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    assert crossings(square, np.array([[0, 1], [2, 3]])) == 1
    assert crossings(square, np.array([[0, 2], [3, 1]])) == 0


@pytest.mark.parametrize("nodes", nightly_but([25], [25, 75]))
def test_a_scene_is_level_small_and_the_same_every_time(nodes: int) -> None:
    row = cluster(4, 6, [(i, i + 1) for i in range(5)])
    width, height = np.ptp(np.array(places(row.topology)), axis=0)
    assert width > 3 * height
    assert np.prod(np.ptp(np.array(places(anything(nodes, 2).topology)), axis=0)) < 3 * nodes
    first = places(ring(9).topology)
    places.cache_clear()
    assert places(ring(9).topology) == first
