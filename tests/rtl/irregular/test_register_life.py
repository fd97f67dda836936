# amaranth: UnusedElaboratable=no
"""How a switch's register dies: what still comes then, and what a command adds to a message."""

from collections.abc import Mapping
from typing import Any

import pytest

from syncfabric.models.messages import CONTROL, TREE, Command, Kind
from syncfabric.rtl.irregular.register import TreeRegister
from tests.rtl.irregular.specs import network
from tests.rtl.support import clocked

GID = 9
WRITE_CONTROL, WRITE_TREE, WRITE_COMMAND = 1, 2, 4
ALIVE = CONTROL.pack({"valid": 1, "gid": GID})
SET_UP: list[dict[str, int]] = [
    {"write": WRITE_TREE, "write_data": TREE.pack({"parent": 0, "children": 0b110})},
    {"write": WRITE_CONTROL, "write_data": ALIVE},
    {"write": WRITE_COMMAND, "write_data": Command.GO},
    {"write": 0, "send__sent": 0b111},
    {"send__sent": 0},
]
ARRIVED = 0b11111
"""Of ``observe``: which ports' messages are in."""


def play(cases: list[dict[str, int]], **keys: Any) -> list[dict[str, int]]:
    """Set a register up, and return what it shows in the cycles after that."""
    spec = network(setup="manager", flit_bits=32, **keys)
    return clocked(TreeRegister(spec, node=False), [*SET_UP, *cases])[len(SET_UP) :]


def message(port: int, kind: Kind) -> Mapping[str, int]:
    """Return the pins of a message that matches."""
    word = network(setup="manager", flit_bits=32).layout.sync.pack({"kind": kind, "gid": GID})
    return {"match": 1 << port, f"message_{port}": word}


KILL = {"write": WRITE_COMMAND, "write_data": Command.KILL}
QUIET = {"write": 0, "match": 0}


@pytest.mark.parametrize("hop", [1, 2])
def test_what_comes_when_it_has_died_is_stray(hop: int) -> None:
    """Killed in cycle 0, its messages sent in 1, free from 3 on."""
    reduce = message(1, Kind.REDUCE)
    cases = [KILL, {**QUIET, "send__sent": 0b110}, {"send__sent": 0, **reduce}]
    # With two cycles a hop a message that was matched in 2 is there in 3.
    cases += [{**reduce} if hop == 2 else {**QUIET}, {**QUIET}, {}]
    seen = play(cases, cycles_per_hop=hop)
    assert [cycle["open"] for cycle in seen] == [1, 1, 1, 0, 0, 0]
    assert [cycle["used"] for cycle in seen] == [0] * 6
    assert [cycle["observe"] & ARRIVED for cycle in seen] == [0] * 6


def test_what_comes_too_late_keeps_nobody_from_writing_it() -> None:
    cases = [KILL, {**QUIET, "send__sent": 0b110}, {"send__sent": 0}]
    cases += [{**message(1, Kind.REDUCE), "write": WRITE_CONTROL, "write_data": ALIVE}, {**QUIET}]
    seen = play(cases, cycles_per_hop=2)
    assert [cycle["write_refused"] for cycle in seen] == [0] * 5
    assert [cycle["open"] for cycle in seen] == [1, 1, 1, 0, 1]


@pytest.mark.parametrize(
    ("comes", "to"),
    [
        ({}, 0b111),
        (message(0, Kind.BROKEN), 0b110),
        (message(1, Kind.BROKEN), 0b111),
    ],
)
def test_a_kill_goes_to_the_root_node_unless_broken_has_come_in_its_cycle(
    comes: Mapping[str, int], to: int
) -> None:
    cases = [{**KILL, **comes}, {**QUIET}]
    seen = play(cases, turnaround="node")
    assert seen[1]["send__children"] == to
    assert seen[1]["send__wave"] == Kind.BROKEN
