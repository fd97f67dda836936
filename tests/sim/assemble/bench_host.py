"""A whole network behind AXI4-Lite, cocotbext-axi being the client."""

import os
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp

from syncfabric.models.messages.host import GlobalWord, NodeWord, config_word, node_word_address
from tests.sim.assemble.host_software import Software, Watch


async def start(dut: Any) -> Software:
    """Reset, and give software a master."""
    Clock(dut.clk, 10, unit="ns").start()
    master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axi"), dut.clk, dut.rst)
    for name in ("inject_valid", "inject_flit", "eject_credit"):
        if hasattr(dut, name):
            getattr(dut, name).value = 0
    dut.rst.value = 1
    await ClockCycles(dut.clk, 3)
    dut.rst.value = 0
    await ClockCycles(dut.clk, 1)

    async def read(address: int) -> int | None:
        answer = await master.read(4 * address, 4)
        value = int.from_bytes(answer.data, "little")
        return value if answer.resp is AxiResp.OKAY else None

    async def write(address: int, value: int) -> bool:
        answer = await master.write(4 * address, value.to_bytes(4, "little"))
        return answer.resp is AxiResp.OKAY

    return Software(os.environ["HOST_NETWORK"], read, write)


@cocotb.test()
async def barriers_run_and_are_measured(dut: Any) -> None:
    """Members arrive one by one, each last once, and all at once; the meter counts each."""
    software = await start(dut)
    nodes, place = software.nodes, software.endpoints[software.nodes[0]]
    ready = node_word_address(nodes[0], NodeWord.READY)
    assert await software.read(ready) == 0
    assert await software.is_refused(node_word_address(nodes[0], NodeWord.ARRIVE), 1 << place)
    await software.set_up()
    await ClockCycles(dut.clk, 100)  # GO is in flight where it is sent
    assert (await software.read(ready) or 0) >> place & 1
    watch = Watch(dut, software.mask)
    cocotb.start_soon(watch.run())

    for last in nodes[-4:]:
        waits = cocotb.start_soon(software.wait(nodes[0]))
        for node in [*(n for n in nodes if n != last), last]:
            assert not waits.done() or node == nodes[0]
            await software.arrive(node, 1 << node % (software.bits or 1))
            if waits.done():
                waits = cocotb.start_soon(software.wait(nodes[0]))
        expected = 0
        for node in nodes:
            expected |= 1 << node % software.bits if software.bits else 0
        assert await waits == expected
        assert [await software.wait(node) for node in nodes] == [expected] * len(nodes)
        assert [await software.result(node) for node in nodes] == [expected] * len(nodes)
    assert await software.meter() == watch.words
    assert watch.meter.episodes == 4

    bound = software.plan.groups[0].bound
    for _ in range(3):
        await software.write(GlobalWord.ARRIVE_ALL, 0)
        assert [await software.wait(node) is None for node in nodes] == [False] * len(nodes)
    assert await software.meter() == watch.words
    assert (watch.meter.episodes, watch.meter.histogram[0]) == (7, 3)
    assert 0 < watch.meter.least <= watch.meter.greatest
    assert bound is None or watch.meter.greatest <= bound
    await software.write(GlobalWord.CLEAR_ALL, 0)
    assert await software.meter() == [0, 0, 0xFFFFFFFF, 0] + [0] * 8


@cocotb.test()
async def what_is_refused_changes_nothing(dut: Any) -> None:
    """Config requests that the network refuses, targets that are none, a WAIT that takes long."""
    software = await start(dut)
    await software.set_up()
    assert await software.is_refused(GlobalWord.CONFIG_NODE, 1 << 20)
    assert await software.is_refused(config_word(0xFFF), 1)
    assert await software.is_refused(config_word(0xFFF))
    assert await software.is_refused(GlobalWord.ID, 1)
    await software.write(GlobalWord.WAIT_LIMIT, 100)
    first, *others = software.nodes
    await software.arrive(first, 0)
    assert await software.wait(first) is None
    for node in others:
        await software.arrive(node, 0)
    assert await software.wait(first) == 0


@cocotb.test()
async def the_interrupt_says_who_is_done(dut: Any) -> None:
    software = await start(dut)
    await software.set_up()
    node = software.nodes[-1]
    enable = node_word_address(node, NodeWord.IRQ_ENABLE)
    await software.write(enable, 1 << software.endpoints[node])
    for member in software.nodes:
        assert dut.irq.value == 0
        await software.arrive(member, 0)
    await software.wait(software.nodes[0])
    await software.wait(node)
    await ClockCycles(dut.clk, 3)
    assert dut.irq.value == 1
    assert await software.read(GlobalWord.IRQ_STATUS) == 1 | node << 1
    await software.write(enable, 0)
    await ClockCycles(dut.clk, 3)
    assert dut.irq.value == 0
    assert await software.read(GlobalWord.IRQ_STATUS) == 0
