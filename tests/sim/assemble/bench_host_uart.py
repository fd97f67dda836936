"""A whole network behind a console, its lines driven bit by bit."""

import os
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles

from syncfabric.models.messages.host import GlobalWord
from tests.rtl.host.line import Line
from tests.sim.assemble.host_software import Software, Watch

CYCLES = 4


@cocotb.test()
async def a_barrier_runs_from_the_console(dut: Any) -> None:
    """Set up, started, measured, all in lines of text."""
    Clock(dut.clk, 10, unit="ns").start()
    line = Line(dut.rx, dut.tx, CYCLES)
    for name in ("inject_valid", "inject_flit", "eject_credit"):
        getattr(dut, name).value = 0
    dut.rx.value = dut.rst.value = 1
    await ClockCycles(dut.clk, 3)
    dut.rst.value = 0
    cocotb.start_soon(line.listen())

    async def ask(text: str) -> str:
        await line.send(f"{text}\n".encode())
        (answer,) = await line.lines(1)
        return answer

    async def read(address: int) -> int | None:
        answer = await ask(f"r {address:x}")
        return None if answer == "error refused" else int(answer.removeprefix("= "), 16)

    async def write(address: int, value: int) -> bool:
        return await ask(f"w {address:x} {value:x}") == "ok"

    software = Software(os.environ["HOST_NETWORK"], read, write)
    await software.set_up()
    watch = Watch(dut, software.mask)
    cocotb.start_soon(watch.run())
    for node in software.nodes:
        await software.arrive(node, 1 << node)
    assert await software.wait(0) == 15
    await software.write(GlobalWord.ARRIVE_ALL, 0)
    assert await software.wait(3) == 15
    assert await software.meter() == watch.words
    assert watch.meter.episodes == 2
    assert await software.is_refused(GlobalWord.ID, 1)
