"""Planning on large networks, measured on small ones."""

import pytest

from syncfabric.models.networks.irregular import MOST_SWITCHES
from syncfabric.sim.experiments.bench import planning
from tests.sim.experiments.bench.conftest import met, rows_of


def test_every_planner_has_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    assert max(planning.SIZES) <= MOST_SWITCHES
    monkeypatch.setattr(planning, "SIZES", (50, 100))
    rows = rows_of(planning.irregular_planning)
    for planner in ("btin", "updown"):
        for who in ("64 members", "all members"):
            assert sum(f"{who}, {planner}" in row.claim for row in rows) == 3
    assert all(met(row) is not False for row in rows)
