"""What software does with a host, whatever the front: set up, arrive, wait, measure."""

import os
from collections.abc import Awaitable, Callable
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge

from syncfabric import Network
from syncfabric.models.messages.host import (
    BINS,
    DATA_BASE,
    HISTOGRAM_BASE,
    HOST_ID,
    MASK_BASE,
    RESULT_BASE,
    SHAPE,
    WAIT_BASE,
    GlobalWord,
    MeterWord,
    NodeWord,
    config_word,
    meter_word,
    node_word_address,
)
from syncfabric.models.planning.set_up_writes import set_up_writes
from tests.rtl.host.line import Line
from tests.rtl.host.meter_model import Meter

BIT_CYCLES = 4
"""Of a bit of the console."""

Read = Callable[[int], Awaitable[int | None]]
Write = Callable[[int, int], Awaitable[bool]]


class Watch:
    """What a meter should count, from the wires between network and host."""

    def __init__(self, dut: Any, mask: int) -> None:
        self._dut, self.mask, self.meter = dut, mask, Meter()

    async def run(self) -> None:
        """Look at every cycle."""
        wires = [getattr(self._dut, f"net_{name}") for name in ("arrive", "ready", "released")]
        while True:
            await FallingEdge(self._dut.clk)
            self.meter.step(self.mask, *(int(wire.value) for wire in wires))

    @property
    def words(self) -> list[int]:
        """The words that the hardware should show."""
        meter = self.meter
        return [meter.episodes, meter.last, meter.least, meter.greatest, *meter.histogram]


class Software:
    """A program on one side of a front.

    Parameters
    ----------
    name : str
        Of a ready-made network, or a file; its first group is what this is about.
    read, write : coroutines
        Of words by address; None, or False, if it is refused.
    """

    def __init__(self, name: str, read: Read, write: Write) -> None:
        self.plan = Network.load(name).plan()
        self.read, self._write = read, write
        network = self.plan.spec.network
        places = self.plan.groups[0].places.items()
        self.endpoints = {network.topology.index(node): register or 0 for node, register in places}
        self.nodes = list(self.endpoints)
        self.registers = network.port_registers
        self.bits = network.data_bits
        self.mask = sum(1 << n * self.registers + r for n, r in self.endpoints.items())

    async def write(self, address: int, value: int) -> None:
        """Write a word that is not refused."""
        assert await self._write(address, value), hex(address)

    async def is_refused(self, address: int, value: int | None = None) -> bool:
        """Return whether a read or a write is refused."""
        if value is None:
            return await self.read(address) is None
        return not await self._write(address, value)

    async def set_up(self) -> None:
        """Find out what this is, and write all registers."""
        network = self.plan.spec.network
        assert await self.read(GlobalWord.ID) == HOST_ID
        assert await self.read(GlobalWord.NODES) == len(network.topology.nodes)
        shape = SHAPE.unpack(await self.read(GlobalWord.SHAPE) or 0)
        assert (shape["registers"], shape["data_bits"]) == (self.registers, self.bits)
        at = None
        for one in set_up_writes(self.plan):
            if one.target != at:
                await self.write(GlobalWord.CONFIG_NODE, one.target)
                at = one.target
            await self.write(config_word(one.address), one.value)
            if one.until is not None:
                address, mask, value = one.until
                while ((await self.read(config_word(address)) or 0) & mask) != value:
                    pass
        for k in range((self.mask.bit_length() + 31) // 32):
            await self.write(meter_word(0, MASK_BASE + k), self.mask >> 32 * k & 0xFFFFFFFF)
        await self.write(GlobalWord.WAIT_LIMIT, 20_000)

    async def arrive(self, node: int, data: int) -> None:
        """Let a node arrive."""
        if self.bits:
            await self.write(node_word_address(node, DATA_BASE + self.endpoints[node]), data)
        await self.write(node_word_address(node, NodeWord.ARRIVE), 1 << self.endpoints[node])

    async def wait(self, node: int) -> int | None:
        """Wait for a node's release, and return its result."""
        return await self.read(node_word_address(node, WAIT_BASE + self.endpoints[node]))

    async def result(self, node: int) -> int | None:
        """Return a node's result."""
        return await self.read(node_word_address(node, RESULT_BASE + self.endpoints[node]))

    async def meter(self) -> list[int | None]:
        """Return all counts of meter 0."""
        words = [*range(MeterWord.GREATEST + 1)]
        words += range(HISTOGRAM_BASE, HISTOGRAM_BASE + BINS)
        return [await self.read(meter_word(0, word)) for word in words]


async def console(dut: Any) -> Software:
    """Reset, and give software the console, whose lines are driven bit by bit."""
    Clock(dut.clk, 10, unit="ns").start()
    line = Line(dut.rx, dut.tx, BIT_CYCLES)
    for name in ("inject_valid", "inject_flit", "eject_credit"):
        if hasattr(dut, name):
            getattr(dut, name).value = 0
    dut.rx.value = dut.rst.value = 1
    await ClockCycles(dut.clk, 3)
    dut.rst.value = 0
    cocotb.start_soon(line.listen())
    await line.wait(20)

    async def ask(text: str) -> str:
        await line.send(f"{text}\n".encode())
        (answer,) = await line.lines(1)
        return answer

    async def read(address: int) -> int | None:
        answer = await ask(f"r {address:x}")
        return None if answer == "error refused" else int(answer.removeprefix("= "), 16)

    async def write(address: int, value: int) -> bool:
        return await ask(f"w {address:x} {value:x}") == "ok"

    return Software(os.environ["HOST_NETWORK"], read, write)
