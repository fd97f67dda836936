"""A SETUP waits while words of the last group's stream are there; other commands do not."""

import pytest

from syncfabric.models.layout.engine import COMMIT, Code, EngineLayout
from syncfabric.models.layout.slots import SlotLayout
from syncfabric.models.layout.words import EngineWord
from syncfabric.rtl.slots.plane import SlotPlane
from tests.rtl.support import clocked

LAYOUT = SlotLayout(EngineLayout(4, True, 4, 3, "bitwise"), 3, True)
WAITED = 7
"""Cycles in which words are there."""


def answered(code: Code, slot: int, waits: int) -> int:
    """Return the cycle in which a command is answered; ``waits`` are high up to ``WAITED``."""
    commit = COMMIT.pack({"code": code, "epoch": 0, "entry": LAYOUT.first + slot})
    ask = {"config__valid": 1, "config__write": 1, "config__address": EngineWord.COMMIT}
    cases = [
        {**ask, "config__data": commit, "waits": waits if cycle < WAITED else 0}
        for cycle in range(3 * WAITED)
    ]
    seen = clocked(SlotPlane(LAYOUT, 0, reports=False, streams=2), cases)
    return next(cycle for cycle, row in enumerate(seen) if row["config__ready"])


@pytest.mark.parametrize("slot", [0, 1])
def test_setup_of_a_slot_with_a_stream_waits(slot: int) -> None:
    at_once = answered(Code.SETUP, slot, 0)
    assert answered(Code.SETUP, slot, 1 << slot) == at_once + WAITED
    assert answered(Code.SETUP, slot, 3 & ~(1 << slot)) == at_once


@pytest.mark.parametrize("code", [Code.GO, Code.READ, Code.KILL])
def test_other_commands_do_not(code: Code) -> None:
    assert answered(code, 0, 3) == answered(code, 0, 0)
    assert answered(Code.SETUP, 2, 3) == answered(Code.SETUP, 2, 0)
