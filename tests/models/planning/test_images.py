"""Register images as words, as JSON and as a C header."""

import subprocess
from pathlib import Path

from syncfabric.models.messages import (
    CONTROL,
    NODE_WORD,
    TREE,
    RegisterWord,
    SwitchWord,
    register_address,
)
from syncfabric.models.networks import reader
from syncfabric.models.networks.mesh import Turn
from syncfabric.models.networks.spec import GroupSpec
from syncfabric.models.planning.c_header import c_header
from syncfabric.models.planning.images import config_writes, register_words
from syncfabric.models.planning.plan import make_plan
from syncfabric.models.planning.set_up_writes import registers_json
from syncfabric.models.planning.switch_tree import PortRegister
from syncfabric.models.planning.tree import Register
from tests.models.planning.irregular import network_of
from tests.models.planning.test_plan_irregular import LINE

REGISTER = Register(7, (1, 1), (3, 2), Turn.Y_FIRST, (None, (1, 2), None, None), "xor", 2)


def test_words_of_a_register() -> None:
    words = register_words(REGISTER)
    assert list(words)[-1] is RegisterWord.CONTROL
    assert NODE_WORD.unpack(words[RegisterWord.PARENT]) == {"x": 3, "y": 2, "present": 1}
    assert NODE_WORD.unpack(words[RegisterWord.NORTH]) == {"x": 1, "y": 2, "present": 1}
    assert words[RegisterWord.EAST] == words[RegisterWord.SOUTH] == 0
    assert CONTROL.unpack(words[RegisterWord.CONTROL]) == {
        "valid": 1,
        "root": 0,
        "turn": 1,
        "op": 2,
        "epoch": 2,
        "gid": 7,
        "manager": 0,
    }


def test_every_register_of_a_plan_is_written_with_its_control_word_last() -> None:
    plan = make_plan(reader.load("demo"))
    writes = list(config_writes(plan))
    assert len(writes) == 6 * (14 + 64 + 16)
    assert len({write[:2] for write in writes}) == len(writes)
    for place in range(0, len(writes), 6):
        node, address, word = writes[place + 5]
        assert address % 8 == RegisterWord.CONTROL
        assert CONTROL.unpack(word)["valid"] == 1
        assert {(n, a // 8) for n, a, _ in writes[place : place + 6]} == {(node, address // 8)}


def test_json_of_a_node() -> None:
    document = registers_json(make_plan(reader.load("fig1")))
    assert document["network"] == "fig1"
    assert len(document["nodes"]) == 14
    (root,) = (entry for entry in document["nodes"] if entry["node"] == [4, 4])
    assert root["index"] == 36
    (register,) = root["registers"]
    assert register["register"] == 0
    assert register["fields"] == {
        "gid": 1,
        "root": True,
        "parent": None,
        "relay": False,
        "turn": 0,
        "children": {"+x": [6, 7], "+y": [1, 6], "-x": [2, 4], "-y": [6, 0]},
        "op": "or",
        "epoch": 0,
    }
    assert register["words"]["east"] == {
        "address": register_address(0, RegisterWord.EAST),
        "value": "0x00101c06",
    }


def test_the_header_names_every_field() -> None:
    header = c_header(reader.load("board-4x4"), "syncfabric")
    for line in (
        "#ifndef board_4x4_REGISTERS_H",
        "#define SYNCFABRIC_WIDTH 4u",
        "#define SYNCFABRIC_OP_SUM 5u",
        "#define SYNCFABRIC_CONTROL_WORD_GID_SHIFT 8u",
        "#define SYNCFABRIC_CONTROL_WORD_GID_MASK 0xffu",
        "#define SYNCFABRIC_NODE_WORD_PRESENT_SHIFT 20u",
    ):
        assert line in header.splitlines()


def test_the_header_compiles_and_agrees_with_the_layout(tmp_path: Path) -> None:
    (tmp_path / "registers.h").write_text(c_header(reader.load("board-4x4"), "syncfabric"))
    word = register_words(REGISTER)[RegisterWord.CONTROL]
    (tmp_path / "main.cpp").write_text(
        '#include "registers.h"\n'
        f"static_assert(({word}u >> SYNCFABRIC_CONTROL_WORD_OP_SHIFT & "
        'SYNCFABRIC_CONTROL_WORD_OP_MASK) == SYNCFABRIC_OP_XOR, "op");\n'
        'static_assert(SYNCFABRIC_REGISTER(3, SYNCFABRIC_WORD_PARENT) == 25, "address");\n'
        'static_assert(sizeof(syncfabric_register) == 4 * SYNCFABRIC_REGISTER_WORDS, "size");\n'
    )
    command = ["g++", "-std=c++17", "-Wall", "-Werror", "-fsyntax-only", "main.cpp"]
    subprocess.run(command, cwd=tmp_path, check=True)


TWO = network_of(
    LINE,
    *(GroupSpec(id=i, members=((0, 2), (2, 3))) for i in (4, 6)),
    barrier_registers=2,
    turnaround="node",
)
"""Switches 0 - 1 - 2: group 6 has register 1 everywhere."""


def test_words_of_a_register_by_ports() -> None:
    words = register_words(PortRegister(9, 3, 11, (0, 15), "max", 1))
    assert list(words) == [SwitchWord.TREE, SwitchWord.CONTROL]
    assert TREE.unpack(words[SwitchWord.TREE]) == {"parent": 11, "children": 0x8001}
    fields = {"valid": 1, "root": 0, "turn": 0, "op": 3, "epoch": 1, "gid": 9, "manager": 0}
    assert CONTROL.unpack(words[SwitchWord.CONTROL]) == fields
    root = register_words(PortRegister(9, (3, 1), None, (0, 1)))
    assert TREE.unpack(root[SwitchWord.TREE]) == {"parent": 0, "children": 3}
    assert CONTROL.unpack(root[SwitchWord.CONTROL])["root"] == 1


def test_writes_to_nodes_and_switches() -> None:
    """Targets: (0, 2) is node 0, (2, 3) node 4, and switch s is 6 + s."""
    writes = list(config_writes(make_plan(TWO)))
    words = [(target, address) for target, address, _ in writes]
    group = [(target, word) for target in (0, 4, 6, 7, 8) for word in (1, 0)]
    assert words == [*group, *((target, 8 + word) for target, word in group)]
    assert writes[0][2] == TREE.pack({"children": 0b11})
    assert writes[4][2] == TREE.pack({"parent": 2, "children": 0b1})


def test_json_of_nodes_and_switches() -> None:
    document = registers_json(make_plan(TWO))
    assert [entry["node"] for entry in document["nodes"]] == [[0, 2], [2, 3]]
    assert [entry["index"] for entry in document["nodes"]] == [0, 4]
    assert [(e["switch"], e["index"]) for e in document["switches"]] == [(0, 6), (1, 7), (2, 8)]
    held, other = document["switches"][2]["registers"]
    assert (held["register"], other["register"]) == (0, 1)
    assert held["fields"] == {
        "gid": 4,
        "root": False,
        "parent": 1,
        "relay": None,
        "turn": None,
        "children": [3],
        "op": "or",
        "epoch": 0,
    }
    assert other["words"] == {
        "tree": {"address": 8 + 1, "value": "0x00000081"},
        "control": {"address": 8, "value": "0x00000601"},
    }


def test_a_mesh_has_no_switches() -> None:
    assert registers_json(make_plan(reader.load("fig1")))["switches"] is None


def test_the_header_of_switches_compiles_and_agrees_with_the_layout(tmp_path: Path) -> None:
    (tmp_path / "registers.h").write_text(c_header(TWO, "syncfabric"))
    word = register_words(PortRegister(9, 3, 11, (0, 15), "max", 1))[SwitchWord.TREE]
    (tmp_path / "main.cpp").write_text(
        '#include "registers.h"\n#include <cstddef>\n'
        f"static_assert(({word}u >> SYNCFABRIC_TREE_WORD_PARENT_SHIFT & "
        'SYNCFABRIC_TREE_WORD_PARENT_MASK) == 11, "parent");\n'
        'static_assert(SYNCFABRIC_SWITCH(2) == 8 && SYNCFABRIC_PORTS == 5, "targets");\n'
        'static_assert(offsetof(syncfabric_register, pending) == 4 * SYNCFABRIC_WORD_PENDING, "");'
        'static_assert(sizeof(syncfabric_register) == 4 * SYNCFABRIC_REGISTER_WORDS, "size");\n'
    )
    command = ["g++", "-std=c++17", "-Wall", "-Werror", "-fsyntax-only", "main.cpp"]
    subprocess.run(command, cwd=tmp_path, check=True)
