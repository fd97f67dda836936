"""``syncfabric load`` on a small network, end to end."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from syncfabric.models.networks.reader import LIBRARY
from tests.cli.conftest import Call
from tests.programs import run

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


def test_networks_and_seeds_side_by_side(call: Call, here: Path) -> None:
    """A line of JSON a network and seed; each is what that network and seed give alone."""
    text = (LIBRARY / "mesh-2x2.toml").read_text(encoding="utf-8")
    other = here / "other.toml"
    other.write_text(text.replace('name = "mesh-2x2"', 'name = "other"'), encoding="utf-8")
    words = ["--pattern", "transpose", "--rates", "0.1:0.1", "--points", "1"]
    several = call(
        "load", "mesh-2x2", "other.toml", *words, "--seeds", "2", "--json", "-o", "all.csv"
    )
    assert several.exit_code == 0, several.output
    found = [json.loads(line) for line in several.stdout.splitlines()]
    assert [(each["network"], each["seed"]) for each in found] == [
        ("mesh-2x2", 1),
        ("mesh-2x2", 2),
        ("other", 1),
        ("other", 2),
    ]
    assert found[0]["curves"] != found[1]["curves"]
    alone = call("load", "other.toml", *words, "--seed", "2", "--json", "-o", "one.csv")
    assert json.loads(alone.stdout) == found[3]
    rows = list(csv.reader((here / "all.csv").read_text().splitlines()))
    assert rows[0] == ["network", "seed", "pattern", *FIELDS]
    one = list(csv.reader((here / "one.csv").read_text().splitlines()))
    assert [row[2:] for row in rows if row[:2] == ["other", "2"]] == one[1:]
    shown = call("load", "mesh-2x2", *words, "--seeds", "2", "--draw", "load.svg")
    titles = [line for line in shown.stdout.splitlines() if "nodes send" in line]
    assert titles == [f"mesh-2x2: transpose, 2 nodes send, seed {seed}" for seed in (1, 2)]
    assert "transpose, seed 2" in (here / "load.svg").read_text()


@pytest.mark.nightly
def test_other_ranks_measure_and_the_first_one_prints() -> None:
    words = ["load", "mesh-2x2", "--rates", "0.1:0.1", "--points", "1", "--seed", "9", "--json"]
    done = run("-m", "syncfabric", *words, ranks=2)
    assert done.returncode == 0, done.stderr
    (line,) = done.stdout.splitlines()
    assert [point["offered"] for point in json.loads(line)["curves"][0]["points"]] == [0.01, 0.1]
