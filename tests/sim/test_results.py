"""Results go to JSON and back, have one shape, and keep to their schema."""

import json
from dataclasses import replace

import pytest
from jsonschema import Draft202012Validator

from syncfabric.sim.results import (
    ChannelLoad,
    ChurnCost,
    ChurnResult,
    Counters,
    Events,
    GroupResult,
    Mismatch,
    RunResult,
    Seconds,
    TrafficResult,
    describe,
    result_rows,
    results_schema,
    summary,
)
from syncfabric.sim.spread import Spread

GROUP = GroupResult(
    id=1,
    members=14,
    height=2,
    longest_path=9,
    episodes=100,
    latency=Spread(19, 20.5, 24),
    model_latency=Spread(19, 20.5, 24),
    bound=24,
    bound_btm=24,
    bound_links=9,
    root=(4, 4),
    planner="btm",
)
RESULT = RunResult(
    network="fig1",
    simulator="verilator",
    cycles=4000,
    seconds=Seconds(30.0, 1.5),
    verdict="match",
    mismatches=(),
    groups=(GROUP,),
    traffic=TrafficResult(0.1, 0.0999, Spread(8, 12.0, 40), Spread(6, 9.0, 31), packets=512),
    seed=7,
    episodes=100,
    repeat="syncfabric run fig1",
    events=Events(512, 2600, 1400),
    counters=Counters(),
    files=("fig1.v",),
)
CHURN = ChurnResult(
    instances=9,
    killed=2,
    given_up=1,
    refused=12,
    set_up_cycles=Spread(50, 61.5, 90),
    set_up_packets=Spread(4, 6.0, 8),
    tear_down_cycles=Spread(24, 30.0, 44),
    tear_down_packets=Spread(5, 7.0, 9),
    costs=(
        ChurnCost(id=1, quiet=Spread(19, 20.0, 21), churning=Spread(19, 21.0, 29), bound=24),
        ChurnCost(id=2, quiet=None, churning=None, bound=None),
    ),
)
CHURNED = replace(RESULT, churn=CHURN)
WRONG = replace(
    RESULT,
    verdict="mismatch",
    mismatches=(
        Mismatch(812, (3, 4), "release[1]", 1, 0),
        Mismatch(813, None, "config_rdata", 48, 16),
        Mismatch(814, 12, "packet", "lost", None),
    ),
    groups=(replace(GROUP, latency=None, model_latency=None, bound=None),),
    traffic=TrafficResult(
        1.0, 0.31, None, saturated=True, full_channels=(ChannelLoad((3, 3), "east", 0.99),)
    ),
    loads=(ChannelLoad((0, 0), "inject", 0.1),),
)


@pytest.mark.parametrize("result", [RESULT, WRONG, CHURNED])
def test_a_result_comes_back_from_json_as_it_was(result: RunResult) -> None:
    text = json.dumps(result.to_json())
    assert RunResult.from_json(json.loads(text)) == result


@pytest.mark.parametrize("result", [RESULT, WRONG, CHURNED])
def test_json_keeps_to_its_schema(result: RunResult) -> None:
    schema = results_schema()
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(result.to_json())


def test_the_shape_begins_with_what_was_promised() -> None:
    shown = RESULT.to_json()
    assert list(shown)[:8] == [
        "network",
        "simulator",
        "cycles",
        "seconds",
        "verdict",
        "mismatches",
        "groups",
        "traffic",
    ]
    assert list(shown["seconds"]) == ["build", "run"]
    assert list(shown["groups"][0])[:8] == [
        "id",
        "members",
        "height",
        "longest_path",
        "episodes",
        "latency",
        "model_latency",
        "bound",
    ]
    assert shown["groups"][0]["latency"] == {"min": 19, "median": 20.5, "max": 24}
    assert list(shown["traffic"])[:3] == ["offered", "accepted", "latency"]


def test_every_field_is_described() -> None:
    definitions = [results_schema(), *results_schema()["$defs"].values()]
    for definition in definitions:
        for name, field in definition["properties"].items():
            assert "description" in field, name
        assert set(definition["required"]) == set(definition["properties"])


def test_only_a_match_is_ok_where_all_is_compared() -> None:
    assert RESULT.ok
    assert not WRONG.ok
    assert not replace(RESULT, verdict="hang").ok


def test_a_row_a_group() -> None:
    heads, rows = result_rows(RESULT)
    assert rows == [["1", "14", "2", "9", "19 / 20.5 / 24", "19 / 20.5 / 24", "24"]]
    assert len(heads) == len(rows[0])
    assert result_rows(WRONG)[1] == [["1", "14", "2", "9", "–", "–", "–"]]


def test_rows_of_groups_on_wires() -> None:
    wires = replace(GROUP, id=2, planner="wires", bound_btm=None)
    both = replace(RESULT, groups=(replace(GROUP, planner="btm"), wires))
    heads, rows = result_rows(both)
    assert heads[2] == "planner"
    assert [row[2] for row in rows] == ["btm", "wires"]
    heads, rows = result_rows(replace(RESULT, groups=(wires,)))
    assert "planner" not in heads
    assert rows == [["2", "14", "2", "9", "19 / 20.5 / 24", "19 / 20.5 / 24", "24"]]


def test_what_shortest_wins_stands_beside_its_bound() -> None:
    faster = replace(RESULT, groups=(replace(GROUP, bound=20),))
    assert result_rows(faster)[1][0][6] == "20 (btm 24)"


def test_mismatches_in_words() -> None:
    assert [describe(mismatch) for mismatch in WRONG.mismatches] == [
        "cycle 812, node (3, 4), release[1]: hardware 1, model 0",
        "cycle 813, config_rdata: hardware 48 (0x30), model 16 (0x10)",
        "cycle 814, switch 12, packet: hardware lost, model –",
    ]


def test_saturation_names_the_full_channels() -> None:
    lines = list(summary(WRONG))
    assert "full channels (flits a cycle): (3, 3) east 0.99" in lines
    assert any(line.startswith("saturated: ") for line in lines)
    assert not any("saturated" in line for line in summary(RESULT))


@pytest.mark.parametrize(
    ("sim", "compared"), [("model", "nothing"), ("verilator", "nothing but the set-up")]
)
def test_a_summary_reports_how_little_was_compared(sim: str, compared: str) -> None:
    result = replace(RESULT, verdict="match", compared=False, simulator=sim)
    assert (result.verdict, result.ok) == ("checked", True)
    line = next(summary(result))
    assert line.startswith(f"checked: all rules hold; {compared} was compared with the golden ")
    assert "match" not in line
    assert RunResult.from_json(result.to_json()) == result


def test_what_is_wrong_is_so_without_comparison() -> None:
    for verdict in ("mismatch", "hang"):
        result = replace(RESULT, verdict=verdict, compared=False)
        assert (result.verdict, result.ok) == (verdict, False)


def test_a_notebook_shows_the_table() -> None:
    page = WRONG._repr_html_()
    assert page.startswith("<table>")
    assert "<td>14</td>" in page
    assert "cycle 812, node (3, 4), release[1]: hardware 1, model 0" in page


def test_churn_is_reported_in_lines_of_its_own() -> None:
    lines = list(summary(CHURNED))
    first = lines.index("churn: 9 instances, 2 killed, 1 given up; 12 set-ups refused")
    assert lines[first + 1 : first + 5] == [
        "set-up: 50 / 61.5 / 90 cycles, 4 / 6 / 8 packets (min / median / max)",
        "tear-down: 24 / 30 / 44 cycles, 5 / 7 / 9 packets (min / median / max)",
        "group 1: 19 / 21 / 29 cycles with churn, 19 / 20 / 21 before; bound 24",
        "group 2: – cycles with churn, – before; bound –",
    ]
    assert not any("churn" in line for line in summary(RESULT))
    one = replace(CHURNED, churn=replace(CHURN, instances=1, refused=1))
    assert "churn: 1 instance, 2 killed, 1 given up; 1 set-up refused" in list(summary(one))
