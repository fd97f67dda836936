"""``syncfabric schemes``."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

from syncfabric.models.networks import reader
from syncfabric.models.schemes.comparison import SCHEMES, names_of
from tests.cli.conftest import Call

ROW = """
name = "row"
[network]
kind = "static"
width = 6
height = 1
"""


def found(call: Call, *words: object) -> list[dict[str, Any]]:
    result = call("schemes", *words, "--json")
    assert result.exit_code == 0
    groups: list[dict[str, Any]] = json.loads(result.stdout)["groups"]
    return groups


def of(group: dict[str, Any], name: str) -> dict[str, Any]:
    (scheme,) = (scheme for scheme in group["schemes"] if scheme["name"] == name)
    return dict(scheme)


@pytest.mark.parametrize("net", ["fig1", "cluster-fig1", "reflex-4x4"])
def test_every_scheme_that_fits_is_asked(call: Call, net: str) -> None:
    (group,) = found(call, net)
    kind = reader.load(net).network.kind
    names = [scheme.name for scheme in SCHEMES if kind in scheme.kinds]
    assert [scheme["name"] for scheme in group["schemes"]] == names
    assert len(set(names)) == len(names) >= 4
    for scheme in group["schemes"]:
        assert scheme["latency_ns"] > 0
        assert scheme["traversals"] > 0
        assert scheme["times_ns"]


def test_figures_are_those_of_the_plan(call: Call) -> None:
    """As ``plan`` has them for fig1: height 2, the paper's formula 2,340 ns."""
    result = call("schemes", "fig1", "--scheme", "btm", "--scheme", "cs")
    title, *_, first, second, note, _ = result.stdout.splitlines()
    assert title == "fig1: 8x8 mesh; group 1, 14 members"
    costs = ["0", "14", "2", "2,340", "2,000", "74", "paper BTM's formula"]
    assert re.split(" {2,}", first)[2:] == costs
    assert second.startswith("cs ")
    assert note == "btm, cs: t_s 1,000, t_p 5, t_rn 5, t_rm 30 (ns)"


@pytest.mark.parametrize("net", ["fig1", "cluster-fig1", "reflex-4x4"])
def test_every_row_says_where_its_time_comes_from(call: Call, net: str, here: Path) -> None:
    """What of it is start-up is what it loses without: 2 t_s in turn, n of them by unicast."""
    (group,) = found(call, net, "-o", "out.csv")
    (without,) = found(call, net, *(() if net == "reflex-4x4" else ("--set", "t_s=0")))
    for scheme, rest in zip(group["schemes"], without["schemes"], strict=True):
        software = "t_s" in scheme["times_ns"]
        assert scheme["times_from"].startswith("paper BT" if software else "LogGP")
        assert scheme["start_up_ns"] == scheme["latency_ns"] - rest["latency_ns"]
        assert (scheme["start_up_ns"] > 0) == software
    rows = list(csv.DictReader((here / "out.csv").read_text().splitlines()))
    assert [row["times_from"] for row in rows] == [s["times_from"] for s in group["schemes"]]
    said = "Compare latencies of one kind only." in call("schemes", net).stdout
    assert said == (net != "reflex-4x4")


def test_times_are_set_where_a_scheme_has_them(call: Call) -> None:
    (before,) = found(call, "fig1")
    (after,) = found(call, "fig1", "--set", "t_s=3000", "--set", "h=0")
    assert of(after, "btm")["latency_ns"] - of(before, "btm")["latency_ns"] == 4000
    assert of(after, "btm")["times_ns"]["t_s"] == 3000
    assert of(after, "dissemination")["times_ns"]["h"] == 0
    assert of(after, "dissemination")["latency_ns"] < of(before, "dissemination")["latency_ns"]


def test_a_machine_is_that_of_loggp_alone(call: Call) -> None:
    (group,) = found(call, "fig1", "--preset", "infiniband", "--set", "g=900")
    times = {"L": 3550, "o": 1070, "g": 900, "G": 0.5, "h": 100}
    assert of(group, "dissemination")["times_ns"] == times
    assert of(group, "centralized")["times_ns"] == times
    assert of(group, "btm")["times_ns"]["t_s"] == 1000


def test_groups_and_members_are_chosen(call: Call) -> None:
    assert [group["id"] for group in found(call, "demo")] == [1, 2, 3]
    assert [group["id"] for group in found(call, "demo", "--group", 3, "--group", 1)] == [3, 1]
    for words, members in (
        ("all", 64),
        ("[[0, 0], [3, 2], [5, 5]]", 3),
        ("{ random = 9, seed = 1 }", 9),
    ):
        (group,) = found(call, "demo", "--members", words)
        assert (group["id"], group["members"]) == (0, members)


def test_a_sweep_has_the_latency_at_every_value(call: Call, here: Path) -> None:
    words = ("--scheme", "btm", "--scheme", "wires", "--sweep", "t_rm=20:60:10")
    (group,) = found(call, "fig1", *words, "-o", "out.csv")
    swept = group["sweep"]
    assert (swept["time"], swept["values"]) == ("t_rm", [20, 30, 40, 50, 60])
    for value, latency in zip(swept["values"], swept["latency_ns"]["btm"], strict=True):
        (alone,) = found(call, "fig1", "--scheme", "btm", "--set", f"t_rm={value}")
        assert of(alone, "btm")["latency_ns"] == latency
    assert len(set(swept["latency_ns"]["wires"])) == 1
    rows = list(csv.reader((here / "out.csv").read_text().splitlines()))
    assert rows[0] == ["group", "scheme", "t_rm", "latency_ns"]
    assert [row[:3] for row in rows[1:]] == [
        ["1", name, f"{value}.0"] for name in ("btm", "wires") for value in (20, 30, 40, 50, 60)
    ]
    table = call("schemes", "fig1", *words).stdout.split("latency in ns over t_rm\n")[1]
    assert table.split()[:3] == ["t_rm", "btm", "wires"]
    assert "60  2,520" in table


@pytest.mark.parametrize(
    ("text", "values"),
    [("h=0:1:0.1", 11), ("h=1:1:5", 1), ("h=1:10:4", 3), ("h=0:0.3:0.1", 4)],
)
def test_both_ends_of_a_range_are_taken(call: Call, text: str, values: int) -> None:
    (group,) = found(call, "fig1", "--scheme", "wires", "--sweep", text)
    assert len(group["sweep"]["values"]) == len(group["sweep"]["latency_ns"]["wires"]) == values


def test_a_scheme_that_cannot_serve_says_why(call: Call, here: Path) -> None:
    (here / "row.toml").write_text(ROW)
    words = ("row.toml", "--members", "all")
    (group,) = found(call, *words, "-o", "out.csv")
    assert of(group, "reflex")["reason"].startswith('planner = "ring" has no ring on a 6x1 mesh')
    assert "latency_ns" not in of(group, "reflex")
    assert "reflex cannot serve it: planner = " in call("schemes", *words).stdout
    rows = list(csv.DictReader((here / "out.csv").read_text().splitlines()))
    assert [row["name"] for row in rows if row["reason"]] == ["reflex"]
    assert float(rows[1]["latency_ns"]) == of(group, "reflex-tree")["latency_ns"]
    (group,) = found(call, *words, "--sweep", "h=1:2:1")
    assert "reflex" not in group["sweep"]["latency_ns"]


def test_a_picture_is_written(call: Call, here: Path) -> None:
    result = call("schemes", "fig1", "--scheme", "btm", "--draw", "out.svg")
    assert (result.exit_code, result.stderr) == (0, "wrote out.svg\n")
    assert (here / "out.svg").read_text().startswith("<?xml")


def test_the_page_has_every_scheme_and_option(call: Call) -> None:
    text = (Path(__file__).parents[2] / "docs" / "choosing.md").read_text()
    page = text.split("\n## Schemes\n")[1]
    rows = [
        f"| `{scheme.name}` | {', '.join(scheme.kinds) if len(scheme.kinds) < 3 else 'all'} | "
        f"{scheme.title} | {scheme.place.removeprefix('paper ').replace('section', '§')} |\n"
        for scheme in SCHEMES
    ]
    assert [row for row in rows if row not in page] == []
    by_times: dict[str, list[str]] = {}
    for scheme in SCHEMES:
        times = ", ".join(f"`{name}`" for name in names_of(scheme))
        by_times.setdefault(times, []).append(scheme.name)
    lines = {f"- {times}: {', '.join(names)}" for times, names in by_times.items()}
    assert set(re.findall(r"^- `.*: .*$", page, re.M)) == lines
    assert page.count("\n| `") - page.count("\n| `-") == len(rows)
    offered = set(re.findall(r"--[a-z]+", call("schemes", "--help").stdout)) - {"--help"}
    assert set(re.findall(r"--[a-z]+", page)) == offered
