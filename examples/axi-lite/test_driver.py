"""The driver in C on the AXI4-Lite port: each access is a transfer on the simulated bus."""

import ctypes
import logging
import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.task import bridge, resume
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp

MEMBERS, ROUNDS = 4, 5
DRIVER = ctypes.CDLL(os.environ["DRIVER"])
Read = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_uint32)
Write = ctypes.CFUNCTYPE(None, ctypes.c_uint32, ctypes.c_uint32)


@bridge
def driver(function, *arguments):
    """Call a function of the driver in a thread of its own, which waits while the bus works."""
    return getattr(DRIVER, function)(*arguments)


def connect(dut, axi, refused):
    """Give the driver functions that access the bus; return them, for Python must keep them."""
    rng = random.Random(1)

    async def read(word):
        await ClockCycles(dut.clk, rng.randrange(1, 20))
        answer = await axi.read(4 * word, 4)
        if answer.resp != AxiResp.OKAY:
            refused.append(word)
        return int.from_bytes(answer.data, "little")

    async def write(word, value):
        await ClockCycles(dut.clk, rng.randrange(1, 20))
        answer = await axi.write(4 * word, value.to_bytes(4, "little"))
        if answer.resp != AxiResp.OKAY:
            refused.append(word)

    functions = Read(resume(read)), Write(resume(write))
    for name, function in zip(("bus_read", "bus_write"), functions, strict=True):
        pointer = ctypes.c_void_p.in_dll(DRIVER, name)
        pointer.value = ctypes.cast(function, ctypes.c_void_p).value
    return functions


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def the_driver_does_barriers(dut):
    """One processor sets up the group; then four do barriers, a thread each."""
    Clock(dut.clk, 10, unit="ns").start()
    logging.getLogger(f"cocotb.{dut._name}.s_axi").setLevel(logging.ERROR)  # not every transfer
    axi = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axi"), dut.clk, dut.rst)
    dut.rst.value = 1
    await ClockCycles(dut.clk, 4)
    dut.rst.value = 0
    refused = []
    functions = connect(dut, axi, refused)

    assert await driver("set_up") == 0
    tasks = [cocotb.start_soon(driver("work", member, ROUNDS)) for member in range(MEMBERS)]
    for member, task in enumerate(tasks):
        assert await task == 0, f"member {member}"
    assert await driver("barriers") == ROUNDS
    slowest = await driver("slowest")
    assert not refused, f"words {refused} are refused"
    dut._log.info(f"{ROUNDS} barriers, at most {slowest} cycles by the network's own meter")
    del functions
