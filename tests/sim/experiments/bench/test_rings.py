"""Barriers of all cores on every kind of network with sides, by the golden model."""

import pytest

from syncfabric.sim.experiments.bench import static
from tests.sim.experiments.bench.conftest import met, rows_of


@pytest.mark.usefixtures("by_model")
def test_wires_and_messages_stand_beside_rings_and_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(static, "SIDES", (4,))
    rows = {row.claim: row for row in rows_of(static.static_latency)}
    assert all(map(met, rows.values()))
    together = [rows[f"4x4, {planner}, all together"] for planner in static.PLANNERS]
    assert [row.ours for row in together] == ["37", "17", "11", "10"]
    again = [rows[f"4x4, {planner}, back to back"] for planner in static.PLANNERS]
    assert [row.ours for row in again] == ["22", "14", "11", "10"]
    late = [rows[f"4x4, {planner}, one late by 1000, the worst"] for planner in static.PLANNERS]
    assert [row.ours for row in late] == ["37", "17", "11", "10"]
