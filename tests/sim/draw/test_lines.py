"""Lines of a scene: cut, rounded, moved, and laid beside each other."""

import random
from itertools import combinations, pairwise

import numpy as np
import pytest

from syncfabric.models.networks.spec import GroupSpec, MeshSpec, NetworkSpec
from syncfabric.models.planning.plan import make_plan
from syncfabric.sim.draw.lines import aside, band, corners, cut, head, lanes, moved, rounded
from tests.sim.draw.test_scene import gaps


def test_a_line_is_cut_rounded_moved_and_has_a_head() -> None:
    line = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 2.0]])
    assert cut(line, 0.25, 0.5).tolist() == [[0.25, 0], [1, 0], [1, 1.5]]
    assert cut(line, 1.0, 9.0).tolist() == [[1.0, 0.0], [1.0, 0.0]]
    soft = rounded(line)
    assert (soft[0].tolist(), soft[-1].tolist()) == ([0, 0], [1, 2])
    assert gaps([*soft, (1.0, 0.0)])[-1].min() > 0.03
    assert moved(line, (0.1, 0.1)).round(3).tolist() == [[0, -0.1], [1.1, -0.1], [1.1, 2]]
    back = moved(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]]), (0.1, 0.1))
    assert back.round(3).tolist() == [[0, -0.1], [1.1, -0.1], [1.1, 0.1], [0, 0.1]]
    curve = np.stack([np.linspace(0, 1, 101), np.zeros(101)], axis=1)
    assert head(curve, 0.2)[0].tolist() == [1.0, 0.0]
    assert sorted(head(curve, 0.2)[1:, 1]) == pytest.approx([-0.096, 0.096])
    outline = band(aside(curve, 0.06), 0.025)
    assert (outline[:, 1] < 0).all()
    assert outline[:, 0].max() == pytest.approx(1.0)


def test_corners_are_ends_and_bends() -> None:
    path = [(0, 0), (1, 0), (2, 0), (2, 1), (2, 2)]
    assert corners(path).tolist() == [[0, 0], [2, 0], [2, 2]]
    assert corners(path[:2]).tolist() == [[0, 0], [1, 0]]


@pytest.mark.parametrize("seed", range(20))
def test_no_two_lanes_lie_on_one_another(seed: int) -> None:
    rng = random.Random(seed)
    spec = MeshSpec(
        kind="mesh", width=rng.randint(2, 12), height=rng.randint(2, 12), transport="routed"
    )
    grid = spec.topology
    members = tuple(rng.sample(grid.nodes, rng.randint(2, len(grid.nodes))))
    network = NetworkSpec(name="net", network=spec, groups=(GroupSpec(id=1, members=members),))
    tree = make_plan(network).engine_groups[0].tree
    paths = [
        corners([grid.node(router) for router in (*(r for r, _ in down), int(tree.routers[child]))])
        for child, down, _ in tree.edge_paths()
    ]
    parted = lanes(paths, 0.2)
    for path, lane in zip(paths, parted, strict=True):
        for node, point in ((path[0], lane[0]), (path[-1], lane[-1])):
            assert np.hypot(*(point - node)) == pytest.approx(0.2)
    pieces = [piece for lane in parted for piece in pairwise(lane.round(9).tolist())]
    for (a, b), (c, d) in combinations(pieces, 2):
        for along in (0, 1):
            if a[1 - along] == b[1 - along] == c[1 - along] == d[1 - along]:
                first, second = sorted((a[along], b[along])), sorted((c[along], d[along]))
                assert min(first[1], second[1]) - max(first[0], second[0]) < 1e-9
