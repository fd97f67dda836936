"""``syncfabric recover``, and ``plan --without``."""

import json
from collections.abc import Callable
from typing import Any

import pytest

Call = Callable[..., Any]


def test_a_plan_around_a_dead_router(call: Call) -> None:
    plan = json.loads(call("plan", "mesh-4x4", "--without", "1,1", "--json").stdout)
    assert plan["without"] == ["1,1"]
    assert plan["left_out"] == [{"group": 1, "members": [[1, 1]]}]
    assert [1, 1] not in plan["groups"][0]["members"]
    shown = call("plan", "mesh-4x4", "--without", "1,1").stdout
    assert "planned without 1,1" in shown
    assert "group 1: (1, 1) left out" in shown


def test_a_recovery_tells_what_it_took(call: Call) -> None:
    words = ("recover", "campaign-mesh", "--without", "2,2-3,2", "--sim", "model", "--at", "50")
    result = json.loads(call(*words, "--timeout", "100", "--episodes", "2", "--json").stdout)
    assert result["verdict"] == "checked"
    assert result["false_releases"] == 0
    for group in result["groups"]:
        parts = ("detect", "wait", "end", "set_up", "go", "first")
        assert group["total"] == sum(group[part] for part in parts)
        assert group["writes"] > 0


def test_a_table_of_a_move(call: Call) -> None:
    words = ("recover", "churn-cluster", "--move", "2:4,3-6,1", "--sim", "model")
    shown = call(*words, "--episodes", "2").stdout
    assert "cycles until a group is back" in shown
    assert "0 false" in shown


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["churn-mesh"], "give either --without"),
        (["churn-mesh", "--without", "1,1", "--move", "1:0,0-1,1"], "give either --without"),
        (["churn-mesh", "--without", "9,9"], "outside the 4x4 mesh"),
        (["churn-mesh", "--without", "1,1-3,3"], "no neighbours"),
        (["churn-mesh", "--move", "x"], "is no move"),
        (["churn-mesh", "--move", "9:0,0-1,1"], "there is no group 9"),
        (["churn-mesh", "--move", "2:0,0-0,1"], "is no member of group 2"),
        (["churn-mesh", "--move", "2:1,0-9,9"], "there is no node (9, 9)"),
        (["churn-mesh", "--move", "2:1,0-1,1"], "is a member already"),
        (["churn-mesh", "--without", "1,1", "--at", "0"], "--at must be 1 to"),
        (["churn-mesh", "--without", "1,1", "--timeout", "-1"], "--timeout must be 1 to"),
        (["churn-mesh", "--without", "1,1", "--sim", "icarus"], "under verilator or model"),
        (["wires-both", "--without", "1,1"], "a recovery"),
        (["churn-mesh", "--without", "1,1"], "set check_bits = 8 in [network]"),
        (
            ["campaign-mesh", "--without", "0,0-1,0", "--without", "0,0-0,1"],
            "cannot be reached from",
        ),
    ],
)
def test_what_cannot_be_is_told_in_a_line(call: Call, words: list[str], error: str) -> None:
    result = call("recover", *words)
    assert result.exit_code == 2
    assert error in result.stderr
    lines = [line for line in result.stderr.splitlines() if not line.startswith("plan the trees")]
    assert len(lines) == 1
