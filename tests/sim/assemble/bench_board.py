"""A board's top from its pins: traffic switched on and off by the console, counts and lights."""

import os
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles

from syncfabric.models.messages.host import (
    SHAPE,
    TRAFFIC_CONTROL,
    GlobalWord,
    TrafficWord,
    traffic_word,
)
from syncfabric.models.traffic import rate_word
from tests.rtl.host.line import Line
from tests.sim.assemble.host_software import Software

CYCLES = 4
NODES = 4
STARTED, SENDS, LOST, WRONG = (1 << light for light in (1, 5, 6, 7))


async def start(dut: Any) -> Software:
    """Reset, and give software the console."""
    Clock(dut.clk, 10, unit="ns").start()
    line = Line(dut.rx, dut.tx, CYCLES)
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


async def counts(software: Software) -> dict[TrafficWord, int]:
    """Return what the console says of the traffic."""
    words = (word for word in TrafficWord if word >= TrafficWord.CREATED)
    return {word: await software.read(traffic_word(word)) or 0 for word in words}


def wires(dut: Any) -> dict[TrafficWord, int]:
    """Return the sums of the nodes' own counters."""
    words = (TrafficWord.CREATED, TrafficWord.LOST, TrafficWord.RECEIVED, TrafficWord.WRONG)
    return {
        word: sum(int(getattr(dut, f"{word.name.lower()}_{i}").value) for i in range(NODES))
        for word in words
    }


@cocotb.test()
async def traffic_runs_while_it_is_on(dut: Any) -> None:
    """Counts are those of the nodes; a barrier among them; loading clears them."""
    software = await start(dut)
    shape = SHAPE.unpack(await software.read(GlobalWord.SHAPE) or 0)
    assert shape["traffic"] == 1
    assert not any((await counts(software)).values())
    control = traffic_word(TrafficWord.CONTROL)
    await software.write(traffic_word(TrafficWord.RATE), rate_word(0.05))
    await software.write(traffic_word(TrafficWord.SEED), 7)
    on = TRAFFIC_CONTROL.pack({"enable": 1, "load": 1})
    await software.write(control, on)
    assert await software.read(control) == 1
    assert int(dut.leds.value) & SENDS
    await software.set_up()
    for node in software.nodes:
        await software.arrive(node, 1 << node)
    assert await software.wait(0) == 15
    assert int(dut.leds.value) & STARTED
    await software.write(control, 0)
    await ClockCycles(dut.clk, 300)
    seen = await counts(software)
    latency = seen.pop(TrafficWord.LATENCY)
    assert seen == wires(dut)
    assert seen[TrafficWord.CREATED] > 200
    assert seen[TrafficWord.WRONG] == seen[TrafficWord.LOST] == 0
    assert seen[TrafficWord.RECEIVED] == seen[TrafficWord.CREATED]
    assert 5 < latency < 200
    assert not int(dut.leds.value) & (SENDS | LOST | WRONG)
    await software.write(control, TRAFFIC_CONTROL.pack({"enable": 0, "load": 1}))
    assert not any((await counts(software)).values())
    for word in (TrafficWord.CREATED, TrafficWord.LATENCY, 8):
        assert await software.is_refused(traffic_word(word), 1)


@cocotb.test()
async def what_a_source_has_no_room_for_is_counted(dut: Any) -> None:
    """At full rate its queue runs over; all the others arrive."""
    software = await start(dut)
    await software.write(traffic_word(TrafficWord.RATE), 0xFFFFFF)
    control = traffic_word(TrafficWord.CONTROL)
    await software.write(control, TRAFFIC_CONTROL.pack({"enable": 1, "load": 1}))
    await ClockCycles(dut.clk, 2000)
    await software.write(control, 0)
    await ClockCycles(dut.clk, 2000)
    seen = await counts(software)
    seen.pop(TrafficWord.LATENCY)
    assert seen == wires(dut)
    assert seen[TrafficWord.LOST] > 1000
    assert seen[TrafficWord.RECEIVED] == seen[TrafficWord.CREATED] - seen[TrafficWord.LOST]
    assert int(dut.leds.value) & LOST
    assert not int(dut.leds.value) & WRONG
