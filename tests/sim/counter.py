"""A design small enough to build in seconds, with a port wider than a word."""

from pathlib import Path

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.sim.assemble.verilog import convert
from syncfabric.sim.simulators.base import Design


class Counter(wiring.Component):
    """Adds ``step`` to ``count`` in every cycle in which ``en`` is high."""

    def __init__(self) -> None:
        super().__init__({"en": In(1), "step": In(40), "count": Out(80)})

    def elaborate(self, platform: object) -> Module:
        """Build the adder."""
        m = Module()
        with m.If(self.en):
            m.d.sync += self.count.eq(self.count + self.step)
        return m


def counter_design(folder: Path) -> Design:
    """Emit the counter into a folder, as a top named ``bench``."""
    source = folder / "counter.v"
    source.write_text(convert(Counter(), "bench"))
    return Design("bench", [source])
