"""What ``plan`` shows, and ``run`` and ``build`` of the same networks, of every kind."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

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
MINE = """
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
[[group]]
id = 3
members = [[3, 3]]
"""
RINGS = (
    "[[0, 0], [3, 0], [1, 1]]",
    "[[1, 0], [2, 0], [2, 2]]",
    "[[0, 1], [2, 1], [3, 3]]",
    "[[0, 2], [3, 1], [3, 2]]",
)
"""So many rings that not each can be as short as alone."""
FILES = {
    "four.toml": FOUR,
    "mine.toml": MINE,
    "tight.toml": 'name = "tight"\n[network]\nkind = "static"\nwidth = 4\nheight = 4\n'
    + "".join(f"[[group]]\nid = {i}\nmembers = {ring}\n" for i, ring in enumerate(RINGS, 1)),
    "half.toml": 'name = "half"\n[network]\nkind = "irregular"\nports = 8\n'
    "random = { switches = 75, nodes = 256, connectivity = 0.5, seed = 1 }\n",
}
FIG1 = [
    *([[0, 3], [2, 4]], [[0, 5], [1, 6]], [[0, 7], [1, 6]], [[1, 5], [1, 6]], [[1, 6], [4, 4]]),
    *([[2, 4], [4, 4]], [[2, 7], [1, 6]], [[5, 4], [6, 7]], [[6, 0], [4, 4]], [[6, 3], [6, 0]]),
    *([[6, 7], [4, 4]], [[7, 0], [6, 0]], [[7, 7], [6, 7]]),
]
# The rows of a table; … if it has others.
TABLES: list[tuple[str, str, list[str]]] = [
    ("fig1", "fig1: 8x8 mesh", ["1 14 btm (4, 4) 2 9 28"]),
    ("fig1", "entries of group 1 (or)", ["(4, 4) 0 root east, north, west, south, process", "…"]),
    (
        "cluster-fig1",
        "cluster-fig1: irregular network of 9 switches, 26 nodes, 12 links",
        ["1 14 shortest 6 (6, 0) 2 2 11"],
    ),
    (
        "cluster-fig1",
        "entries of group 1 (or)",
        [
            *("0 0 5 1, 2", "1 0 3 4, 5", "3 0 3 0, 4, 5", "4 0 7 0, 1, 2", "5 0 7 0, 4"),
            *("6 0 root 0, 1, 2, 5, 6, 7", "7 0 5 1, 3"),
        ],
    ),
    # Group 7 turns around at switch 2, which has no node; group 8 where its member is.
    (
        "four.toml",
        "four: irregular network of 4 switches, 3 nodes, 3 links",
        ["7 3 shortest 2 – 2 2 9", "8 1 shortest 1 (1, 2) 0 0 3"],
    ),
    (
        "four.toml",
        "entries of group 7 (xor)",
        ["0 0 1 0", "1 0 0 2", "2 0 root 0, 1", "3 0 0 2, 3"],
    ),
    ("four.toml", "entries of group 8 (or)", ["1 1 root 2"]),
    # Slots come behind 16 entries; a bound is 2 L + 2.
    (
        "wires-both",
        "wires-both: 4x4 mesh",
        [
            "1 16 wires slot 0 (2, 2) 4 4 10",
            "2 6 wires slot 1 (2, 2) 3 3 8",
            "3 5 shortest messages (2, 1) 2 2 10",
            "4 4 shortest messages (1, 2) 4 4 13",
        ],
    ),
    ("wires-both", "entries of group 2 (xor)", ["(2, 2) 17 root north, south, process", "…"]),
    ("wires-both", "entries of group 3 (and)", ["(2, 1) 0 root east, west, process", "…"]),
    ("wires-16x16", "wires-16x16: 16x16 mesh", ["1 256 wires slot 0 (8, 8) 16 16 34"]),
    # A link has a register: two cycles a link and way, and three about it.
    (
        "wires-cluster",
        "wires-cluster: irregular network of 7 switches, 16 nodes, 7 links",
        [
            "1 16 wires slot 0 0 (0, 3) 2 2 11",
            "2 5 wires slot 1 0 – 1 1 7",
            "3 4 wires slot 2 0 – 1 1 7",
        ],
    ),
    ("wires-cluster", "entries of group 3 (xor)", ["0 18 root 0, 1", "1 18 1 0", "3 18 0 1, 3, 4"]),
    ("reflex-4x4", "reflex-4x4: 4x4 static network", ["1 16 ring 16 16 (0, 0) 38"]),
    (
        "reflex-4x4",
        "routes of group 1 (ring)",
        ["(0, 0) ring root core north", "(3, 0) ring west west", "…"],
    ),
    (
        "mine.toml",
        "mine: 5x5 static network",
        ["1 4 ring 16 16 (0, 0) 38", "2 3 tree 2 4 (2, 2) 11", "3 1 ring 0 0 (3, 3) 1"],
    ),
    # Two places in each of two switches, two at either end, and one more.
    (
        "mine.toml",
        "routes of group 2 (tree): 9 flits an episode",
        ["(2, 2) tree root core core", "…"],
    ),
    ("mine.toml", "routes of group 3 (ring)", ["(3, 3) alone"]),
]


@pytest.fixture(autouse=True)
def _files(here: Path) -> None:
    for name, text in FILES.items():
        (here / name).write_text(text)


def rows(text: str, title: str) -> list[str]:
    """Return the rows of the table with this title, a space between words."""
    after = text.partition(f"{title}\n")[2].partition("\n\n")[0].splitlines()
    rule = next(i for i, line in enumerate(after) if line.startswith("──"))
    return [" ".join(line.split()) for line in after[rule + 1 :]]


@pytest.mark.parametrize(("name", "title", "wanted"), TABLES)
def test_tables_of_a_plan(call: Call, name: str, title: str, wanted: list[str]) -> None:
    shown = call("plan", name).stdout
    assert "None" not in shown
    found = rows(shown, title)
    part = [row for row in found if row in wanted] if "…" in wanted else found
    assert part == [row for row in wanted if row != "…"]


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        # Nothing waits: two cycles a router but one a link, twice 9 links and 2 edges, and 3 about
        # it. On the way up a message may wait 3 cycles at the root, where four come and a member
        # arrives.
        (
            "fig1",
            {"id": 1, "root": [4, 4], "height": 2, "longest_path": 9, "bound_least": 19}
            | {"bound": 2 * (9 + 2) + 3 + 3, "edges": FIG1},
        ),
        # Three nodes of switch 4, two children of switch 1: 2 and 1 cycles for choices and 1.
        (
            "cluster-fig1",
            {"root_switch": 6, "root": [6, 0], "root_node": [6, 0], "height": 2, "longest_path": 2}
            | {"bound_links": 3, "bound_least": 2 * 2 + 3, "bound": 2 * 2 + 3 + 3 + 1}
            | {"edges": [[0, 3], [1, 6], [3, 6], [4, 1], [5, 1], [7, 6]]},
        ),
    ],
)
def test_json_has_every_tree(call: Call, name: str, wanted: dict[str, Any]) -> None:
    text = call("plan", name, "--json").stdout
    (group,) = json.loads(text)["groups"]
    assert text.count("\n") == 1
    assert group | wanted == group


def test_json_says_which_entries_and_slots_groups_have(call: Call) -> None:
    placed = json.loads(call("plan", "wires-both", "--json").stdout)["groups"]
    found = [{entry["entry"] for entry in group["entries"]} for group in placed]
    assert found == [{16}, {17}, {0}, {0, 1}]


@pytest.mark.parametrize("name", ["mesh-8x8", "cluster-75", "reflex-8x8"])
def test_all_registers_on_demand(call: Call, name: str) -> None:
    some, whole = call("plan", name).stdout, call("plan", name, "--registers").stdout
    rest = [int(more) for more in re.findall(r"and (\d+) more: --registers prints all\n", some)]
    assert sum(rest) - len(rest) == len(whole.splitlines()) - len(some.splitlines()) > 16
    assert "--registers" not in whole


def test_a_least_bound_where_a_way_is_longer(call: Call) -> None:
    assert "least" not in call("plan", "reflex-4x4").stdout
    shown = call("plan", "tight.toml").stdout
    assert "least" in shown
    bounds = [row.split()[-2:] for row in rows(shown, "tight: 4x4 static network")]
    assert all(int(least) <= int(bound) for bound, least in bounds)
    assert any(int(least) < int(bound) for bound, least in bounds)


def test_notes_of_a_random_network_are_printed(call: Call) -> None:
    """A connectivity of a half leaves too few links: some are added, and the plan says so."""
    shown = call("plan", "half.toml").stdout
    (note,) = [line for line in shown.splitlines() if line.startswith("note: ")]
    assert "74" in note


@pytest.mark.parametrize("routing", ["adaptive", "dimension"])
def test_adaptive_packets_are_said_to_be_unordered(call: Call, here: Path, routing: str) -> None:
    (here / "cube.toml").write_text(
        'name = "cube"\n[network]\nkind = "irregular"\ntopology = "hypercube-8"\n'
        f'routing = "{routing}"\n[[group]]\nid = 1\nmembers = "all"\n'
    )
    note = "note: packets are unordered: two between the same nodes may overtake each other\n"
    assert (note in call("plan", "cube.toml").stdout) == (routing == "adaptive")


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


@pytest.mark.parametrize(
    ("name", "file"),
    [("fig1", "trees.svg"), ("cluster-fig1", "trees.svg"), ("reflex-4x4", "ways.png")],
)
def test_a_picture(call: Call, here: Path, name: str, file: str) -> None:
    result = call("plan", name, "--draw", file)
    assert result.exit_code == 0
    assert f"wrote {file}" in result.stdout
    assert (here / file).read_bytes()[:5] in (b"<?xml", b"\x89PNG\r")


@pytest.mark.parametrize(
    ("name", "start", "bound"),
    [("cluster-fig1", "1 14 2 2", "11"), ("reflex-4x4", "1 16 ring 16", "38")],
)
def test_a_run_has_the_columns_of_its_network(
    call: Call, here: Path, name: str, start: str, bound: str
) -> None:
    result = call("run", name, "--sim", "model", "--episodes", 3, "--heat", "heat.svg")
    assert result.exit_code == 0
    assert "paper's" not in result.stdout
    (row,) = rows(result.stdout, f"{name} under model")
    assert row.startswith(start)
    assert row.endswith(bound)
    assert (here / "heat.svg").read_text().startswith("<?xml")


def test_json_of_a_run_names_roots(call: Call) -> None:
    words = ("run", "cluster-fig1", "--sim", "model", "--episodes", 1, "--json")
    (group,) = json.loads(call(*words).stdout)["groups"]
    assert (group["root_switch"], group["root_node"], group["root"]) == (6, [6, 0], [6, 0])
    assert group["bound_links"] == 3


def test_files_of_a_build(call: Call, here: Path) -> None:
    call("build", "twins", "-o", "out")
    call("build", "reflex-4x4", "-o", "out")
    registers = json.loads((here / "out" / "twins_registers.json").read_text())
    assert [entry["index"] for entry in registers["routers"]] == [5, 6]
    assert [entry["entries"][0]["root"] for entry in registers["routers"]] == [False, True]
    # The first node is the manager.
    writes = [(write["node"], write["group"]) for write in registers["writes"]]
    assert (writes[0], writes[-1]) == (([0, 3], 1), ([0, 3], 2))
    plan = json.loads((here / "out" / "reflex-4x4_plan.json").read_text())
    assert plan["groups"][0]["links"] == 16
    writes = json.loads((here / "out" / "reflex-4x4_registers.json").read_text())["writes"]
    last = {"node": [0, 0], "index": 0, "group": None, "word": "command", "address": 1}
    assert writes[-1] == last | {"value": "0x00000001", "wait": 1, "until": None}
