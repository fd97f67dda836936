"""Many groups at once: spread over routers, and radius given up where entries are short."""

import random
from collections import Counter

import numpy as np
import pytest

from syncfabric.models.networks.spec import GroupSpec
from syncfabric.models.planning import spread
from tests.models.planning.checker import groups_of, least_radius, mesh
from tests.models.planning.test_planners import plan_and_check


def test_many_large_groups_are_spread() -> None:
    """24 groups of 64 leave no router of a 16x16 mesh with more than 16; all have least radius."""
    network = mesh(16, 16)
    groups = groups_of(network, random.Random(1), 24, (64,))
    for plan in plan_and_check(network, groups):
        assert plan["bound_links"] == least_radius(network, plan["members"])


def test_groups_of_the_same_members_share_the_load() -> None:
    """Of 12 groups' 552 messages in a barrier no router of a 4x4 mesh gets more than 44.

    The root of one tree for all would get 60. Corners get 24 in any case, the others 38 on average.
    """
    network = mesh(4, 4)
    everybody = tuple(network.topology.nodes)
    groups = [GroupSpec(id=i, members=everybody) for i in range(12)]
    comes = Counter[tuple[int, ...]]()
    for plan in plan_and_check(network, groups):
        assert plan["bound_links"] == 4
        comes.update(tuple(end) for edge in plan["edges"] for end in edge)
        comes.update(everybody)
    assert comes.total() == 12 * (2 * 15 + 16)
    assert max(comes.values()) <= 44


def test_radius_gives_way_where_entries_are_short() -> None:
    """Both groups would go by the middle; one goes round it, and so has a greater radius."""
    network = mesh(3, 3, groups=2)
    line = GroupSpec(id=0, members=((0, 1), (2, 1)))
    groups = [line.model_copy(update={"id": i}) for i in range(2)]
    groups.append(GroupSpec(id=2, members=((1, 0), (1, 2))))
    plans = plan_and_check(network, groups)
    assert sorted(plan["bound_links"] for plan in plans) == [1, 1, 2]


def test_levels_of_many_roots_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spread, "MOST_KEPT", 20)
    graph, none = mesh(3, 3).topology.graph, np.zeros((1, 9), dtype=np.int64)
    state = spread._State(graph, 1, none, none, none[0])
    first = state.rays_of(0)
    assert state.rays_of(0) is first
    for root in (1, 2, 3):
        state.rays_of(root)
    assert state.rays_of(0) is not first
    assert state.rays_of(0).levels == first.levels == [0, 1, 2, 1, 2, 3, 2, 3, 4]
