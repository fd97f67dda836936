"""Bounds of rings and trees on graphs, by the runs that can be the worst; some are met."""

import pytest

from tests.models.golden.static_plans import Barriers, plan_of, with_places

TOGETHER = "links = []\nnodes = [[0, 0], [0, 1], [0, 2]]"
"""Three nodes at one switch."""
NAMES = ["torus-3x3", "hypercube-8", "star-4", "mesh-3", "complete-4", "ring-3", "amp-9"]
OUTSIDE = ["fat-tree-2x2", "dragonfly-2x2x1", "fat-octagon-16", "coated-mesh-2x2"]
ALIKE = [(1, 1, 1), (2, 2, 2), (3, 3, 3), (8, 8, 8)]


def worst(links: str, planner: str, buffers: tuple[int, int, int]) -> tuple[int, int]:
    """Return the greatest latency found, and the bound."""
    plan = plan_of(links, planner, **with_places(buffers))
    return Barriers(plan).worst(), plan.groups[0].bound


@pytest.mark.parametrize("planner", ["ring", "tree"])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("buffers", [(2, 2, 2), (1, 3, 2), (2, 1, 3)])
def test_nodes_in_switches(name: str, planner: str, buffers: tuple[int, int, int]) -> None:
    found, bound = worst(f'topology = "{name}"', planner, buffers)
    assert found <= bound


@pytest.mark.parametrize("planner", ["ring", "tree"])
@pytest.mark.parametrize("name", OUTSIDE)
@pytest.mark.parametrize("buffers", ALIKE)
def test_nodes_at_ports(name: str, planner: str, buffers: tuple[int, int, int]) -> None:
    found, bound = worst(f'topology = "{name}"', planner, buffers)
    assert found <= bound


@pytest.mark.parametrize("places", [2, 3, 8, 16])
def test_bounds_that_are_met(places: int) -> None:
    """Where all are at one switch, and where a member is beside the root of a tree."""
    buffers = (places,) * 3
    for planner in ("ring", "tree"):
        found, bound = worst(TOGETHER, planner, buffers)
        assert found == bound
    if places == 2:
        found, bound = worst('topology = "fat-tree-2x2"', "tree", buffers)
        assert found == bound == 12


@pytest.mark.parametrize(("planner", "name"), [("ring", "star-5"), ("tree", "torus-4x4")])
def test_back_to_back_barriers(planner: str, name: str) -> None:
    plan = plan_of(f'topology = "{name}"', planner)
    found = Barriers(plan).run(20, lambda episode, node: 7 * (episode + node) % 5)
    assert max(found) <= plan.groups[0].bound
