"""Barriers of all cores on every kind of network with sides, by the golden model."""

import pytest

from syncfabric.sim.figures import rings
from tests.sim.figures.conftest import Stands


def test_wires_and_messages_stand_beside_rings_and_trees(
    monkeypatch: pytest.MonkeyPatch, by_model: Stands
) -> None:
    by_model(rings)
    monkeypatch.setattr(rings, "SIDES", (4,))
    rows = {row.figure: row for row in rings.static_latency()}
    assert all(row.met for row in rows.values())
    together = [rows[f"4x4, {planner}, all together"] for planner in rings.PLANNERS]
    assert [row.measured for row in together] == ["37", "17", "11", "10"]
    again = [rows[f"4x4, {planner}, back to back"] for planner in rings.PLANNERS]
    assert [row.measured for row in again] == ["22", "14", "11", "10"]
    late = [rows[f"4x4, {planner}, one late by 1000, the worst"] for planner in rings.PLANNERS]
    assert [row.measured for row in late] == ["37", "17", "11", "10"]
