"""A whole network behind a console, its lines driven bit by bit."""

from typing import Any

import cocotb

from syncfabric.models.messages.host import GlobalWord
from tests.sim.assemble.host_software import Watch, console


@cocotb.test()
async def a_barrier_runs_from_the_console(dut: Any) -> None:
    """Set up, started, measured, all in lines of text."""
    software = await console(dut)
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
