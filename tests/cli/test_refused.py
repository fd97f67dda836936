"""Whatever is wrong: one line that says what to mend, exit code 2, no file.

What a network file may not say is tested in ``tests/models/networks/test_explain.py``.
"""

import itertools
import json
import shlex
from pathlib import Path

import pytest

from syncfabric.models.networks import reader
from tests.cli.conftest import Call, refused

HEAD = 'name = "n"\n[network]\nkind = "mesh"\nwidth = 4\nheight = 4\n'
MESH = 'kind = "mesh"\nwidth = 2\nheight = 2\n'
ALL = '[[group]]\nid = 1\nmembers = "all"\n'


def groups(*members: str, keys: str = "") -> str:
    """Return groups from 1 on of some members each, alike in other keys."""
    tables = (f"[[group]]\nid = {i}\nmembers = {m}\n{keys}" for i, m in enumerate(members, 1))
    return "".join(tables)


PAIR = "[[0, 0], [1, 1]]"
STATIC = 'kind = "static"\nwidth = {}\nheight = {}\n'
PLANS = {
    "entries": (
        f"{MESH}groups = 2\n{groups(*3 * [PAIR])}",
        "router (0, 0): groups 1, 2, 3 need 3 entries, but members there can have 2 with groups = "
        "2; set groups = 3 in [network]",
    ),
    "registers": (
        f"{MESH}port_registers = 1\n{groups(PAIR, PAIR)}",
        "router (0, 0): groups 1, 2 need 2 entries, but members there can have 1 with groups = 16 "
        "and port_registers = 1; set port_registers = 2 in [network]",
    ),
    "no entry beside a slot": (
        f"{MESH}wires = 1\ngroups = 2\n{groups(*4 * [PAIR])}",
        "router (0, 0): groups 2, 3, 4 need 3 entries, but members there can have 2 with groups = "
        "2; set groups = 3 in [network]",
    ),
    "a sum on wires": (
        MESH + "wires = 1\n" + groups(PAIR, keys='op = "sum"\nplanner = "wires"\n'),
        'group 1: op = "sum" cannot be combined on wires, only "or", "and" or "xor"; set '
        'operations = "all", and planner = "shortest" or none',
    ),
    "ring on a row": (
        STATIC.format(4, 1) + groups("[[0, 0], [3, 0]]"),
        'group 1: planner = "ring" has no ring on a 4x1 mesh, where it would turn back at a '
        'switch, which none can; set planner = "tree"',
    ),
    "no ring beside the others": (
        STATIC.format(3, 2) + groups("[[0, 0], [2, 1]]", "[[2, 0], [0, 1]]", "[[1, 0], [1, 1]]"),
        'group …: planner = "ring" found no ring that shares no link with those of groups …, …, '
        'though there may be one; set planner = "tree"',
    ),
    "no tree beside the others": (
        STATIC.format(6, 1)
        + groups(
            *(f"[[{left}, 0], [{left + 3}, 0]]" for left in range(3)), keys='planner = "tree"\n'
        ),
        'group …: planner = "tree" found no tree that shares no link with those of groups …, …, '
        "though there may be one; move members, or plan fewer groups at once",
    ),
    "a keyword": (
        f"{MESH}",
        'name = "module": module is a keyword of Verilog; choose another',
    ),
}
"""Networks that cannot be planned, and why."""
NETWORK_COMMANDS = {
    "plan": "plan nets/n.toml --draw n.svg",
    "plan without": "plan nets/n.toml --without 3,3",
    "build": "build nets/n.toml -o out",
    "run": "run nets/n.toml --sim model -o out --log log.csv",
    "recover": "recover nets/n.toml --without 3,3 --sim model",
    "soak": "soak nets/n.toml",
    "campaign": "campaign nets/n.toml",
    "cores": "cores hello --network nets/n.toml",
    "board": "board nets/n.toml --simulate",
    "report": "report nets/n.toml -o page.html",
    "schemes": "schemes nets/n.toml",
    "synth": "synth nets/n.toml",
    "bitstream": "bitstream nets/n.toml -o out",
}
PLANNED = list(NETWORK_COMMANDS)[:10]
WRONG = {
    "outside": (
        HEAD + groups("[[0, 0], [8, 2]]"),
        "group 1: member (8, 2) is outside the 4x4 mesh; x must be 0..3",
    ),
    "not TOML": (HEAD + "flit_bits = = 3\n", "line 6, column 13: not TOML: invalid value"),
}
OTHER_FILES = [
    "schemes n.toml",
    "synth n.toml",
    "check n.json",
    "replay n.json",
    "report n.json -o page.html",
    "topologies n.txt",
    "schedule n.txt AAB",
    "schedule ring-4 permutation --permutation n.txt",
    "cores n.c --network mesh-2x2",
]


def put(here: Path, text: str) -> None:
    (here / "nets").mkdir()
    (here / "nets" / "n.toml").write_text(text)


@pytest.mark.parametrize("what", WRONG)
@pytest.mark.parametrize("command", NETWORK_COMMANDS)
def test_what_is_wrong_in_a_network_file(call: Call, here: Path, command: str, what: str) -> None:
    text, message = WRONG[what]
    put(here, text)
    refused(call(*NETWORK_COMMANDS[command].split()), f"error: nets/n.toml: {message}")
    assert [path.name for path in here.iterdir()] == ["nets"]


@pytest.mark.parametrize("command", PLANNED)
def test_what_cannot_be_planned(call: Call, here: Path, command: str) -> None:
    put(here, HEAD + "port_registers = 1\n" + groups(PAIR, PAIR))
    # `cores` adds a group of all cores.
    need = "1, 2, 0 need 3" if command == "cores" else "1, 2 need 2"
    result = call(*NETWORK_COMMANDS[command].split())
    refused(result, f"error: nets/n.toml: router (0, 0): groups {need} entries")


@pytest.mark.parametrize("what", PLANS)
def test_a_plan_says_what_is_in_its_way(call: Call, here: Path, what: str) -> None:
    text, message = PLANS[what]
    name = "module" if what == "a keyword" else "n"
    put(here, f'name = "{name}"\n[network]\n{text}')
    for command in ("plan", "build"):
        refused(call(*NETWORK_COMMANDS[command].split()), f"error: nets/n.toml: {message}")
    assert [path.name for path in here.iterdir()] == ["nets"]


@pytest.mark.parametrize("command", ["plan", "build", "run", "soak"])
def test_routes_that_deadlock(call: Call, here: Path, command: str) -> None:
    """A ring of switches in which all packets go the same way round."""
    links = [[[s, 0], [(s + 1) % 4, 1]] for s in range(4)]
    nodes = [[s, 2] for s in range(4)]
    put(
        here,
        f'name = "n"\n[network]\nkind = "irregular"\nports = 3\ntables = "ring.csv"\n'
        f"links = {json.dumps(links)}\nnodes = {json.dumps(nodes)}\n{ALL}",
    )
    rows = [f"{a},{b},0" for a, b in itertools.permutations(range(4), 2)]
    (here / "nets" / "ring.csv").write_text("\n".join(["switch,destination,port", *rows]))
    result = call(*NETWORK_COMMANDS[command].split())
    said = "Network n can deadlock: 4 channels wait for each other in a cycle"
    assert result.stderr.startswith(f"error: nets/n.toml: {said}")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 6)
    assert [path.name for path in here.iterdir()] == ["nets"]


@pytest.mark.parametrize("words", OTHER_FILES)
def test_a_file_that_is_not_there(call: Call, here: Path, words: str) -> None:
    name = next(word for word in words.split() if word.startswith("n."))
    for path in (name, f"away/{name}"):
        refused(call(*words.replace(name, path).split()), f"error: {path}: no such file; ")
    assert list(here.iterdir()) == []


def test_a_ready_made_network_has_no_file(call: Call) -> None:
    refused(call("soak", "cluster-fig1", "--episodes", "0"), "error: episodes ")


def test_where_a_network_comes_from_is_no_part_of_it(here: Path) -> None:
    put(here, HEAD)
    read, again = reader.load("nets/n.toml"), reader.loads(HEAD)
    assert (read.source, again.source, reader.load("fig1").source) == ("nets/n.toml", "", "")
    assert read == again
    assert hash(read) == hash(again)
    assert read != again.model_copy(update={"name": "m"})
    assert "source" not in read.model_dump()


def test_a_program_that_does_not_compile(call: Call, here: Path) -> None:
    (here / "own.c").write_text("int main(void) { return none; }\n")
    result = call("cores", "own.c", "--network", "mesh-2x2")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: own.c: it does not compile:\n  own.c:1:")


@pytest.mark.parametrize(("wires", "bound"), [(0, 7), (1, 4)])
def test_a_jitter_that_the_watchdog_does_not_allow(
    call: Call, here: Path, wires: int, bound: int
) -> None:
    """It looks at each of two entries every 90 cycles; a release and the next barrier take time."""
    jitter, watchdog = 2 * 45 - 2 * bound, 45
    keys = f"wires = {wires}\ngroups = 2\nwatchdog = {watchdog}\n"
    put(here, HEAD + keys + groups(PAIR))
    words = ["run", "nets/n.toml", "--sim", "model", "--episodes", "2", "--jitter"]
    message = (
        f"jitter = {jitter + 1}: members may be {jitter} cycles apart before the watchdog ends "
        "their group; set a smaller jitter, or watchdog = 46 in [network]"
    )
    refused(call(*words, jitter + 1), message)
    assert call(*words, jitter).exit_code == 0


@pytest.mark.parametrize(
    ("sim", "message"),
    [
        ("icarus", "Icarus Verilog is not on PATH; install it with: apt-get install iverilog"),
        (
            "verilator",
            "g++ is not on PATH, and Verilator needs it; install it with: apt-get install g++ make",
        ),
    ],
)
def test_a_missing_simulator(
    call: Call, here: Path, monkeypatch: pytest.MonkeyPatch, sim: str, message: str
) -> None:
    monkeypatch.setenv("PATH", str(here))
    refused(call("run", "fig1", "--sim", sim, "-o", "out"), message)
    assert list(here.iterdir()) == []


GIVEN: dict[str, str | bytes] = {
    "file": "",
    "brace.json": "{",
    "none.json": "{}",
    "two.txt": "a b\nc d\n",
    "apart.csv": "a b\nc d\n",
    "row.toml": 'name = "row"\n[network]\nkind = "static"\nwidth = 6\nheight = 1\n',
    "empty.toml": HEAD,
    "checked.toml": HEAD + "check_bits = 8\n",
    "p.c": "int main(void) { return 0; }\n",
    "bytes": b"\xff",
    "match.json": '{"verdict": "match"}',
    "list.json": "[1]",
    "three.txt": "a b c\n",
    "twice.txt": "0 0 1 2",
    "none.toml": f'name = "none"\n[network]\n{MESH}[[group]]\nid = 1\nmembers = [[0, 0]]\n',
    "paper.toml": 'name = "paper"\n[network]\nkind = "irregular"\nports = 6\nsetup = "paper"\n'
    f"random = {{ switches = 7, nodes = 16, connectivity = 0.75, seed = 1 }}\n{ALL}",
    "watched.toml": f'name = "watched"\n[network]\n{MESH}groups = 1\nwatchdog = 32\n{ALL}',
}
"""Files that some of the commands name."""

ROWS = [
    tuple(row.split(" => "))
    for row in Path(__file__).with_name("refused.txt").read_text(encoding="utf-8").splitlines()
    if row and not row.startswith("#")
]


@pytest.mark.parametrize(("words", "message"), ROWS)
def test_is_refused(call: Call, here: Path, words: str, message: str) -> None:
    for name, text in GIVEN.items():
        (here / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    refused(call(*shlex.split(words)), message)
    assert {path.name for path in here.iterdir()} == GIVEN.keys()
