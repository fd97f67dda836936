"""``syncfabric recover``, and ``plan --without``."""

import json

from tests.cli.conftest import Call


def test_a_plan_around_a_dead_router(call: Call) -> None:
    plan = json.loads(call("plan", "mesh-4x4", "--without", "1,1", "--json").stdout)
    assert plan["without"] == ["1,1"]
    assert plan["left_out"] == [{"group": 1, "members": [[1, 1]]}]
    assert [1, 1] not in plan["groups"][0]["members"]
    shown = call("plan", "mesh-4x4", "--without", "1,1").stdout
    assert "planned without 1,1" in shown
    assert "group 1: (1, 1) left out" in shown


def test_a_recovery_prints_what_it_took(call: Call) -> None:
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
