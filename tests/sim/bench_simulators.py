"""A counter's ports, read and written under a simulator."""

import os
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

STEP = int(os.environ.get("STEP", "1"))


@cocotb.test()
async def counts_by_step(dut: Any) -> None:
    """The counter goes up by ``step`` in every cycle in which ``en`` is high."""
    Clock(dut.clk, 10, unit="ns").start()
    dut.en.value = 0
    dut.rst.value = 1
    await FallingEdge(dut.clk)
    await FallingEdge(dut.clk)
    dut.rst.value = 0
    dut.step.value = STEP
    expected = 0
    for cycle in range(50):
        dut.en.value = enable = cycle % 3 != 0
        expected = (expected + STEP * enable) % 2**80
        await FallingEdge(dut.clk)
        assert int(dut.count.value) == expected, f"cycle {cycle}"


@cocotb.test()
async def wrong_on_purpose(dut: Any) -> None:
    """Fails where the caller asks for it."""
    assert "FAIL" not in os.environ, "asked to fail"
