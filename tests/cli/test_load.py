"""``syncfabric load`` on a small network, end to end."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Call

FIELDS = ["offered", "accepted", "packets", "latency", "latency_99", "latency_max"]


@pytest.fixture
def measured(call: Call, here: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Two patterns on 2x2, their points kept nowhere."""
    monkeypatch.setattr("syncfabric.sim.experiments.jobs.Kept._read", lambda _: ())
    words = "--pattern bit-complement --pattern transpose --rates 0.1:0.2 --points 2 --json"
    result = call("load", "mesh-2x2", *words.split(), "--draw", "load.svg", "-o", "load.csv")
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_a_curve_from_the_command_line(measured: dict[str, Any], here: Path) -> None:
    """All go by two links on routes of their own: 2 + 5 + 1 cycles, and no saturation."""
    assert measured["network"] == "mesh-2x2"
    assert (measured["warm_up"], measured["measured"], measured["drain"]) == (3000, 10000, 10000)
    complement, transpose = measured["curves"]
    assert (complement["pattern"], complement["senders"]) == ("bit-complement", 4)
    assert (transpose["pattern"], transpose["senders"]) == ("transpose", 2)
    for curve in measured["curves"]:
        assert [point["offered"] for point in curve["points"]] == [0.01, 0.1, 0.2]
        assert curve["zero_load"] == pytest.approx(8, abs=0.15)
        assert curve["saturation"] is None
        for point in curve["points"]:
            assert list(point) == FIELDS
            assert point["accepted"] == pytest.approx(point["offered"], rel=0.2)
            assert 8 <= point["latency"] <= point["latency_99"] <= point["latency_max"]
    rows = list(csv.reader((here / "load.csv").read_text().splitlines()))
    assert rows[0] == ["pattern", *FIELDS]
    points = [(c["pattern"], p) for c in measured["curves"] for p in c["points"]]
    assert rows[1:] == [[name, *map(str, point.values())] for name, point in points]
    assert (here / "load.svg").read_text().startswith("<?xml")


def test_saturation_at_a_hot_node(call: Call, here: Path) -> None:
    """The table says it; the same command again measures nothing."""
    words = ("load", "mesh-2x2", "--pattern", "hotspot:1:0,0", "--points", "2")
    first, again = call(*words), call(*words)
    assert first.stdout == again.stdout
    assert first.exit_code == 0
    title, *_, below = first.stdout.strip().splitlines()
    assert title == "mesh-2x2: hotspot:1:0,0, 4 nodes send"
    assert below.startswith("zero-load latency ")
    saturation = float(below.partition("saturation at ")[2].partition(",")[0])
    # Three of four send what the hot node takes; the hot node itself sends to all.
    assert 0.25 < saturation < 1 / 3
