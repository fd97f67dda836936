"""The table of broken wires."""

import pytest

from syncfabric.sim.figures import wire_faults


def test_rows_say_what_protects_from_what(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire_faults, "SOME", {(2, 2): [(0, 0), (1, 0)]})
    monkeypatch.setattr(wire_faults, "REGISTERS", (0,))
    monkeypatch.setattr(wire_faults, "SEEDS", (0,))
    monkeypatch.setattr(wire_faults, "LENGTHS", {"stuck": None})
    rows = list(wire_faults.wire_faults())
    told = {row.figure: row for row in rows}
    assert [row.met for row in rows[:6]] == [None, None, True, None, True, True]
    assert [row.met for row in rows[6:12]] == [True] * 6
    assert [row.met for row in rows[12:]] == [None, None]
    assert not told["neither: stuck at 0"].measured.startswith("0 early")
    assert told["check: stuck at 0"].measured.startswith("0 early, 0 wrong")
    for words in ("neither", "check"):
        parts = told[f"data wire, {words}: stuck at 1"].measured.split(", ")
        assert parts[::2] == ["0 early", "0 found", parts[4]]
        assert parts[1] != "0 wrong"
        assert parts[3] == "0 hang"
    sealed = told["data wire, check and parity: stuck at 1"]
    assert sealed.measured.startswith("0 early, 0 wrong")
    assert not sealed.measured.startswith("0 early, 0 wrong, 0 found")
    group = told["2x2, group of 4: early with neither / check / check and parity"]
    early, of = group.measured.split(" of ")
    neither, check, parity = map(int, early.split(" / "))
    assert neither > check > parity == 0
    assert int(of) > neither
