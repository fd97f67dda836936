"""The command line with irregular networks: the same commands, with switches and ports."""

import json
from pathlib import Path

from tests.cli.conftest import Call

FOUR = """
name = "four"
[network]
kind = "irregular"
ports = 4
links = [[[0, 0], [1, 0]], [[0, 1], [2, 0]], [[2, 1], [3, 0]]]
nodes = [[1, 2], [3, 2], [3, 3]]
groups = 2
[[group]]
id = 7
members = "all"
op = "xor"
[[group]]
id = 8
members = [[1, 2]]
"""


def rows(text: str, title: str) -> list[list[str]]:
    """Return the rows of the table with this title, as words."""
    after = text.partition(f"{title}\n")[2].partition("\n\n")[0].splitlines()
    rule = next(i for i, line in enumerate(after) if line.startswith("──"))
    return [line.split() for line in after[rule + 1 :]]


def test_json_has_the_tree(call: Call) -> None:
    plan = json.loads(call("plan", "cluster-fig1", "--json").stdout)
    (group,) = plan["groups"]
    assert group["root_switch"] == 6
    assert group["root"] == group["root_node"] == [6, 0]
    assert group["height"] == group["longest_path"] == 2
    assert group["bound_links"] == 3
    assert group["bound_least"] == 2 * 2 + 3
    # Three nodes of switch 4, two children of switch 1: 2 and 1 cycles for the choices and 1.
    assert group["bound"] == group["bound_least"] + 3 + 1
    assert sorted(group["edges"]) == [[0, 3], [1, 6], [3, 6], [4, 1], [5, 1], [7, 6]]


def test_a_table_of_trees(call: Call) -> None:
    shown = call("plan", "cluster-fig1").stdout
    title = "cluster-fig1: irregular network of 9 switches, 26 nodes, 12 links"
    assert shown.startswith(f"{title}\n")
    assert rows(shown, title) == [["1", "14", "shortest", "6", "(6,", "0)", "2", "2", "11"]]


def test_tables_of_entries(call: Call) -> None:
    shown = call("plan", "cluster-fig1").stdout
    switches = rows(shown, "entries of group 1 (or)")
    assert [row[0] for row in switches] == ["0", "1", "3", "4", "5", "6", "7"]
    assert switches[3] == ["4", "0", "7", "0,", "1,", "2"]
    assert switches[5] == ["6", "0", "root", "0,", "1,", "2,", "5,", "6,", "7"]


def test_where_barriers_turn_around_is_said(call: Call, here: Path) -> None:
    """Group 7 turns around at switch 2, which has no node; group 8 where its member is."""
    (here / "four.toml").write_text(FOUR)
    shown = call("plan", "four.toml").stdout
    trees = rows(shown, "four: irregular network of 4 switches, 3 nodes, 3 links")
    assert trees == [
        ["7", "3", "shortest", "2", "–", "2", "2", "9"],
        ["8", "1", "shortest", "1", "(1,", "2)", "0", "0", "3"],
    ]
    assert rows(shown, "entries of group 7 (xor)") == [
        ["0", "0", "1", "0"],
        ["1", "0", "0", "2"],
        ["2", "0", "root", "0,", "1"],
        ["3", "0", "0", "2,", "3"],
    ]
    assert rows(shown, "entries of group 8 (or)") == [["1", "1", "root", "2"]]


def test_notes_of_a_random_network_are_printed(call: Call, here: Path) -> None:
    """A connectivity of a half leaves too few links: some are added, and the plan says so."""
    text = 'name = "half"\n[network]\nkind = "irregular"\nports = 8\n'
    text += "random = { switches = 75, nodes = 256, connectivity = 0.5, seed = 1 }\n"
    (here / "half.toml").write_text(text)
    shown = call("plan", "half.toml").stdout
    notes = [line for line in shown.splitlines() if line.startswith("note: ")]
    assert len(notes) == 1
    assert "74" in notes[0]


def test_a_run_has_the_columns_of_a_mesh(call: Call, here: Path) -> None:
    words = ["run", "cluster-fig1", "--sim", "model", "--episodes", 3, "--heat", "heat.svg"]
    result = call(*words)
    assert result.exit_code == 0
    (row,) = rows(result.stdout, "cluster-fig1 under model")
    assert row[:4] == ["1", "14", "2", "2"]
    assert row[-1] == "11"
    assert (here / "heat.svg").read_text().startswith("<?xml")


def test_json_of_a_run_names_roots(call: Call) -> None:
    (group,) = json.loads(
        call("run", "cluster-fig1", "--sim", "model", "--episodes", 1, "--json").stdout
    )["groups"]
    assert group["root_switch"] == 6
    assert group["root_node"] == group["root"] == [6, 0]
    assert group["bound_links"] == 3


def test_files_of_a_build(call: Call, here: Path) -> None:
    call("build", "twins", "-o", "out")
    registers = json.loads((here / "out" / "twins_registers.json").read_text())
    assert [entry["index"] for entry in registers["routers"]] == [5, 6]
    assert [entry["entries"][0]["root"] for entry in registers["routers"]] == [False, True]
    # The first node is the manager.
    writes = [(write["node"], write["group"]) for write in registers["writes"]]
    assert writes[0] == ([0, 3], 1)
    assert writes[-1] == ([0, 3], 2)
