"""Barriers on topologies, by the golden model; heights and groups of small ones."""

import pytest

from syncfabric.sim.experiments.bench import topologies
from tests.sim.experiments.bench.conftest import met, rows_of


def test_no_barrier_takes_longer_than_its_bound(
    monkeypatch: pytest.MonkeyPatch, by_model: None
) -> None:
    monkeypatch.setattr(topologies, "TOPOLOGIES", ("torus-4x4", "fat-tree-2x2", "hypercube-8"))
    rows = rows_of(topologies.topology_barriers)
    assert all(map(met, rows))
    assert {row.claim: f"{row.ours}, {row.paper}" for row in rows} == {
        "torus-4x4, 16 nodes (L 4, h 4)": "7 / 9 / 11, <= 13",
        "torus-4x4, 16 nodes, btm (L 4, h 3)": "10 / 15 / 17, <= 20",
        "torus-4x4, the others long before: greatest, bound if nothing waits": "11, = 11",
        "fat-tree-2x2, the others long before: greatest, bound if nothing waits": "5, = 5",
        "hypercube-8, the others long before: greatest, bound if nothing waits": "9, = 9",
        "torus-4x4, on wires, the others long before: greatest, bound": "10, = 10",
        "fat-tree-2x2, on wires, the others long before: greatest, bound": "5, = 5",
        "hypercube-8, on wires, the others long before: greatest, bound": "8, = 8",
        "fat-tree-2x2, 4 nodes (L 2, h 1)": "5 / 5 / 5, <= 9",
        "hypercube-8, 8 nodes (L 3, h 3)": "6 / 7.5 / 9, <= 11",
        "hypercube-8, 8 nodes, btm (L 3, h 3)": "9 / 13 / 15, <= 15",
    }


def test_groups_and_heights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topologies, "TOPOLOGIES", ("torus-4x4", "fat-tree-2x2"))
    monkeypatch.setattr(topologies, "GRIDS", ("mesh-4x4x4", "hypercube-16"))
    monkeypatch.setattr(topologies, "DRAWS", 2)
    assert [row.claim for row in rows_of(topologies.topology_groups)] == [
        "torus-4x4, 16 nodes",
        "fat-tree-2x2, 4 nodes",
    ]
    heights = {row.claim: row.ours for row in rows_of(topologies.btm_heights)}
    assert heights["hypercube-16, 16 nodes: log8 1.3 / 0.7 / 0.0"] == "4 / 1.5 / 0"
    assert heights["mesh-4x4x4, 64 nodes: log6 2.3 / 1.5 / 0.8"] == "5 / 3 / 1.5"
