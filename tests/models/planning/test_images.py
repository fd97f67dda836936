"""Register images as words, as JSON and as a C header."""

import shutil
import subprocess
from pathlib import Path

import pytest

from syncfabric.models.messages import CONTROL, NODE_WORD, RegisterWord, register_address
from syncfabric.models.networks import reader
from syncfabric.models.networks.mesh import Turn
from syncfabric.models.planning.images import (
    c_header,
    config_writes,
    register_words,
    registers_json,
)
from syncfabric.models.planning.plan import make_plan
from syncfabric.models.planning.tree import Register

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
        "turn": 0,
        "children": {"+x": [6, 7], "+y": [1, 6], "-x": [2, 4], "-y": [6, 0]},
        "op": "or",
        "epoch": 0,
    }
    assert register["words"]["east"] == {
        "address": register_address(0, RegisterWord.EAST),
        "value": "0x00101c06",
    }


def test_spilled_groups_are_written_to_their_memory() -> None:
    plan = make_plan(reader.load("spill-4x4"))
    entries = [e for node in registers_json(plan)["nodes"] for e in node["registers"]]
    for entry in entries:
        address = entry["words"]["control"]["address"]
        spilled = 2048 + 8 * entry["fields"]["gid"]
        assert address == (spilled if entry["register"] is None else 8 * entry["register"])
    assert any(entry["register"] is None for entry in entries)


def test_the_header_names_every_field() -> None:
    header = c_header(reader.load("spill-4x4"))
    for line in (
        "#ifndef SYNCFABRIC_SPILL_4X4_H",
        "#define SYNCFABRIC_WIDTH 4u",
        "#define SYNCFABRIC_OP_SUM 5u",
        "#define SYNCFABRIC_CONTROL_WORD_GID_SHIFT 8u",
        "#define SYNCFABRIC_CONTROL_WORD_GID_MASK 0xffu",
        "#define SYNCFABRIC_NODE_WORD_PRESENT_SHIFT 20u",
        "#define SYNCFABRIC_SPILL_BASE 2048u",
    ):
        assert line in header.splitlines()


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_the_header_compiles_and_agrees_with_the_layout(tmp_path: Path) -> None:
    (tmp_path / "registers.h").write_text(c_header(reader.load("spill-4x4")))
    word = register_words(REGISTER)[RegisterWord.CONTROL]
    (tmp_path / "main.cpp").write_text(
        '#include "registers.h"\n'
        f"static_assert(({word}u >> SYNCFABRIC_CONTROL_WORD_OP_SHIFT & "
        'SYNCFABRIC_CONTROL_WORD_OP_MASK) == SYNCFABRIC_OP_XOR, "op");\n'
        'static_assert(SYNCFABRIC_SPILLED(3, SYNCFABRIC_WORD_PARENT) == 2073, "address");\n'
        'static_assert(sizeof(syncfabric_register) == 4 * SYNCFABRIC_REGISTER_WORDS, "size");\n'
    )
    command = ["g++", "-std=c++17", "-Wall", "-Werror", "-fsyntax-only", "main.cpp"]
    subprocess.run(command, cwd=tmp_path, check=True)
