"""A board's top from its pins: traffic switched on and off by the console, counts and lights."""

from typing import Any

import cocotb
from cocotb.triggers import ClockCycles

from syncfabric.models.messages.host import (
    SHAPE,
    TRAFFIC_CONTROL,
    GlobalWord,
    TrafficWord,
    traffic_word,
)
from syncfabric.models.traffic import rate_word
from tests.sim.assemble.host_software import Software, console

NODES = 4
STARTED, SENDS, LOST, WRONG = (1 << light for light in (1, 5, 6, 7))


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
    software = await console(dut)
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
    software = await console(dut)
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
