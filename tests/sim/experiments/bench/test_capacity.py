"""Groups that fit in the entries of routers, where that is known."""

import random
from collections import Counter

import pytest

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.planning.graph import LinkGraph
from syncfabric.sim.experiments.bench import planning as capacity
from tests.sim.experiments.bench.conftest import rows_of

MESH = LinkGraph.of(MeshSpec(kind="mesh", transport="link", width=4, height=4))


def test_everybody_takes_an_entry_of_every_router() -> None:
    assert capacity.groups_that_fit(MESH, lambda rng: range(16), 1) == 16


def test_pairs_of_neighbours_fit_until_one_comes_too_often() -> None:
    def pair(rng: random.Random) -> list[int]:
        node = 2 * rng.randrange(8)
        return [node, node + 1]

    rng, drawn = random.Random(1), Counter[int]()
    while max(drawn.values(), default=0) <= capacity.ENTRIES:
        drawn[pair(rng)[0]] += 1
    fit = drawn.total() - 1
    assert fit - fit // 32 <= capacity.groups_that_fit(MESH, pair, 1) <= fit


def test_groups_are_what_the_rows_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capacity, "_graphs", lambda: [("4x4", MESH)])
    monkeypatch.setattr(capacity, "DRAWS", 2)
    rows = rows_of(capacity.capacity)
    assert [row.claim for row in rows] == [
        "4x4, random, 2 to 8 members",
        "4x4, random, 8 to 64 members",
        "4x4, compact, 2 to 8 members",
    ]
    assert str(rows[1].ours).endswith(", of 2 draws)")
    for seed in range(20):
        nodes = capacity._compact(MESH)(random.Random(seed))
        assert 2 <= len(set(nodes)) == len(nodes) <= 8
        joined = {nodes[0]}
        for node in nodes[1:]:
            assert any(other in MESH.near[node] for other in joined)
            joined.add(node)
