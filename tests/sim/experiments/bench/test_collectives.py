"""Barriers and collectives of static networks, by the golden model."""

import pytest

from syncfabric.sim.drive.static import software
from syncfabric.sim.experiments.bench import collectives
from tests.sim.experiments.bench.conftest import met, rows_of


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch, by_model: None) -> None:
    monkeypatch.setattr(collectives, "SQUARES", (2, 4))
    monkeypatch.setattr(collectives, "SIDES", (4,))


def test_every_row_is_its_formula() -> None:
    rows = rows_of(collectives.collectives)
    assert len(rows) == 3 * (4 + 2) + 2
    assert all(map(met, rows))
    assert (rows[0].claim, rows[0].ours, rows[0].paper) == (
        "4 / 16 cores, ring, broadcast of 1 flit, all together",
        "7 / 19",
        "formula 7 / 19",
    )
    assert "by wires" in rows[-1].claim
    assert (rows[-1].ours, rows[-1].paper) == ("6 / 10", "bound 6 / 10")


def test_another_time_is_a_miss(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collectives, "bound_of", lambda *_: 20)
    monkeypatch.setattr(collectives, "SQUARES", (2,))
    rows = [row for row in rows_of(collectives.collectives) if str(row.paper).startswith("formula")]
    assert not any(met(row) for row in rows if "together" in row.claim)


def test_what_goes_wrong_breaks_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collectives, "SQUARES", (2,))
    monkeypatch.setitem(software.COMBINE, "sum", lambda own, token: own & token)
    with pytest.raises(RuntimeError, match=r"flits sent|result"):
        rows_of(collectives.collectives)


def test_wires_and_messages_stand_beside_rings_and_trees() -> None:
    rows = {row.claim: row for row in rows_of(collectives.static_latency)}
    assert all(map(met, rows.values()))
    together = [rows[f"4x4, {planner}, all together"] for planner in collectives.PLANNERS]
    assert [row.ours for row in together] == ["37", "17", "11", "10"]
    again = [rows[f"4x4, {planner}, back to back"] for planner in collectives.PLANNERS]
    assert [row.ours for row in again] == ["22", "14", "11", "10"]
    late = [rows[f"4x4, {name}, one late by 1000, the worst"] for name in collectives.PLANNERS]
    assert [row.ours for row in late] == ["37", "17", "11", "10"]
