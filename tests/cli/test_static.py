"""Static networks on the command line: tables, pictures, files."""

import json
import re
from pathlib import Path

from tests.cli.conftest import Call

FILE = """
name = "mine"
[network]
kind = "static"
width = 5
height = 5
[[group]]
id = 1
members = [[0, 0], [4, 0], [4, 4], [0, 4]]
[[group]]
id = 2
members = [[2, 2], [2, 0], [1, 3]]
planner = "tree"
"""

TIGHT = """
name = "tight"
[network]
kind = "static"
width = 4
height = 4
[[group]]
id = 1
members = [[0, 0], [3, 0], [1, 1]]
[[group]]
id = 2
members = [[1, 0], [2, 0], [2, 2]]
[[group]]
id = 3
members = [[0, 1], [2, 1], [3, 3]]
[[group]]
id = 4
members = [[0, 2], [3, 1], [3, 2]]
"""
"""So many rings that not each can be as short as alone."""


def cells(line: str) -> list[str]:
    return re.split(r"\s{2,}", line.strip())


def test_a_table_of_rings_and_trees(call: Call, here: Path) -> None:
    (here / "mine.toml").write_text(FILE)
    shown = call("plan", "mine.toml").stdout
    assert shown.startswith("mine: 5x5 static network\n")
    assert "None" not in shown
    (ring,) = [line for line in shown.splitlines() if line.split()[:3] == ["1", "4", "ring"]]
    (tree,) = [line for line in shown.splitlines() if line.split()[:3] == ["2", "3", "tree"]]
    assert cells(ring) == ["1", "4", "ring", "16", "16", "(0, 0)", "38"]
    assert cells(tree) == ["2", "3", "tree", "2", "4", "(2, 2)", "11"]


def test_a_least_bound_where_a_way_is_longer(call: Call, here: Path) -> None:
    assert "least" not in call("plan", "reflex-4x4").stdout
    (here / "tight.toml").write_text(TIGHT)
    shown = call("plan", "tight.toml").stdout
    assert "least" in shown
    rows = [cells(line) for line in shown.splitlines() if line.split()[1:3] == ["3", "ring"]]
    assert all(int(row[7]) <= int(row[6]) for row in rows)
    assert any(int(row[7]) < int(row[6]) for row in rows)


def test_routes_say_who_listens_to_whom(call: Call) -> None:
    lines = call("plan", "reflex-4x4").stdout.splitlines()
    assert "routes of group 1 (ring)" in lines
    rows = lines[lines.index("routes of group 1 (ring)") :]
    (root,) = [line for line in rows if line.startswith("(0, 0)")]
    assert cells(root) == ["(0, 0)", "ring root", "core", "north"]
    (corner,) = [line for line in rows if line.startswith("(3, 0)")]
    assert cells(corner) == ["(3, 0)", "ring", "west", "west"]


def test_a_tree_says_its_flits_and_a_lone_member_its_role(call: Call, here: Path) -> None:
    (here / "mine.toml").write_text(FILE + "[[group]]\nid = 3\nmembers = [[3, 3]]\n")
    shown = call("plan", "mine.toml").stdout
    # Two places in each of two switches, two at either end, and one more.
    assert "routes of group 2 (tree): 9 flits an episode" in shown
    assert any(cells(line) == ["(3, 3)", "alone"] for line in shown.splitlines())


def test_a_run_shows_ways_in_place_of_heights(call: Call, here: Path) -> None:
    result = call("run", "reflex-4x4", "--sim", "model", "--episodes", "3", "--heat", "heat.svg")
    assert result.exit_code == 0
    assert "paper's" not in result.stdout
    (row,) = [
        line for line in result.stdout.splitlines() if line.split()[:3] == ["1", "16", "ring"]
    ]
    assert cells(row)[3] == "16"
    assert (here / "heat.svg").read_text().startswith("<?xml")


def test_files_of_a_build(call: Call, here: Path) -> None:
    call("build", "reflex-4x4", "-o", "out")
    plan = json.loads((here / "out" / "reflex-4x4_plan.json").read_text())
    assert plan["groups"][0]["links"] == 16
    writes = json.loads((here / "out" / "reflex-4x4_registers.json").read_text())["writes"]
    assert writes[-1] == {
        "node": [0, 0],
        "index": 0,
        "group": None,
        "word": "command",
        "address": 1,
        "value": "0x00000001",
        "wait": 1,
        "until": None,
    }
