"""What a user reads when a file is wrong: every message, whole."""

import re

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.layout.slots import MOST_SLOTS
from syncfabric.models.networks import reader
from syncfabric.models.networks.explain import did_you_mean, show

HEAD = 'name = "a"\n'
MESH = '[network]\nkind = "mesh"\nwidth = 8\nheight = 8\n'
GROUP = HEAD + MESH + "[[group]]\nid = 3\n"

CASES = [
    # what the file says, what the user reads
    (
        "",
        'name is missing; it must be a letter, then letters, digits, "_" or "-", '
        "100 in all at most",
    ),
    (
        'name = "8x8"\n' + MESH,
        'name must be a letter, then letters, digits, "_" or "-", 100 in all at most, not "8x8"',
    ),
    (
        f'name = "{"n" * 101}"\n' + MESH,
        'name must be a letter, then letters, digits, "_" or "-", 100 in all at most, not '
        f'"{"n" * 99}…',
    ),
    ("name = 8\n" + MESH, "name must be a string, not 8"),
    (HEAD, "network is missing; add it"),
    (HEAD + "network = 3\n", "network must be a table, not 3"),
    (HEAD + MESH.replace("network", "netwrok"), 'unknown key "netwrok"; did you mean "network"?'),
    (HEAD + MESH.replace("= 8", "= 0", 1), "network: width must be 1 to 1024, not 0"),
    (HEAD + MESH.replace("width = 8", ""), "network: width is missing; it must be 1 to 1024"),
    (HEAD + MESH.replace("= 8", "= 8.5", 1), "network: width must be a whole number, not 8.5"),
    (HEAD + MESH.replace("width", "widht"), 'network: unknown key "widht"; did you mean "width"?'),
    (
        HEAD + MESH + "zzz = 1\n",
        'network: unknown key "zzz"; known are buffer_flits, channels, check_bits, '
        "clock_enables, counters, "
        "data_bits, engine_stages, flit_bits, groups, height, key_bits, kind, link_registers, "
        "managers, message_links, offload, operations, output_register, port_registers, read_back, "
        "setup, stream_bits, stream_join, stream_links, stream_operations, streams, transport, "
        "watchdog, width, wires",
    ),
    (
        HEAD + MESH + 'message_links = "shared"\nflit_bits = 16\nkey_bits = 8\n',
        "network: key_bits 8 leaves no room in a message on links of packets: it takes 20 bits, "
        "and a flit has 18; take fewer, or message_links 'own'",
    ),
    (HEAD + MESH + "counters = 1\n", "network: counters must be true or false, not 1"),
    (HEAD + MESH + "data_bits = true\n", "network: data_bits must be a whole number, not true"),
    (
        HEAD + MESH + 'message_links = "back"\n',
        'network: message_links must be "own" or "shared", not "back"',
    ),
    (
        HEAD + MESH.replace('"mesh"', '"torus"'),
        'network: kind must be "mesh", "irregular" or "static", not "torus"',
    ),
    (
        HEAD + MESH.replace('"mesh"', "[1]"),
        'network: kind must be "mesh", "irregular" or "static", not [1]',
    ),
    (
        HEAD + MESH.replace('kind = "mesh"\n', ""),
        'network: kind is missing; it must be "mesh", "irregular" or "static"',
    ),
    (
        HEAD + MESH + 'setup = "paper"\n',
        'network: setup = "paper" is paper BTIN\'s way, for irregular networks; on a mesh set '
        '"local" or "manager"',
    ),
    (
        HEAD + MESH + 'routing = "source"\n',
        'network: key "routing" belongs to irregular networks; remove it',
    ),
    (
        HEAD + MESH + "fence = true\n",
        'network: key "fence" belongs to groups; set it in [[group]]',
    ),
    (HEAD + MESH + "flit_bits = 15\n", "network: flit_bits must be 16 to 128, not 15"),
    (HEAD + MESH + "[group]\nid = 3\n", "group must be a list of tables; head each with [[group]]"),
    (HEAD + "group = [3]\n" + MESH, "group must be a table, not 3"),
    (
        HEAD + MESH + '[[group]]\nmembers = "all"\n',
        "group #1: id is missing; it must be 0 to 255",
    ),
    (
        HEAD + MESH + '[[group]]\nid = "x"\nmembers = "all"\n',
        'group #1: id must be a whole number, not "x"',
    ),
    (
        HEAD + MESH + '[[group]]\nid = 256\nmembers = "all"\n',
        "group 256: id must be 0 to 255, not 256",
    ),
    (
        GROUP + 'members = "all"\n[[group]]\nid = 3\nmembers = "all"\n',
        "group 3: id 3 is used twice; give every group an id of its own, 0 to 255",
    ),
    (GROUP, "group 3: members is missing; add it"),
    (
        GROUP + "members = []\n",
        'group 3: members is empty; name at least one node, "all" or { random = n, seed = s }',
    ),
    (
        GROUP + 'members = "some"\n',
        'group 3: members must be a list of nodes [x, y], "all" or { random = n, seed = s }, '
        'not "some"',
    ),
    (
        GROUP + "members = [[8, 2]]\n",
        "group 3: member (8, 2) is outside the 8x8 mesh; x must be 0..7",
    ),
    (
        GROUP + "members = [[0, 0], [2, -1]]\n",
        "group 3: member (2, -1) is outside the 8x8 mesh; y must be 0..7",
    ),
    (
        GROUP + "members = [[99999999999999999999, 2]]\n",
        "group 3: member (99999999999999999999, 2) is outside the 8x8 mesh; x must be 0..7",
    ),
    (
        GROUP + "members = [[1, 2], [0, 0], [1, 2]]\n",
        "group 3: member (1, 2) is listed twice; list it once",
    ),
    (
        GROUP + "members = [[1, 2, 3]]\n",
        "group 3: members: [1, 2, 3] is not a node; write [x, y] in whole numbers",
    ),
    (
        GROUP + "members = [[1, 2.5]]\n",
        "group 3: members: [1, 2.5] is not a node; write [x, y] in whole numbers",
    ),
    (
        GROUP + "members = [[0, true]]\n",
        "group 3: members: [0, true] is not a node; write [x, y] in whole numbers",
    ),
    (GROUP + "members = [5]\n", "group 3: members: 5 is not a node; write [x, y] in whole numbers"),
    (
        (GROUP + "members = [[0, 0], [2, 1]]\n").replace("height = 8", "height = 1"),
        "group 3: member (2, 1) is outside the 8x1 mesh; y must be 0",
    ),
    (
        GROUP + "members = { random = 65, seed = 1 }\n",
        "group 3: members: random = 65 is more than the 8x8 mesh has nodes; it must be 1..64",
    ),
    (
        GROUP + "members = { random = 0, seed = 1 }\n",
        "group 3: members: random must be 1 or more, not 0",
    ),
    (
        GROUP + "members = { random = 4 }\n",
        "group 3: members: seed is missing; it must be 0 or more",
    ),
    (
        GROUP + "members = { random = 4, sed = 1 }\n",
        'group 3: members: unknown key "sed"; did you mean "seed"?',
    ),
    (
        GROUP + 'members = "all"\nplanner = "btn"\n',
        'group 3: planner must be "shortest", "btin" or "updown", not "btn"',
    ),
    (
        GROUP + 'members = "all"\nplaner = "btm"\n',
        'group 3: unknown key "planer"; did you mean "planner"?',
    ),
    (
        GROUP + 'members = "all"\nfence = true\n',
        "group 3: fence = true is for systems of cores (syncfabric cores): without them nothing "
        "acknowledges packets, and no arrive can wait for it; remove it",
    ),
    (
        GROUP + 'members = "all"\nop = "sum"\n',
        'group 3: op = "sum" is not built with operations = "bitwise"; '
        'set operations = "all" in [network]',
    ),
    (
        GROUP + 'members = "all"\nop = "avg"\n',
        'group 3: op must be "or", "and", "xor", "max", "min" or "sum", not "avg"',
    ),
]

IRREGULAR = HEAD + '[network]\nkind = "irregular"\nports = 4\n'
LINKS = "links = [[[0, 0], [1, 0]], [[1, 1], [2, 0]]]\n"
NODES = "nodes = [[0, 1], [0, 2], [2, 1]]\n"
LINK = 'transport = "link"\n'
CHAIN = IRREGULAR + LINKS + NODES
MEMBERS = CHAIN + "[[group]]\nid = 3\nmembers = "

CASES += [
    (CHAIN.replace("ports = 4", "ports = 1"), "network: ports must be 2 to 16, not 1"),
    (
        IRREGULAR,
        "network: nothing says how the switches are linked; "
        "give links and nodes, topology, graph, random or chiplets",
    ),
    (IRREGULAR + LINKS, "network: nodes is missing; say where they sit, as [switch, port]"),
    (IRREGULAR + NODES, "network: links is missing; add it ([] for a switch alone)"),
    (
        CHAIN + 'graph = "net.txt"\n',
        "network: links and graph both say how the switches are linked; keep one",
    ),
    (
        IRREGULAR + NODES + 'graph = "net.txt"\n',
        "network: nodes goes with links; graph says it already: remove it",
    ),
    (
        IRREGULAR
        + "switches = 3\nrandom = { switches = 3, nodes = 3, connectivity = 1, seed = 1 }",
        "network: switches goes with links; random says it already: remove it",
    ),
    (CHAIN + "switches = 0\n", "network: switches must be 1 to 131072, not 0"),
    (IRREGULAR + "graph = 3\n", "network: graph must be a string, not 3"),
    (CHAIN + "tables = 3\n", "network: tables must be a string, not 3"),
    (
        CHAIN + "width = 3\n",
        'network: key "width" belongs to mesh and static networks; remove it',
    ),
    (
        CHAIN + 'setup = "manager"\nmanagers = [[7, 1]]\n',
        "network: manager [7, 1] is no node; name nodes",
    ),
    (
        CHAIN + 'setup = "manager"\nmanagers = [[0, 1], [0, 1]]\n',
        "network: a manager is named twice; name each once",
    ),
    (
        CHAIN + 'setup = "paper"\nmanagers = [[0, 1]]\n',
        'network: managers set groups up with setup = "manager", not "paper"; set it, or remove '
        '"managers"',
    ),
    (
        CHAIN + 'setup = "paper"\nflit_bits = 24\n',
        'network: setup = "paper" does not go with flit_bits = 24: members ask nodes by packets, a '
        "word of 32 bits a flit; set 32 or more",
    ),
    (
        CHAIN + 'setup = "manager"\nflit_bits = 24\n',
        "network: flit_bits must be at least 32 with managers, not 24; a flit holds a word of a "
        "set-up packet",
    ),
    (
        CHAIN + "flit_bits = 24\n",
        'network: setup = "manager", the default, does not go with flit_bits = 24: a flit holds a '
        'word of a set-up packet; set setup = "local"',
    ),
    (
        CHAIN + "channels = 2\ndatelines = [[0, 0]]\n",
        'network: setup = "manager", the default, does not go with datelines: set-up packets keep '
        'their channel; set setup = "local"',
    ),
    (
        CHAIN + 'channels = 2\ndatelines = [[0, 0]]\nsetup = "manager"\n',
        'network: setup = "manager" does not go with datelines: set-up packets keep their channel; '
        'set setup = "local"',
    ),
    (
        CHAIN + 'setup = "local"\nmanagers = [[0, 1]]\n',
        'network: managers set groups up with setup = "manager", not "local"; set it, or remove '
        '"managers"',
    ),
    (CHAIN + "swithces = 3\n", 'network: unknown key "swithces"; did you mean "switches"?'),
    (
        GROUP + 'members = "all"\nwidth = 3\n',
        'group 3: unknown key "width"; did you mean "id"?',
    ),
    (
        IRREGULAR + NODES + "links = 3\n",
        "network: links must be a list of [[switch, port], [switch, port]], not 3",
    ),
    (
        IRREGULAR + NODES + "links = [[[0, 0], [1]]]\n",
        "network: links: [[0, 0], [1]] is not a link; write [[switch, port], [switch, port]] in "
        "whole numbers",
    ),
    (
        IRREGULAR + LINKS + "nodes = [[0, 1.5]]\n",
        "network: nodes: [0, 1.5] is not a node; write [switch, port] in whole numbers",
    ),
    (
        CHAIN + "datelines = [3]\n",
        "network: datelines: 3 is not a port; write [switch, port] in whole numbers",
    ),
    (
        CHAIN + "datelines = [[0, 0]]\n",
        "network: channels = 1 does not go with datelines, where packets go over from channel 0 to "
        "1 or from 2 to 3; set channels = 2 or 4",
    ),
    (IRREGULAR + "random = 3\n", "network: random must be a table, not 3"),
    (
        IRREGULAR + "random = { switches = 3, nodes = 3, connectivity = 1.5, seed = 1 }",
        "network: random: connectivity must be 0 to 1, not 1.5",
    ),
    (
        IRREGULAR + "random = { switches = 3, nodes = 3, connectivity = nan, seed = 1 }",
        "network: random: connectivity must be 0 to 1, not NaN",
    ),
    (
        IRREGULAR + 'random = { switches = 3, nodes = 3, connectivity = "1", seed = 1 }',
        'network: random: connectivity must be a number, not "1"',
    ),
    (
        IRREGULAR + "random = { switches = 3, nodes = 3, connectivity = 1 }",
        "network: random: seed is missing; it must be 0 or more",
    ),
    (
        IRREGULAR + "random = { switches = 3, nodes = 3, conectivity = 1, seed = 1 }",
        'network: random: unknown key "conectivity"; did you mean "connectivity"?',
    ),
    (
        MEMBERS + '"some"\n',
        'group 3: members must be a list of nodes [switch, port], "all" or '
        '{ random = n, seed = s }, not "some"',
    ),
    (
        MEMBERS + "[[0, 1, 2]]\n",
        "group 3: members: [0, 1, 2] is not a node; write [switch, port] in whole numbers",
    ),
    (
        MEMBERS + "[[0, 1], [0, 0]]\n",
        "group 3: member (0, 0) is not a node; those of switch 0 are (0, 1), (0, 2)",
    ),
    (MEMBERS + "[[1, 2]]\n", "group 3: member (1, 2) is not a node; switch 1 has none"),
    (MEMBERS + "[[3, 0]]\n", "group 3: member (3, 0) is not a node; switch must be 0..2"),
    (
        MEMBERS + "{ random = 4, seed = 1 }\n",
        "group 3: members: random = 4 is more than the irregular network of 3 switches has nodes; "
        "it must be 1..3",
    ),
    (
        MEMBERS + '"all"\nplanner = "btm"\n',
        'group 3: planner "btm" is for transport = "routed"; set it in [network], or planner = '
        '"shortest", "btin" or "updown"',
    ),
    (MEMBERS + '"all"\nplanner = 3\n', "group 3: planner must be a string, not 3"),
]

STATIC = HEAD + '[network]\nkind = "static"\nwidth = 4\nheight = 3\n'
EVERYONE = '[[group]]\nid = 3\nmembers = "all"\n'

CASES += [
    (STATIC.replace("height = 3\n", ""), "network: height is missing; it must be 1 to 1024"),
    (STATIC + "core_buffer = 2.0\n", "network: core_buffer must be a whole number, not 2.0"),
    (STATIC + "core_bufer = 2\n", 'network: unknown key "core_bufer"; did you mean "core_buffer"?'),
    (
        STATIC + "zzz = 2\n",
        'network: unknown key "zzz"; known are core_buffer, data_bits, flit_bits, graph, '
        "height, injection_buffer, interfaces, kind, links, nodes, nodes_per_switch, ports, "
        "random, switch_buffer, switches, topology, watchdog, width",
    ),
    (
        STATIC + 'topology = "torus-4x4"\n',
        "network: width and topology both say how the switches are linked; keep one",
    ),
    (
        HEAD + '[network]\nkind = "static"\n',
        "network: nothing says how the switches are linked; give width and height, links and "
        "nodes, topology, graph or random",
    ),
    (
        HEAD + '[network]\nkind = "static"\nheight = 4\n',
        "network: width is missing; it must be 1 to 1024",
    ),
    (
        HEAD + '[network]\nkind = "static"\ntopology = "toruss-4x4"\n',
        'topology: "toruss-4x4" is unknown; did you mean "torus"?',
    ),
    (
        HEAD + '[network]\nkind = "static"\ntopology = "fat-tree-2x2"\ncore_buffer = 3\n',
        "network: core_buffer = 3 does not go with switch_buffer = 2 where nodes are at ports of "
        "switches: all ports of a switch are alike; set core_buffer = 2, or interfaces = false if "
        "each switch has one node",
    ),
    (
        STATIC + "data_bits = 4\n",
        "network: data_bits = 4 is not supported yet; barriers of a static network carry no data "
        "(data_bits = 0): remove it",
    ),
    (STATIC + "data_bits = -1\n", "network: data_bits must be 0 to 32, not -1"),
    (
        STATIC + EVERYONE + 'planner = "btm"\n',
        'group 3: planner must be "ring" or "tree", not "btm"',
    ),
    (
        STATIC + EVERYONE + 'op = "sum"\n',
        'group 3: op = "sum" has nothing to combine; barriers of a static network carry no data: '
        "remove it",
    ),
    (
        STATIC + EVERYONE.replace('"all"', "[[1, 1], [0, 3]]"),
        "group 3: member (0, 3) is outside the 4x3 mesh; y must be 0..2",
    ),
    (
        STATIC + EVERYONE.replace('"all"', "{ random = 13, seed = 1 }"),
        "group 3: members: random = 13 is more than the 4x3 mesh has nodes; it must be 1..12",
    ),
    (STATIC + "injection_buffer = 0\n", "network: injection_buffer must be 1 to 16, not 0"),
    (
        STATIC + EVERYONE + "[[group]]\nid = 4\nmembers = [[2, 1]]\n",
        "group 4: member (2, 1) is in group 3 too; a node of a static network takes part in one "
        "barrier: take it out of one of them",
    ),
]
CASES += [
    (STATIC + f"{key} = 1\n", f'network: key "{key}" belongs to {kinds} networks; remove it')
    for key, kinds in {
        **dict.fromkeys(("chiplets", "long_links", "tables", "routing"), "irregular"),
        **dict.fromkeys(("buffer_flits", "channels", "groups"), "mesh and irregular"),
        **dict.fromkeys(("operations", "setup", "managers"), "mesh and irregular"),
        **dict.fromkeys(("transport", "wires", "check_bits"), "mesh and irregular"),
        **dict.fromkeys(("message_links", "output_register"), "mesh and irregular"),
    }.items()
]
CASES += [
    (text + f"{key} = 2\n", f'network: key "{key}" belongs to static networks; remove it')
    for key in ("switch_buffer", "core_buffer", "injection_buffer")
    for text in (HEAD + MESH, CHAIN)
]
CASES += [
    (text + f"{key} = 2\n", f'network: key "{key}" is gone: {instead}; remove it')
    for key, instead in {
        "barrier_unit": "a collective engine takes its place",
        "spill": "set groups to how many a router is to hold, up to 256",
        "reduction_route": "reductions always go back over the links of their distributions",
        "turnaround": "the root's router turns a barrier around",
        "parity": "set check_bits",
        "sync": "set wires to the slots of barrier wires, 0 for none",
    }.items()
    for text in (HEAD + MESH, CHAIN, CHAIN + LINK)
]
CASES += [
    (
        text + f"{key} = 2\n",
        f'network: key "{key}" is called "{now}" now (docs/network-files.md)',
    )
    for key, now in {
        "barrier_registers": "groups",
        "registers": "groups",
        "barrier_pipeline": "engine_stages",
        "sync_links": "message_links",
        "cycles_per_hop": "output_register",
    }.items()
    for text in (HEAD + MESH, CHAIN, CHAIN + LINK)
]
CASES += [
    (HEAD + MESH + 'wires = "shared"\n', 'network: wires must be a whole number, not "shared"'),
    (
        HEAD + MESH + "wires = 1\nstreams = 2\n",
        "network: streams must be at most wires = 1, not 2: a stream goes with a slot; set wires to"
        " as many or more",
    ),
    (HEAD + MESH + "wires = 4\nstreams = 3\n", "network: streams must be 0, 1, 2 or 4, not 3"),
    (
        HEAD + MESH + 'stream_operations = ["add", "add"]\n',
        "network: stream_operations names one twice; name each once",
    ),
    (
        GROUP + 'members = "all"\nstream = true\n',
        "group 3: stream = true needs stream channels; set streams and wires in [network] of a mesh"
        " or an irregular network, or remove it",
    ),
    (
        HEAD
        + MESH
        + "wires = 1\nstreams = 1\n"
        + '[[group]]\nid = 3\nmembers = "all"\nplanner = "shortest"\nstream = true\n',
        'group 3: stream = true goes with planner = "wires", not "shortest": a stream has the tree'
        " of a slot; remove the planner",
    ),
    (HEAD + MESH + "wires = 65\n", f"network: wires must be 0 to {MOST_SLOTS}, not 65"),
    (
        STATIC + "barrier_registers = 1\n",
        'network: unknown key "barrier_registers"; known are core_buffer, data_bits, flit_bits, '
        "graph, height, injection_buffer, interfaces, kind, links, nodes, nodes_per_switch, "
        "ports, random, switch_buffer, switches, topology, watchdog, width",
    ),
]


@pytest.mark.parametrize(("text", "message"), CASES, ids=[message[:50] for _, message in CASES])
def test_message(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=f"^{re.escape(message)}$"):
        reader.loads(text)


def test_values_are_shown_as_in_the_file() -> None:
    assert show(True) == "true"
    assert show("ü") == '"ü"'
    assert show(frozenset()) == "frozenset()"


def test_a_near_word_is_offered_else_all() -> None:
    assert did_you_mean("fig2", ["fig1", "demo"]) == 'did you mean "fig1"?'
    assert did_you_mean("qqq", ["b", "a"]) == "known are a, b"
