"""Barriers on the network of mine.toml, driven by cocotb from the emitted files alone."""

import json
import os
import random
from functools import reduce
from operator import or_, xor
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge

BUILD = Path(os.environ["BUILD"])
GROUPS = json.loads((BUILD / "mine_plan.json").read_text())["groups"]
WIDTH, DATA_BITS, REGISTERS = 4, 8, 2  # as in mine.toml
OPERATIONS = {"or": or_, "xor": xor}
BARRIERS, LATEST = 20, 30


async def reset(dut):
    """Start the clock, hold every input at 0, and reset."""
    Clock(dut.clk, 10, unit="ns").start()
    for port in (dut.arrive, dut.data, dut.last, dut.config_valid):
        port.value = 0
    dut.rst.value = 1
    for _ in range(4):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    await RisingEdge(dut.clk)


async def access(dut, write, target, address, value):
    """Make one request on the config port; return the word of its answer."""
    dut.config_valid.value = 1
    dut.config_write.value = write
    dut.config_node.value = target
    dut.config_address.value = address
    dut.config_data.value = value
    await RisingEdge(dut.clk)
    dut.config_valid.value = 0
    await ReadOnly()
    while not dut.config_ready.value:
        await RisingEdge(dut.clk)
        await ReadOnly()
    assert not dut.config_error.value, f"target {target}, address {address}: refused"
    word = int(dut.config_rdata.value)
    await RisingEdge(dut.clk)
    return word


async def set_up(dut):
    """Write mine_setup.hex: KIND (4 bits) TARGET (24) ADDRESS (12) VALUE (32) an entry."""
    for line in (BUILD / "mine_setup.hex").read_text().splitlines():
        if line.startswith("//"):
            continue
        kind, target, address, value = (int(field, 16) for field in line.split("_"))
        word = await access(dut, kind == 0, target, address, value)
        while kind == 1 and word & value >> 16 != value & 0xFFFF:
            word = await access(dut, 0, target, address, value)


class Group:
    """One group, and what its members do in the barrier that is under way.

    A member is a bit of the ports ``arrive`` and ``released``.
    """

    def __init__(self, plan, rng):
        self.id, self.bound, self.combine = plan["id"], plan["bound"], OPERATIONS[plan["op"]]
        self.bits = [
            (y * WIDTH + x) * REGISTERS + register
            for (x, y), register in zip(plan["members"], plan["registers"], strict=True)
        ]
        self.rng, self.done, self.slowest = rng, 0, 0
        self.begin(0)

    def begin(self, cycle):
        """Draw when each member arrives, and with what data."""
        self.when = {bit: cycle + 1 + self.rng.randrange(LATEST) for bit in self.bits}
        self.data = {bit: self.rng.getrandbits(DATA_BITS) for bit in self.bits}
        self.waiting = set(self.bits)

    def check(self, cycle, bit, result):
        """Check one release."""
        last = max(self.when.values())
        assert bit in self.waiting, f"cycle {cycle}: bit {bit} is released twice"
        assert cycle > last, f"cycle {cycle}: bit {bit} is released before the last arrival"
        assert cycle - last <= self.bound, f"cycle {cycle}: bit {bit} is released late"
        assert result == reduce(self.combine, self.data.values())
        self.waiting.remove(bit)
        if not self.waiting:
            self.slowest = max(self.slowest, cycle - last)
            self.done += 1
            self.begin(cycle)


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def no_member_passes_early(dut):
    """Both groups do barriers, and members arrive at random times."""
    await reset(dut)
    await set_up(dut)
    rng = random.Random(1)
    groups = [Group(plan, rng) for plan in GROUPS]
    data, cycle = 0, 0
    while any(group.done < BARRIERS for group in groups):
        arrive = 0
        for group in groups:
            for bit, when in group.when.items():
                if when == cycle:
                    arrive |= 1 << bit
                    mask = (1 << DATA_BITS) - 1 << bit * DATA_BITS
                    data = data & ~mask | group.data[bit] << bit * DATA_BITS
        dut.arrive.value, dut.data.value = arrive, data
        await ReadOnly()
        released, result = int(dut.released.value), dut.result.value
        for group in groups:
            for bit in group.bits:
                if released >> bit & 1:
                    low = bit * DATA_BITS
                    group.check(cycle, bit, int(result) >> low & (1 << DATA_BITS) - 1)
        await RisingEdge(dut.clk)
        cycle += 1
    for group in groups:
        dut._log.info(
            f"group {group.id}: {group.done} barriers, at most {group.slowest} cycles "
            f"from the last arrival to the last release; bound {group.bound}"
        )
