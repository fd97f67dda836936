"""``syncfabric plan``."""

import json
import re
from pathlib import Path

import pytest

from syncfabric.models.networks import reader
from tests.cli.conftest import Call


def test_json_has_every_tree(call: Call) -> None:
    plan = json.loads(call("plan", "fig1", "--json").stdout)
    (group,) = plan["groups"]
    assert group["id"] == 1
    assert group["root"] == [4, 4]
    assert group["height"] == 2
    assert group["longest_path"] == 9
    # Nothing waits: two cycles a router but one a link, twice 9 links and 2 edges, and 3 about it.
    # On the way up a message may wait 3 cycles at the root, where four come and a member arrives.
    assert group["bound"] == 2 * (9 + 2) + 3 + 3
    assert group["bound_least"] == 2 * (7 + 1) + 3
    assert len(group["edges"]) == 13
    assert [[6, 7], [4, 4]] in group["edges"]


def test_json_is_one_line(call: Call) -> None:
    assert call("plan", "demo", "--json").stdout.count("\n") == 1


def test_a_table_of_trees_and_entries(call: Call) -> None:
    shown = call("plan", "fig1").stdout
    assert "longest" in shown
    assert "entries of group 1 (or)" in shown
    (root,) = [line for line in shown.splitlines() if line.split()[:3] == ["(4,", "4)", "0"]]
    assert root.split()[3:] == ["root", "east,", "north,", "west,", "south,", "process"]


@pytest.mark.parametrize("name", ["mesh-8x8", "cluster-75", "reflex-8x8"])
def test_all_registers_on_demand(call: Call, name: str) -> None:
    some, whole = call("plan", name).stdout, call("plan", name, "--registers").stdout
    rest = [int(more) for more in re.findall(r"and (\d+) more: --registers prints all\n", some)]
    assert sum(rest) - len(rest) == len(whole.splitlines()) - len(some.splitlines()) > 16
    assert "--registers" not in whole


@pytest.mark.parametrize(
    ("name", "file"),
    [("fig1", "trees.svg"), ("cluster-fig1", "trees.svg"), ("reflex-4x4", "ways.png")],
)
def test_a_picture(call: Call, here: Path, name: str, file: str) -> None:
    result = call("plan", name, "--draw", file)
    assert result.exit_code == 0
    assert f"wrote {file}" in result.stdout
    assert (here / file).read_bytes()[:5] in (b"<?xml", b"\x89PNG\r")


def test_a_network_file_of_ones_own(call: Call, here: Path) -> None:
    library = Path(str(reader.LIBRARY))
    (here / "mine.toml").write_text((library / "fig1.toml").read_text())
    assert json.loads(call("plan", "mine.toml", "--json").stdout)["network"] == "fig1"


def test_a_plan_shows_who_goes_where(call: Call) -> None:
    shown = call("plan", "wires-both").stdout
    rows = [line.split() for line in shown.splitlines()]
    groups = [row for row in rows if row[:1] in (["1"], ["2"], ["3"], ["4"])]
    assert [row[2:5] for row in groups] == [
        ["wires", "slot", "0"],
        ["wires", "slot", "1"],
        ["shortest", "messages", "(2,"],
        ["shortest", "messages", "(1,"],
    ]
    assert [row[-1] for row in groups[:2]] == [str(2 * 4 + 2), str(2 * 3 + 2)]
    assert "entries of group 2 (xor)" in shown
    assert "(2, 2)     17    root  north, south, process" in shown  # slot 1, behind 16 entries
    assert "entries of group 3 (and)" in shown
    assert "(2, 1)      0    root  east, west, process" in shown
    placed = json.loads(call("plan", "wires-both", "--json").stdout)["groups"]
    assert [{entry["entry"] for entry in group["entries"]} for group in placed] == [
        {16},
        {17},
        {0},
        {0, 1},
    ]


def test_a_network_that_is_too_large_to_build_is_planned_with_a_note(
    call: Call, here: Path
) -> None:
    links = [[[s, 0], [s + 1, 1]] for s in range(4096)]
    (here / "long.toml").write_text(
        'name = "long"\n[network]\nkind = "irregular"\nports = 3\nnodes = [[0, 2], [9, 2]]\n'
        f'setup = "local"\nlinks = {links}\n[[group]]\nid = 1\nmembers = "all"\n'
    )
    note = "note: planned only: 4,097 switches are too many to build, above 4,096\n"
    assert note in call("plan", "long.toml").stdout
    result = call("build", "long.toml", "-o", "out")
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1].startswith(
        "error: long.toml: network: 4097 switches are too many for routing tables, "
    )


def test_wires_without_packets(call: Call) -> None:
    shown = call("plan", "wires-16x16").stdout
    (group,) = [line.split() for line in shown.splitlines() if line.split()[:2] == ["1", "256"]]
    assert group[2:5] == ["wires", "slot", "0"]
    assert group[-1] == str(2 * 16 + 2)
    assert "and 240 more: --registers prints all" in shown


def test_slots_of_an_irregular_network(call: Call) -> None:
    """A link has a register: two cycles a link and way, and three about it."""
    shown = call("plan", "wires-cluster").stdout
    for gid, slot, links in ((1, 0, 2), (2, 1, 1), (3, 2, 1)):
        (group,) = [
            row
            for line in shown.splitlines()
            if (row := line.split())[2:3] == ["wires"] and row[0] == str(gid)
        ]
        assert group[3:5] == ["slot", str(slot)]
        assert group[-1] == str(2 * links * 2 + 3)
    entries = shown.partition("entries of group 3 (xor)\n")[2].splitlines()
    assert [line.split() for line in entries if "root" in line] == [["0", "18", "root", "0,", "1"]]
