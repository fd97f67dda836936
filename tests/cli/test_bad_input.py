"""Whatever is wrong: one line that says what to mend, exit code 2, nothing written."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Call

NETWORK = 'name = "n"\n[network]\nkind = "mesh"\nwidth = 8\nheight = 8\n'
GROUP = "[[group]]\nid = 3\nmembers = [[0, 0], [1, 1]]\n"

FILES = {
    "outside": (
        NETWORK + "[[group]]\nid = 3\nmembers = [[0, 0], [8, 2]]\n",
        r"group 3: member \(8, 2\) is outside the 8x8 mesh; x must be 0\.\.7",
    ),
    "duplicate member": (
        NETWORK + "[[group]]\nid = 3\nmembers = [[1, 1], [1, 1]]\n",
        r"group 3: member \(1, 1\) is listed twice; list it once",
    ),
    "duplicate GID": (
        NETWORK + GROUP + GROUP,
        r"group 3: id 3 is used twice; give every group an id of its own, 0 to 255",
    ),
    "empty group": (
        NETWORK + "[[group]]\nid = 3\nmembers = []\n",
        r'group 3: members is empty; name at least one node, "all" or { random = n, seed = s }',
    ),
    "GID over 255": (
        NETWORK + GROUP.replace("id = 3", "id = 256"),
        r"group 256: id must be 0 to 255, not 256",
    ),
    "0-wide mesh": (
        NETWORK.replace("width = 8", "width = 0"),
        r"network: width must be 1 to 1024, not 0",
    ),
    "unknown key": (
        NETWORK + "port_register = 2\n",
        r'network: unknown key "port_register"; did you mean "port_registers"\?',
    ),
    "malformed TOML": (
        NETWORK + "flit_bits = = 3\n",
        r"line 6, column 13: not TOML: invalid value",
    ),
    "renamed key": (
        NETWORK + "barrier_registers = 2\n",
        r'network: key "barrier_registers" is called "groups" now \(docs/network-files\.md\)',
    ),
    "removed key": (
        NETWORK + "parity = true\n",
        r'network: key "parity" is gone: set check_bits; remove it',
    ),
    "narrow flit": (
        NETWORK + "flit_bits = 8\n",
        r"network: flit_bits must be 16 to 128, not 8",
    ),
    "entries": (
        NETWORK + "groups = 2\n" + "".join(GROUP.replace("= 3", f"= {gid}") for gid in (3, 4, 5)),
        r"router \(0, 0\): groups 3, 4, 5 need 3 entries, but members there can have 2 with "
        r"groups = 2; set groups = 3 in \[network\]",
    ),
    "registers of a port": (
        NETWORK + "port_registers = 1\n" + GROUP + GROUP.replace("id = 3", "id = 4"),
        r"router \(0, 0\): groups 3, 4 need 2 entries, but members there can have 1 with "
        r"groups = 16 and port_registers = 1; set port_registers = 2 in \[network\]",
    ),
}

IRREGULAR = 'name = "n"\n[network]\nkind = "irregular"\nports = 4\n'
CHAIN = IRREGULAR + "links = [[[0, 0], [1, 0]], [[1, 1], [2, 0]]]\nnodes = [[0, 1], [2, 1]]\n"

FILES |= {
    "port used twice": (
        CHAIN.replace("[0, 1]", "[0, 0]"),
        r"network: port 0 of switch 0 is used twice, by link \[\[0, 0\], \[1, 0\]\] and node "
        r"\[0, 0\]; give each a port of its own",
    ),
    "link to itself": (
        CHAIN.replace("[2, 0]", "[1, 2]"),
        r"network: link \[\[1, 1\], \[1, 2\]\] leads from switch 1 to itself; link two switches",
    ),
    "link to a missing switch": (
        CHAIN + "switches = 2\n",
        r"network: link \[\[1, 1\], \[2, 0\]\]: there is no switch 2; switches must be 0\.\.1",
    ),
    "not connected": (
        CHAIN + "switches = 4\n",
        r"network: the switches are not connected: 2 parts have no link between them "
        r"\(3 switches: 0, 1, 2; 1 switch: 3\); link every part to another",
    ),
    "member no node": (
        CHAIN + "[[group]]\nid = 3\nmembers = [[0, 1], [1, 2]]\n",
        r"group 3: member \(1, 2\) is not a node; switch 1 has none",
    ),
    "too many ports": (
        CHAIN.replace("[2, 1]", "[2, 4]"),
        r"network: node \[2, 4\]: switch 2 has no port 4; ports must be 0\.\.3",
    ),
    "one port": (
        CHAIN.replace("ports = 4", "ports = 1"),
        r"network: ports must be 2 to 16, not 1",
    ),
    "no graph file": (
        IRREGULAR + 'graph = "net.graphml"\n',
        r"network: graph net\.graphml does not exist; "
        r"give its path from the network file's folder",
    ),
    "no graph in a file": (
        IRREGULAR + 'graph = "n.toml"\n',
        r'network: graph n\.toml, line 1: "name = \\"n\\"" is not an edge; write two labels',
    ),
    "no tables": (
        CHAIN + 'tables = "t.csv"\n',
        r"network: tables t\.csv does not exist; give its path from the network file's folder",
    ),
    "key of a mesh": (
        CHAIN + "width = 3\n",
        r'network: key "width" belongs to mesh and static networks; remove it',
    ),
    "too many random members": (
        CHAIN + "[[group]]\nid = 3\nmembers = { random = 3, seed = 1 }\n",
        r"group 3: members: random = 3 is more than the irregular network of 3 switches has "
        r"nodes; it must be 1\.\.2",
    ),
    "crowded random network": (
        IRREGULAR + "random = { switches = 3, nodes = 9, connectivity = 1, seed = 1 }\n",
        r"network: random: nodes = 9 is too many for 3 switches of 4 ports, which must be "
        r"linked; it must be 1\.\.8",
    ),
}

STATIC = 'name = "n"\n[network]\nkind = "static"\nwidth = 4\nheight = 1\n'
PAIRS = (((0, 0), (2, 1)), ((2, 0), (0, 1)), ((1, 0), (1, 1)))

FILES |= {
    "ring on a row": (
        STATIC + GROUP.replace("[1, 1]", "[3, 0]"),
        r'group 3: planner = "ring" has no ring on a 4x1 mesh, where it would turn back at a '
        r'switch, which none can; set planner = "tree"',
    ),
    "no ring beside the others": (
        STATIC.replace("width = 4\nheight = 1", "width = 3\nheight = 2")
        + "".join(
            f"[[group]]\nid = {gid}\nmembers = {[list(node) for node in members]}\n"
            for gid, members in enumerate(PAIRS)
        ),
        r'group \d: planner = "ring" found no ring that shares no link with those of groups '
        r'\d, \d, though there may be one; set planner = "tree"',
    ),
    "no tree beside the others": (
        STATIC.replace("width = 4", "width = 6")
        + "".join(
            f'[[group]]\nid = {left}\nmembers = [[{left}, 0], [{left + 3}, 0]]\nplanner = "tree"\n'
            for left in range(3)
        ),
        r'group \d: planner = "tree" found no tree that shares no link with those of groups '
        r"\d, \d, though there may be one; move members, or plan fewer groups at once",
    ),
    "in two groups": (
        STATIC.replace("height = 1", "height = 2") + GROUP + GROUP.replace("id = 3", "id = 4"),
        r"group 4: member \(0, 0\) is in group 3 too; a node of a static network takes part in "
        r"one barrier: take it out of one of them",
    ),
    "no place in a buffer": (
        STATIC + "injection_buffer = 0\n",
        r"network: injection_buffer must be 1 to 16, not 0",
    ),
    "key of a mesh with messages": (
        STATIC + "buffer_flits = 4\n",
        r'network: key "buffer_flits" belongs to mesh and irregular networks; remove it',
    ),
    "buffers of a static network": (
        NETWORK + "switch_buffer = 2\n",
        r'network: key "switch_buffer" belongs to static networks; remove it',
    ),
    "nothing to combine": (
        STATIC + GROUP.replace("[1, 1]", "[1, 0]") + 'op = "max"\n',
        r'group 3: op = "max" has nothing to combine; barriers of a static network carry no data: '
        r"remove it",
    ),
}

FILES |= {
    "too many wires": (NETWORK + "wires = 17\n", r"network: wires must be 0 to 16, not 17"),
    "a group on wires without wires": (
        NETWORK + GROUP + 'planner = "wires"\n',
        r'group 3: planner "wires" needs slots of barrier wires; set wires to 1 or more in '
        r'\[network\], or planner = "shortest", "btin" or "updown"',
    ),
    "no entry beside a slot": (
        NETWORK
        + "wires = 1\ngroups = 2\n"
        + "".join(GROUP.replace("= 3", f"= {gid}") for gid in (3, 4, 5, 6)),
        r"router \(0, 0\): groups 4, 5, 6 need 3 entries, but members there can have 2 with "
        r"groups = 2; set groups = 3 in \[network\]",
    ),
    "a sum on wires": (
        NETWORK + "wires = 1\n" + GROUP + 'op = "sum"\nplanner = "wires"\n',
        r'group 3: op = "sum" cannot be combined on wires, only "or", "and" or "xor"; '
        r'set operations = "all", and planner = "shortest" or none',
    ),
    "buffers of no channels": (
        NETWORK + "channels = 0\nbuffer_flits = 8\n" + GROUP,
        r"network: buffer_flits = 8 is for packets, and with channels = 0 there are none; "
        r"remove it, or give it channels",
    ),
    "packets where there are none": (
        CHAIN + 'channels = 0\nsetup = "local"\nrouting = "source"\n',
        r'network: routing = "source" is for packets, and with channels = 0 there are none; '
        r"remove it",
    ),
}

COMMANDS = {
    "plan": ["plan", "n.toml", "--draw", "n.svg"],
    "build": ["build", "n.toml", "-o", "out"],
    "run": ["run", "n.toml", "--sim", "model", "-o", "out", "--log", "log.csv"],
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("what", FILES)
def test_a_wrong_network_file(call: Call, here: Path, what: str, command: str) -> None:
    text, message = FILES[what]
    (here / "n.toml").write_text(text)
    refused(call(*COMMANDS[command]), rf"n\.toml: {message}")
    assert [path.name for path in here.iterdir()] == ["n.toml"]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_network_that_is_not_there(call: Call, here: Path, command: str) -> None:
    words = [word.replace("n.toml", "fig2") for word in COMMANDS[command]]
    message = r'"fig2" is neither a network file nor a ready-made network; did you mean "fig1"\?'
    refused(call(*words), message)
    assert list(here.iterdir()) == []


@pytest.mark.parametrize(("wires", "bound"), [(0, 7), (1, 4)])
def test_a_jitter_that_the_watchdog_does_not_allow(
    call: Call, here: Path, wires: int, bound: int
) -> None:
    """It looks at each of two entries every 90 cycles; a release and the next barrier take time."""
    jitter, watchdog = 2 * 45 - 2 * bound, 45
    keys = f"wires = {wires}\ngroups = 2\nwatchdog = {watchdog}\n"
    (here / "n.toml").write_text(NETWORK + keys + GROUP)
    words = ["run", "n.toml", "--sim", "model", "--episodes", "2", "--jitter"]
    message = (
        rf"jitter = {jitter + 1}: members may be {jitter} cycles apart before the watchdog ends "
        r"their group; set a smaller jitter, or watchdog = 46 in \[network\]"
    )
    refused(call(*words, jitter + 1), message)
    assert call(*words, jitter).exit_code == 0


@pytest.mark.parametrize(
    ("sim", "message"),
    [
        ("icarus", r"Icarus Verilog is not on PATH; install it with: apt-get install iverilog"),
        (
            "verilator",
            r"g\+\+ is not on PATH, and Verilator needs it; install it with: "
            r"apt-get install g\+\+ make",
        ),
    ],
)
def test_a_missing_simulator(
    call: Call, here: Path, monkeypatch: pytest.MonkeyPatch, sim: str, message: str
) -> None:
    monkeypatch.setenv("PATH", str(here))
    refused(call("run", "fig1", "--sim", sim, "-o", "out"), message)
    assert list(here.iterdir()) == []


def refused(result: Any, message: str) -> None:
    """Check code, silence on standard output, and the one line on standard error."""
    assert re.fullmatch(f"error: {message}\n", result.stderr), result.stderr
    assert result.exit_code == 2
    assert result.stdout == ""
