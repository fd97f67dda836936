"""Blocks between registers."""

import re
from typing import Any

import pytest
from amaranth import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.fpga.blocks import BLOCKS
from syncfabric.fpga.designs import Registered, block_design
from syncfabric.fpga.devices import device_named
from syncfabric.fpga.netlist import _mapped
from tests.nightly import nightly_but
from tests.rtl.support import simulate

LARGE = {"manager-node", "torus-node"}
VARIANTS = {name for name in BLOCKS if name.rpartition("-")[0] in BLOCKS}
"""Blocks of which there is a plainer one, as ``router-engine-two`` of ``router-engine``."""


class Adder(wiring.Component):
    def __init__(self) -> None:
        pair = wiring.Signature({"one": Out(4), "two": Out(4), "sum": In(5)})
        super().__init__({"pair": In(pair), "seen": Out(9)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.comb += self.pair.sum.eq(self.pair.one + self.pair.two)
        return m


def test_every_port_gets_a_register_but_those_left_open() -> None:
    harness = Registered(Adder(), open=frozenset({"seen"}))
    assert harness.bits == 4 + 4 + 5
    assert "seen" not in harness.signature.members
    sums = []

    async def drive(context: Any) -> None:
        for one in range(5):
            context.set(harness.pair.one, one)
            context.set(harness.pair.two, 10)
            sums.append(context.get(harness.pair.sum))
            await context.tick()

    simulate(harness, drive)
    assert sums[2:] == [10, 11, 12]


@pytest.mark.parametrize("name", nightly_but(BLOCKS.keys() - VARIANTS - LARGE, BLOCKS))
def test_every_block_is_emitted(name: str) -> None:
    design = block_design(name)
    assert f"module {design.top} (" in design.verilog
    assert design.around > 10


def test_a_macro_is_the_block_without_its_registers() -> None:
    design = block_design("engine-4", macro=True)
    assert re.search(rf"^  {design.macro} block \($", design.verilog, re.MULTILINE)
    commands = _mapped(design, device_named("ecp5-45k"))
    assert commands[0] == f"setattr -mod -set keep_hierarchy 1 {design.macro}"
    assert commands.index("flatten") > [c.endswith("map_cells") for c in commands].index(True)
