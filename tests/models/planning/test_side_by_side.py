"""Rings and trees of several groups."""

import random
from itertools import pairwise

import pytest

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.networks.spec import GroupSpec
from syncfabric.models.planning.ring import Ring
from syncfabric.models.planning.side_by_side import lay_ways
from tests.models.planning.static_ways import Hop, disjoint_groups, ring_hops, tree_hops


def check(mesh: Mesh, groups: list[GroupSpec]) -> None:
    """Lay the groups, and check all of it."""
    ways = lay_ways(mesh, groups)
    assert ways.keys() == {group.id for group in groups if len(group.members) > 1}
    used: list[Hop] = []
    for group in groups:
        if len(group.members) == 1:
            continue
        way = ways[group.id]
        if isinstance(way, Ring):
            assert group.planner == "ring"
            assert set(group.members) <= set(way.switches)
            used += ring_hops(mesh, way.switches)
        else:
            assert group.planner == "tree"
            used += tree_hops(mesh, way.root, way.edges, group.members)
        assert way.excess >= 0
    assert len(set(used)) == len(used), "two groups use a link"


def check_random(seed: int, count: int) -> int:
    """Check random groups on random meshes; return how often some were refused."""
    rng, refused = random.Random(seed), 0
    for _ in range(count):
        mesh = Mesh(rng.randint(2, 8), rng.randint(2, 8))
        groups = disjoint_groups(mesh, rng, ("ring", "ring", "tree"))
        try:
            check(mesh, groups)
        except PlanError:
            refused += 1
    return refused


def test_random_groups() -> None:
    assert check_random(seed=5, count=10) <= 2


@pytest.mark.long
def test_many_random_groups() -> None:
    assert check_random(seed=6, count=100) <= 18


def test_two_rings_the_two_ways_round() -> None:
    groups = [
        GroupSpec(id=1, members=((0, 0), (1, 1)), planner="ring"),
        GroupSpec(id=2, members=((1, 0), (0, 1)), planner="ring"),
    ]
    check(Mesh(2, 2), groups)
    ways = lay_ways(Mesh(2, 2), groups)
    assert all(isinstance(way, Ring) and len(way.switches) == 4 for way in ways.values())


def test_the_same_plan_every_time() -> None:
    mesh, rng = Mesh(6, 6), random.Random(3)
    groups = disjoint_groups(mesh, rng, ("ring", "tree"))
    assert lay_ways(mesh, groups) == lay_ways(mesh, groups)


def test_a_ring_on_a_row_is_refused() -> None:
    rule = (
        r'^group 3: planner = "ring" has no ring on a 4x1 mesh, where it would turn back at a '
        r'switch, which none can; set planner = "tree"$'
    )
    with pytest.raises(PlanError, match=rule):
        lay_ways(Mesh(4, 1), [GroupSpec(id=3, members=((0, 0), (1, 0)), planner="ring")])
    check(Mesh(4, 1), [GroupSpec(id=3, members=((0, 0), (1, 0)), planner="tree")])


def test_too_many_rings_are_refused() -> None:
    """On two rows a ring round the whole takes every link one way round: there is no third."""
    pairs = pairwise([(0, 0), (2, 1), (2, 0), (0, 1), (1, 0), (1, 1)])
    groups = [
        GroupSpec(id=gid, members=members, planner="ring")
        for gid, members in enumerate(list(pairs)[::2])
    ]
    rule = r'^group \d: planner = "ring" found no ring that shares no link with those of groups '
    with pytest.raises(
        PlanError, match=rule + r'\d, \d, though there may be one; set planner = "t'
    ):
        lay_ways(Mesh(3, 2), groups)
