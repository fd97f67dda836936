"""Whatever is wrong with a file: the refusal begins with the file's name, as it was given."""

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from syncfabric.models.networks import reader
from tests.cli.conftest import Call

HEAD = 'name = "n"\n[network]\nkind = "mesh"\nwidth = 4\nheight = 4\n'
GROUPS = "".join(f"[[group]]\nid = {number}\nmembers = [[0, 0], [1, 1]]\n" for number in (1, 2))
FULL = HEAD + "port_registers = 1\n" + GROUPS
OUTSIDE = HEAD + GROUPS.replace("[1, 1]", "[8, 2]")
STATIC = HEAD.replace("mesh", "static")

NETWORK_COMMANDS = {
    "plan": ["plan", "nets/n.toml"],
    "plan without": ["plan", "nets/n.toml", "--without", "3,3"],
    "build": ["build", "nets/n.toml", "-o", "out"],
    "run": ["run", "nets/n.toml", "--sim", "model"],
    "recover": ["recover", "nets/n.toml", "--without", "3,3", "--sim", "model"],
    "soak": ["soak", "nets/n.toml"],
    "campaign": ["campaign", "nets/n.toml"],
    "cores": ["cores", "hello", "--network", "nets/n.toml"],
    "board": ["board", "nets/n.toml", "--simulate"],
    "report": ["report", "nets/n.toml", "-o", "page.html"],
}
READERS = [*NETWORK_COMMANDS, "schemes", "synth", "bitstream"]
FILE_COMMANDS = [
    ["schemes", "n.toml"],
    ["synth", "n.toml"],
    ["check", "n.json"],
    ["replay", "n.json"],
    ["report", "n.json", "-o", "page.html"],
    ["topologies", "n.txt"],
    ["schedule", "n.txt", "AAB"],
    ["schedule", "ring-4", "permutation", "--permutation", "n.txt"],
    ["cores", "n.c", "--network", "mesh-2x2"],
]


def refused(result: Any, start: str) -> None:
    """Check the code and how the last line on standard error begins."""
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith(f"error: {start}"), result.stderr
    name = start.partition(": ")[0]
    assert f"{name}: {name}: " not in result.stderr


def put(here: Path, text: str) -> None:
    (here / "nets").mkdir()
    (here / "nets" / "n.toml").write_text(text)


@pytest.mark.parametrize("command", READERS)
def test_what_is_wrong_in_a_network_file(call: Call, here: Path, command: str) -> None:
    put(here, OUTSIDE)
    out = ["-o", "out"] if command == "bitstream" else []
    words = NETWORK_COMMANDS.get(command, [command, "nets/n.toml", *out])
    refused(call(*words), "nets/n.toml: group 1: member (8, 2) is outside the 4x4 mesh; x must be")


@pytest.mark.parametrize("command", NETWORK_COMMANDS)
def test_what_cannot_be_planned(call: Call, here: Path, command: str) -> None:
    put(here, FULL)
    message = "nets/n.toml: router (0, 0): groups 1, 2 need 2 entries, but members there can have 1"
    if command == "cores":  # adds a group of all cores
        message = "nets/n.toml: router (0, 0): groups 1, 2, 0 need 3 entries"
    refused(call(*NETWORK_COMMANDS[command]), message)


def test_a_ready_made_network_has_no_file(call: Call) -> None:
    result = call("soak", "cluster-fig1", "--episodes", "0")
    assert result.stderr.startswith("error: episodes ")
    assert reader.load("fig1").source == ""


def test_where_a_network_comes_from_is_no_part_of_it(here: Path) -> None:
    put(here, HEAD)
    read, again = reader.load("nets/n.toml"), reader.loads(HEAD)
    assert (read.source, again.source) == ("nets/n.toml", "")
    assert read == again
    assert hash(read) == hash(again)
    assert read != again.model_copy(update={"name": "m"})
    assert "source" not in read.model_dump()


@pytest.mark.parametrize(
    ("command", "start"),
    [
        (["soak", "n.toml"], "n.toml: n has nothing to soak"),
        (["campaign", "n.toml"], "n.toml: n has nothing to inject faults into"),
        (["recover", "n.toml", "--without", "3,3"], "n.toml: n has no group that could recover"),
        (["board", "n.toml", "--simulate"], "n.toml: n has no groups"),
    ],
)
def test_a_network_that_does_not_serve(
    call: Call, here: Path, command: list[str], start: str
) -> None:
    (here / "n.toml").write_text(HEAD)
    refused(call(*command), start)


def test_a_network_that_cores_cannot_use(call: Call, here: Path) -> None:
    (here / "n.toml").write_text(HEAD + "check_bits = 8\n")
    words = ["cores", "hello", "--network", "n.toml"]
    refused(call(*words), "n.toml: check_bits = 8: a core's packets cannot be cut short")
    refused(call(*words, "--cores", 99), "cores = 99: the network has 16 nodes")


@pytest.mark.parametrize("words", FILE_COMMANDS)
def test_a_file_that_is_not_there(call: Call, here: Path, words: list[str]) -> None:
    (name,) = (word for word in words if word.startswith("n."))
    refused(call(*words), f"{name}: no such file; ")
    away = [f"away/{word}" if word == name else word for word in words]
    refused(call(*away), f"away/{name}: no such file; ")
    assert list(here.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "text", "start"),
    [
        (["check", "f"], "{}", "f: schedule: format must be"),
        (["check", "f"], "{", "f: line 1, column 2: not JSON"),
        (["replay", "f"], b"\xff", "f: not a text file in UTF-8"),
        (["report", "f", "-o", "p.html"], '{"verdict": "match"}', "f: result: "),
        (["report", "f", "-o", "p.html"], "[1]", "f: neither a schedule, "),
        (["topologies", "f"], "a b\nc d\n", "f: topology f: it is not connected"),
        (["topologies", "f"], "a b c\n", "f: graph, line 1: "),
        (
            ["schedule", "ring-4", "permutation", "--permutation", "f"],
            "0 0 1 2",
            "f: permutation: ",
        ),
    ],
)
def test_what_is_wrong_in_other_files(
    call: Call, here: Path, words: list[str], text: str | bytes, start: str
) -> None:
    (here / "f").write_bytes(text if isinstance(text, bytes) else text.encode())
    refused(call(*words), start)


def test_a_program_that_does_not_compile(call: Call, here: Path) -> None:
    (here / "own.c").write_text("int main(void) { return none; }\n")
    result = call("cores", "own.c", "--network", "mesh-2x2")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: own.c: it does not compile:\n  own.c:1:")


@pytest.mark.parametrize("command", ["plan", "build", "run", "soak"])
def test_routes_that_deadlock(call: Call, here: Path, command: str) -> None:
    """A ring of switches in which all packets go the same way round."""
    links = [[[s, 0], [(s + 1) % 4, 1]] for s in range(4)]
    nodes = [[s, 2] for s in range(4)]
    put(
        here,
        f'name = "n"\n[network]\nkind = "irregular"\nports = 3\ntables = "ring.csv"\n'
        f"links = {json.dumps(links)}\nnodes = {json.dumps(nodes)}\n"
        '[[group]]\nid = 1\nmembers = "all"\n',
    )
    rows = [f"{a},{b},0" for a, b in itertools.permutations(range(4), 2)]
    (here / "nets" / "ring.csv").write_text("\n".join(["switch,destination,port", *rows]))
    result = call(*NETWORK_COMMANDS[command])
    refused(
        result, "nets/n.toml: Network n can deadlock: 4 channels wait for each other in a cycle"
    )
    assert result.stderr.count("\n") == 6
    assert result.stdout == ""
    assert [path.name for path in here.iterdir()] == ["nets"]


@pytest.mark.parametrize("command", ["plan", "soak", "schemes"])
def test_a_topology_is_no_network(call: Call, here: Path, command: str) -> None:
    for name in ("torus-4x4", "moore-petersen"):
        refused(call(command, name), f'"{name}" is a topology for schedules, as in: syncfabric ')
        assert f"syncfabric schedule {name} AAB; for a network take a mesh, such as mesh-4x4" in (
            call(command, name).stderr
        )
    refused(call(command, "torus-4by4"), '"torus-4by4" is neither a network file nor a ready-made')


def test_what_it_points_to_works(call: Call, here: Path) -> None:
    assert call("schedule", "torus-4x4", "AAB", "--time-limit", 5).exit_code in (0, 1)
    assert call("plan", "mesh-4x4").exit_code == 0
