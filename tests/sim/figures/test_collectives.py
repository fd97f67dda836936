"""The bench of collectives: rows beside their formulas, here with the golden model alone."""

import pytest

from syncfabric.sim.drive import tiles as measured
from syncfabric.sim.drive.static.collectives import programs
from syncfabric.sim.figures import collectives
from tests.sim.figures.conftest import Stands


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch, by_model: Stands) -> None:
    monkeypatch.setattr(collectives, "SIDES", (2, 4))
    by_model(collectives, measured)


def test_every_row_is_its_formula() -> None:
    rows = list(collectives.collectives())
    assert len(rows) == 3 * (4 + 2) + 2
    assert all(row.met for row in rows)
    assert (rows[0].figure, rows[0].measured, rows[0].target) == (
        "4 / 16 cores, ring, broadcast of 1 flit, all together",
        "7 / 19",
        "formula 7 / 19",
    )
    assert "by wires" in rows[-1].figure
    assert (rows[-1].measured, rows[-1].target) == ("6 / 10", "bound 6 / 10")


def test_another_time_is_a_miss(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collectives, "bound_of", lambda *_: 20)
    rows = [row for row in collectives.collectives() if row.target.startswith("formula")]
    assert not any(row.met for row in rows if "together" in row.figure)


def test_what_goes_wrong_breaks_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "_sum", lambda bits: lambda own, flit: own & flit)
    with pytest.raises(RuntimeError, match=r"word sent on|result"):
        list(collectives.collectives())
