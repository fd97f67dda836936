"""Pictures of link trees and routed trees; and fronts, which engines do not have yet."""

from pathlib import Path

import pytest

from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan import make_plan
from syncfabric.sim.draw.mesh.chart import branches
from syncfabric.sim.network import Network
from tests.sim.test_engine_networks import MESH, network


@pytest.mark.parametrize("transport", ["link", "routed"])
def test_ways_of_a_mesh_are_those_of_its_tree(transport: str) -> None:
    spec = network(MESH, 5, 4, members=2, transport=transport, channels=2)
    if transport == "routed":
        spec = spec.model_copy(update={"groups": spec.groups[1:]})
    mesh = spec.network.topology
    assert isinstance(mesh, Mesh)
    for group in make_plan(spec).groups:
        assert isinstance(group, GroupPlan)
        depths, ways = branches(group, mesh)
        edges = {(mesh.node(child), mesh.node(parent)) for child, parent in group.shape.edges}
        assert {(path[-1], path[0]) for _, path in ways} == edges
        assert all(depths[path[-1]] == depth == depths[path[0]] + 1 for depth, path in ways)
        long = {sum(abs(a - b) for a, b in zip(path[0], path[-1], strict=True)) for _, path in ways}
        assert long <= {1} or transport == "routed"
        assert max(depths.values()) == group.height


@pytest.mark.parametrize("name", ["mesh-8x8-groups", "cluster-19"])
def test_a_picture_of_all_groups(name: str, tmp_path: Path) -> None:
    Network.load(name).plan().draw(tmp_path / "all.svg")
    text = (tmp_path / "all.svg").read_text(encoding="utf-8")
    assert "group 1 · 64 members" in text
    assert "group 2" in text
