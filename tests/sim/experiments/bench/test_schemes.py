"""Barriers of irregular networks beside each other, by the golden model."""

import pytest

from syncfabric.sim.experiments.bench import latency
from tests.sim.experiments.bench.conftest import rows_of


@pytest.mark.usefixtures("by_model")
def test_wires_stand_beside_messages_and_software(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight members: a tree of wires of L = 3 takes 9 cycles, BTIN's of messages 13."""
    monkeypatch.setattr(latency, "SIZES", (8,))
    found = rows_of(latency.schemes)
    rows = {row.claim.partition(", buffer_flits ")[2]: str(row.ours) for row in found}
    assert rows["1, all together"] == "13 / 25 / 42 / 9; 1.9 / 3.2 / 0.7 times"
    assert rows["8, worst, one late"] == "9 / 18 / 9; 2.0 / 1.0 times"
    links = rows["1, links between switches"].partition(";")[0].split(" / ")
    beside = rows["1, links with nodes' own"].partition(";")[0].split(" / ")
    assert links[:3] == ["16", "26", "36"]
    assert [int(b) - int(a) for a, b in zip(links, beside, strict=True)][3] == 2 * 8
