"""Places of switches: apart, few crossings, level, small and the same every time."""

from itertools import combinations, pairwise

import numpy as np

from syncfabric.sim.draw.scene import scene_of
from syncfabric.sim.draw.springs import crossings, directions, places
from tests.sim.draw.test_scene import PARALLEL, anything, cluster, gaps, ring, star


def test_parallel_links_and_their_numbers_can_be_told_apart() -> None:
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


def test_a_scene_is_level_small_and_the_same_every_time() -> None:
    row = cluster(4, 6, [(i, i + 1) for i in range(5)])
    width, height = np.ptp(np.array(places(row.topology)), axis=0)
    assert width > 3 * height
    assert np.prod(np.ptp(np.array(places(anything(75, 2).topology)), axis=0)) < 3 * 75
    first = places(ring(9).topology)
    places.cache_clear()
    assert places(ring(9).topology) == first
