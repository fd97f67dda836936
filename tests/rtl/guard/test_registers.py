# amaranth: UnusedElaboratable=no
"""A register that has tripped: what it shows, what it refuses, and the way back."""

import pytest

from syncfabric.models.messages import (
    ARRIVED,
    CONTROL,
    NODE_WORD,
    STATUS,
    TREE,
    RegisterWord,
    SwitchWord,
    tripped_at,
)
from syncfabric.rtl.barrier.register import BarrierRegister
from syncfabric.rtl.irregular.register import TreeRegister
from tests.rtl.support import clocked
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.networks import irregular, mesh

Row = dict[str, int]

CHILD = NODE_WORD.pack({"x": 2, "y": 1, "present": 1})
EMPTY = dict.fromkeys((field.name for field in CONTROL.fields), 0)
VALID = CONTROL.pack({**EMPTY, "valid": 1, "root": 1, "gid": 7})


def play(part: BarrierRegister | TreeRegister, first: Row) -> list[Row]:
    """Set a root up that waits for a child; arrive, tick twice, arrive, write, arrive."""
    quiet = {"write": 0, "arrive": 0, "tick": 0, "started": 1}
    steps: list[Row] = [
        first,
        {"write": 1, "write_data": VALID},
        {},
        {"arrive": 1, "data": 5},
        {"tick": 1},
        {"write": 1, "write_data": VALID},  # busy: refused
        {"tick": 1},  # cycle 6: it trips
        {"arrive": 1},
        {"tick": 1},
        {"write": 1, "write_data": VALID},
        {},
        {"arrive": 1, "data": 2},
        {},
    ]
    return clocked(part, [quiet | step for step in steps])


@pytest.mark.parametrize("operations", ["bitwise", "all"])
@pytest.mark.parametrize("kind", ["mesh", "node"])
def test_a_register_that_trips(kind: str, operations: str) -> None:
    if kind == "mesh":
        part: BarrierRegister | TreeRegister = BarrierRegister(
            mesh(3, 3, watchdog=9, operations=operations)
        )
        first = {"write": 1 << RegisterWord.EAST, "write_data": CHILD}
        mark = 1 << tripped_at(STATUS, managed=False)
        state = "contents"
    else:
        part = TreeRegister(irregular(SMALL, watchdog=9, operations=operations), node=True)
        tree = TREE.pack({"parent": 0, "children": 3})
        first = {"write": 1 << SwitchWord.TREE, "write_data": tree, "word": SwitchWord.ARRIVED}
        mark = 1 << tripped_at(ARRIVED, managed=False)
        state = "read_data"
    seen = play(part, first)
    trips = [cycle for cycle, each in enumerate(seen) if each["trips"]]
    assert trips == [6]
    assert [cycle for cycle, each in enumerate(seen) if each["released"]] == [7]
    assert (seen[5]["write_refused"], seen[9]["write_refused"]) == (1, 0)
    assert (seen[7]["done"], seen[7]["broken"], seen[7]["ready"], seen[7]["refused"]) == (
        1,
        1,
        0,
        1,
    )
    assert [bool(each[state] & mark) for each in seen] == [7 <= c <= 9 for c in range(len(seen))]
    assert seen[9][state] & (mark - 1)  # who had arrived
    assert (seen[10][state], seen[10]["done"], seen[10]["broken"]) == (0, 0, 0)
    assert (seen[10]["ready"], seen[11]["refused"]) == (1, 0)
    assert seen[12][state] & (mark - 1)
