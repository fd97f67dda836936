"""Planning on large networks, measured on small ones; groups that fit, where that is known."""

import random
from collections import Counter

import pytest

from syncfabric.models.networks.irregular import MOST_SWITCHES
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.sim.experiments.bench import planning
from tests.sim.experiments.bench.conftest import met, rows_of

MESH = MeshSpec(kind="mesh", transport="link", width=4, height=4).topology.graph


def test_everybody_takes_an_entry_of_every_router() -> None:
    assert planning.groups_that_fit(MESH, lambda rng: range(16), 1) == 16


def test_pairs_of_neighbours_fit_until_one_comes_too_often() -> None:
    def pair(rng: random.Random) -> list[int]:
        node = 2 * rng.randrange(8)
        return [node, node + 1]

    rng, drawn = random.Random(1), Counter[int]()
    while max(drawn.values(), default=0) <= planning.ENTRIES:
        drawn[pair(rng)[0]] += 1
    fit = drawn.total() - 1
    assert fit - fit // 32 <= planning.groups_that_fit(MESH, pair, 1) <= fit


def test_groups_are_what_the_rows_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "_graphs", lambda: [("4x4", MESH)])
    monkeypatch.setattr(planning, "DRAWS", 2)
    rows = rows_of(planning.capacity)
    assert [row.claim for row in rows] == [
        "4x4, random, 2 to 8 members",
        "4x4, random, 8 to 64 members",
        "4x4, compact, 2 to 8 members",
    ]
    assert str(rows[1].ours).endswith(", of 2 draws)")
    for seed in range(20):
        nodes = planning._compact(MESH)(random.Random(seed))
        assert 2 <= len(set(nodes)) == len(nodes) <= 8
        joined = {nodes[0]}
        for node in nodes[1:]:
            assert any(other in MESH.near[node] for other in joined)
            joined.add(node)


def test_every_planner_has_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    assert max(planning.SIZES) <= MOST_SWITCHES
    monkeypatch.setattr(planning, "SIZES", (50, 100))
    rows = rows_of(planning.irregular_planning)
    for planner in ("btin", "updown"):
        for group in ("64 members", "all members"):
            assert sum(f"{group}, {planner}" in row.claim for row in rows) == 3
    assert all(met(row) is not False for row in rows)


def test_groups_and_heights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "TOPOLOGIES", ("torus-4x4", "fat-tree-2x2"))
    monkeypatch.setattr(planning, "GRIDS", ("mesh-4x4x4", "hypercube-16"))
    monkeypatch.setattr(planning, "DRAWS", 2)
    assert [row.claim for row in rows_of(planning.topology_groups)] == [
        "torus-4x4, 16 nodes",
        "fat-tree-2x2, 4 nodes",
    ]
    heights = {row.claim: row.ours for row in rows_of(planning.btm_heights)}
    assert heights["hypercube-16, 16 nodes: log8 1.3 / 0.7 / 0.0"] == "4 / 1.5 / 0"
    assert heights["mesh-4x4x4, 64 nodes: log6 2.3 / 1.5 / 0.8"] == "5 / 3 / 1.5"
