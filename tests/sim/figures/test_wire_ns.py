"""Nanoseconds: clocks are stand-ins, cycles the golden model's."""

from functools import partial
from typing import Any

import pytest

from syncfabric.fpga.blocks import BLOCKS
from syncfabric.sim.drive.run import run
from syncfabric.sim.figures import latency, wire_ns

CLOCKS = {"mesh-router": 80.0, "mesh-router-wires": 100.0, "mesh-router-plain": 120.0}


@pytest.fixture(autouse=True)
def _stand_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(latency, "run", partial(run, sim="model"))

    def synthesized(block: str) -> dict[str, Any]:
        clock = CLOCKS[block]
        return {
            "lut4": 1500,
            "ff": 300,
            "fmax_mhz": {"min": clock - 1, "median": clock, "max": clock + 1},
        }

    monkeypatch.setattr(wire_ns, "synthesized", synthesized)


def test_blocks_are_there() -> None:
    assert CLOCKS.keys() <= BLOCKS.keys()


def test_cycles_over_clock() -> None:
    rows = list(wire_ns.wire_ns())
    assert [(row.figure, row.measured) for row in rows[3:]] == [
        ("all of 8x8, btm, 30 cycles at 80 MHz", "375 ns"),
        ("all of 8x8, shortest, 24 cycles at 80 MHz", "300 ns"),
        ("all of 8x8, wires, 18 cycles at 100 MHz", "180 ns"),
        ("wires over messages by shortest", "60%"),
    ]
    assert rows[0].measured == "1,500, 300, 119 / 120 / 121"
    assert rows[-1].met


def test_too_slow_a_clock_is_a_miss(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CLOCKS, "mesh-router-wires", 99.0)
    *_, last = wire_ns.wire_ns()
    assert last.met is False
