"""``syncfabric plan``."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from syncfabric.models.networks import reader

Call = Callable[..., Any]


def test_json_has_every_tree(call: Call) -> None:
    plan = json.loads(call("plan", "fig1", "--json").stdout)
    (group,) = plan["groups"]
    assert group["id"] == 1
    assert group["root"] == [4, 4]
    assert group["height"] == 2
    assert group["longest_path"] == 9
    assert group["bound"] == 2 * 9 + 2 + 2 * 2
    assert len(group["edges"]) == 13
    assert [[6, 7], [4, 4]] in group["edges"]


def test_json_is_one_line(call: Call) -> None:
    assert call("plan", "demo", "--json").stdout.count("\n") == 1


def test_a_table_of_trees_and_registers(call: Call) -> None:
    shown = call("plan", "fig1").stdout
    assert "longest" in shown
    assert "registers of group 1 (or)" in shown
    assert [line for line in shown.splitlines() if line.split()[:3] == ["(4,", "4)", "0"]]


def test_all_registers_on_demand(call: Call) -> None:
    some, whole = call("plan", "mesh-8x8").stdout, call("plan", "mesh-8x8", "--registers").stdout
    assert "and 48 more: --registers prints all" in some
    assert "--registers" not in whole
    assert len(whole.splitlines()) > 64


def test_spilled_registers_are_in_memory(call: Call) -> None:
    assert "memory" in call("plan", "spill-4x4").stdout


def test_a_picture(call: Call, here: Path) -> None:
    result = call("plan", "fig1", "--draw", "trees.svg")
    assert result.exit_code == 0
    assert "wrote trees.svg" in result.stdout
    assert (here / "trees.svg").read_text().startswith("<?xml")


def test_a_network_file_of_ones_own(call: Call, here: Path) -> None:
    library = Path(str(reader.LIBRARY))
    (here / "mine.toml").write_text((library / "fig1.toml").read_text())
    assert json.loads(call("plan", "mine.toml", "--json").stdout)["network"] == "fig1"
