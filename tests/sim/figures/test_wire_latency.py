"""The tables of barrier wires, by the golden model."""

from dataclasses import replace
from functools import partial

import pytest

from syncfabric.sim.drive.run import run
from syncfabric.sim.figures import latency, wire_latency
from tests.sim.figures.conftest import Stands


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch, by_model: Stands) -> None:
    by_model(wire_latency)
    monkeypatch.setattr(latency, "run", partial(run, sim="model"))
    monkeypatch.setattr(wire_latency, "SIDES", (2, 4))
    monkeypatch.setattr(wire_latency, "RANDOM", {4: 5})
    monkeypatch.setattr(wire_latency, "CLUSTERS", ("cluster-fig1",))
    monkeypatch.setattr(wire_latency, "REGISTERS", (0, 2))
    monkeypatch.setattr(wire_latency, "OPTIONS", ({"wires": 1, "channels": 0},))
    monkeypatch.setattr(wire_latency, "CROWDED", (("4x4", 3), ("cluster-fig1", 2)))
    monkeypatch.setattr(wire_latency, "FEWEST", 3)
    monkeypatch.setattr(wire_latency, "MOST", 9)
    monkeypatch.setattr(wire_latency, "EPISODES", 30)


def test_alone_the_greatest_is_the_bound() -> None:
    rows = list(wire_latency.wire_latency())
    assert all(row.met for row in rows)
    told = {row.figure.partition(" (")[0]: (row.measured, row.target) for row in rows}
    assert told["2x2, all members, link_registers 0"][1] == "= 6"
    assert told["4x4, all members, link_registers 2"][1] == "= 26"
    assert told["8x8, all members, wires = 1, channels = 0"] == ("10 / 14 / 18", "= 18")
    cluster = told["cluster-fig1, 14 members, link_registers 2"]
    assert cluster[0].endswith("/ " + cluster[1].removeprefix("= "))
    assert any("5 random members" in figure for figure in told)


def test_less_than_the_bound_is_a_miss() -> None:
    network = wire_latency._mesh(2, {"wires": 1})
    result = replace(latency.measure(network, latency.everybody(network)), bound=7)
    row = latency.latency_row("2x2", result)
    assert result.latency is not None
    assert (result.latency.max, row.target, row.met) == (6, "= 7", False)


def test_others_add_nothing() -> None:
    rows = list(wire_latency.wires_beside())
    assert [row.met for row in rows] == [True, True, None, None] * 2
    assert [row.measured for row in rows if row.met] == ["90 of 90"] * 2 + ["60 of 60"] * 2
    over = [row.measured for row in rows if row.met is None]
    assert not all(words.startswith("0 of") for words in over)


def test_an_episode_that_is_longer_is_a_miss(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [[[6, 4]], [[6]], [[6, 4], [7]], [[6, 4], [6]], [[6, 4], [6]], [[6, 4], [6]]]
    monkeypatch.setattr(wire_latency, "CROWDED", (("2x2", 2),))
    monkeypatch.setattr(wire_latency, "FEWEST", 2)
    monkeypatch.setattr(wire_latency, "MOST", 3)
    monkeypatch.setattr(wire_latency, "_latencies", lambda plan, rate: found.pop(0))
    first, second, *_ = wire_latency.wires_beside()
    assert (first.measured, first.met) == ("2 of 3", False)
    assert (second.measured, second.met) == ("3 of 3", True)
