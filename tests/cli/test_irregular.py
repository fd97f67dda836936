"""The command line with irregular networks: the same commands, with switches and ports."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.built import built

Call = Callable[..., Any]

FOUR = """
name = "four"
[network]
kind = "irregular"
ports = 4
links = [[[0, 0], [1, 0]], [[0, 1], [2, 0]], [[2, 1], [3, 0]]]
nodes = [[1, 2], [3, 2], [3, 3]]
turnaround = "node"
barrier_registers = 2
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
    assert group["root_switch"] == 3
    assert group["root"] == group["root_node"] == [3, 4]
    assert group["height"] == group["longest_path"] == 2
    assert group["bound_links"] == 3
    assert group["bound"] == 2 * 3 * 2 + 2
    assert sorted(group["edges"]) == [[0, 3], [1, 3], [4, 1], [5, 1], [6, 3], [7, 3]]


def test_a_table_of_trees(call: Call) -> None:
    shown = call("plan", "cluster-fig1").stdout
    title = "cluster-fig1: irregular network of 9 switches, 26 nodes, 12 links"
    assert shown.startswith(f"{title}\n")
    formula = f"{2 * (2000 + 4 * 20 + 5 * 300):,}"
    assert rows(shown, title) == [["1", "14", "btin", "3", "(3,", "4)", "2", "2", "14", formula]]


def test_tables_of_registers(call: Call) -> None:
    shown = call("plan", "cluster-fig1").stdout
    switches = rows(shown, "registers of group 1 (or): switches")
    assert [row[0] for row in switches] == ["0", "1", "3", "4", "5", "6", "7"]
    assert switches[2] == ["3", "0", "root", "0,", "1,", "3,", "4,", "5,", "6"]
    assert switches[3] == ["4", "0", "7", "0,", "1,", "2"]
    nodes = rows(shown, "registers of group 1 (or): node interfaces")
    assert len(nodes) == 14
    assert nodes[0] == ["(0,", "1)", "0", "switch"]


def test_root_nodes_are_said(call: Call, here: Path) -> None:
    """The root node of group 7 turns it around; group 8 has no switch."""
    (here / "four.toml").write_text(FOUR)
    shown = call("plan", "four.toml").stdout
    assert rows(shown, "registers of group 7 (xor): node interfaces") == [
        ["(1,", "2)", "0", "root"],
        ["(3,", "2)", "0", "switch"],
        ["(3,", "3)", "0", "switch"],
    ]
    assert rows(shown, "registers of group 8 (or): node interfaces") == [["(1,", "2)", "1", "root"]]
    assert "registers of group 8 (or): switches" not in shown


def test_all_registers_on_demand(call: Call) -> None:
    some, whole = (
        call("plan", "cluster-75").stdout,
        call("plan", "cluster-75", "--registers").stdout,
    )
    assert "and 240 more: --registers prints all\n" in some
    assert "--registers" not in whole
    assert len(rows(whole, "registers of group 1 (or): node interfaces")) == 256


def test_notes_of_a_random_network_are_printed(call: Call, here: Path) -> None:
    """A connectivity of a half leaves too few links: some are added, and the plan says so."""
    text = 'name = "half"\n[network]\nkind = "irregular"\nports = 8\n'
    text += "random = { switches = 75, nodes = 256, connectivity = 0.5, seed = 1 }\n"
    (here / "half.toml").write_text(text)
    shown = call("plan", "half.toml").stdout
    notes = [line for line in shown.splitlines() if line.startswith("note: ")]
    assert len(notes) == 1
    assert "74" in notes[0]


def test_a_picture(call: Call, here: Path) -> None:
    result = call("plan", "cluster-fig1", "--draw", "trees.svg")
    assert "wrote trees.svg" in result.stdout
    assert (here / "trees.svg").read_text().startswith("<?xml")


def test_a_network_too_large_for_a_picture_is_refused(call: Call, here: Path) -> None:
    result = call("plan", "cluster-300", "--draw", "trees.svg")
    assert result.exit_code == 2
    assert result.stderr.startswith(
        "error: picture trees.svg: an irregular network of 300 switches"
    )
    assert not list(here.iterdir())


def test_a_run_has_the_columns_of_a_mesh(call: Call, here: Path) -> None:
    words = ["run", "cluster-fig1", "--sim", "model", "--episodes", 3, "--heat", "heat.svg"]
    result = call(*words)
    assert result.exit_code == 0
    (row,) = rows(result.stdout, "cluster-fig1 under model")
    assert row[:4] == ["1", "14", "2", "2"]
    assert row[-2:] == ["14", "7,160"]
    assert (here / "heat.svg").read_text().startswith("<?xml")


def test_json_of_a_run_names_roots(call: Call) -> None:
    (group,) = json.loads(
        call("run", "cluster-fig1", "--sim", "model", "--episodes", 1, "--json").stdout
    )["groups"]
    assert group["root_switch"] == 3
    assert group["root_node"] == group["root"] == [3, 4]
    assert group["bound_links"] == 3


def test_files_of_a_build(call: Call, here: Path) -> None:
    result = call("build", "twins", "-o", "out")
    assert result.stdout.splitlines() == [f"out/{name}" for name in built("twins")]
    registers = json.loads((here / "out" / "twins_registers.json").read_text())
    assert [entry["index"] for entry in registers["switches"]] == [5, 6]
    assert [write["word"] for write in registers["writes"]][-1] == "command"
    assert "module twins" in (here / "out" / "twins.v").read_text()


def test_the_header_compiles(call: Call) -> None:
    call("build", "twins", "-o", "out")
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only"]
    subprocess.run(["gcc", *flags, "-x", "c", "out/twins_registers.h"], check=True)
