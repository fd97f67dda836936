# amaranth: UnusedElaboratable=no
"""Registers on links: every wire of every kind of link is delayed, both ways, by their number."""

import random
from typing import Any

import pytest
from amaranth import ClockDomain, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import Out
from amaranth.sim import Simulator

from syncfabric.models.layout.engine import EngineLayout
from syncfabric.rtl.engine.ports import MessageSignature
from syncfabric.rtl.router.link import FlitSignature
from syncfabric.rtl.transport.link import LinkRegisters

LINKS: dict[str, wiring.Signature] = {
    "packets": FlitSignature(2, 16, cut=True),
    "shared": FlitSignature(1, 16, message_bits=40),
    "messages": MessageSignature(EngineLayout(4, True, 16, 8, "bitwise")),
}
LINKS["both"] = wiring.Signature({n: Out(LINKS[n]) for n in ("packets", "messages")})


@pytest.mark.parametrize("registers", [0, 1, 3])
@pytest.mark.parametrize("kind", LINKS)
def test_every_wire_is_delayed(kind: str, registers: int) -> None:
    signature = LINKS[kind]
    part, rng = LinkRegisters(signature, registers), random.Random(registers)
    wires = []
    ends = zip(signature.flatten(part.near), signature.flatten(part.far), strict=True)
    for (_, member, near), (_, _, far) in ends:
        pair = (near, far) if member.flow == Out else (far, near)
        wires.append([getattr(wire, "as_value", lambda w=wire: w)() for wire in pair])
    driven: list[list[int]] = []

    async def bench(ctx: Any) -> None:
        for cycle in range(20):
            driven.append([rng.getrandbits(len(source)) for source, _ in wires])
            for (source, _), word in zip(wires, driven[-1], strict=True):
                ctx.set(source, word)
            seen = [ctx.get(sink) for _, sink in wires]
            if cycle >= registers:
                assert seen == driven[cycle - registers]
            await ctx.tick()

    whole = Module()
    whole.domains.sync = ClockDomain()
    whole.submodules.part = part
    simulator = Simulator(whole)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


@pytest.mark.parametrize("registers", [-1, 4])
def test_other_numbers_are_refused(registers: int) -> None:
    with pytest.raises(
        ValueError, match=rf"^LinkRegisters needs 0 to 3 registers, not {registers}$"
    ):
        LinkRegisters(LINKS["packets"], registers)
