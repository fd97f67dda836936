"""Registers on a link between two routers, so that it can be longer than a cycle."""

from amaranth import Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["LinkRegisters"]


class LinkRegisters(wiring.Component):
    """Delays every wire of a link, in both directions, by the same number of cycles.

    There is no reset: a reset of both ends lasts until nothing old is left on the wires.
    Rules: docs/microarchitecture-engine.md, L1 (5), Node (2).

    Parameters
    ----------
    signature : Signature
        The link, of whatever kind.
    registers : int, 0 to 3

    Members
    -------
    near : In(signature)
        The end that sends.
    far : Out(signature)
        The end that receives.
    """

    def __init__(self, signature: wiring.Signature, registers: int) -> None:
        if not 0 <= registers <= 3:
            raise ValueError(f"LinkRegisters needs 0 to 3 registers, not {registers!r}")
        self._link = signature
        self._registers = registers
        super().__init__({"near": In(signature), "far": Out(signature)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        near, far = self._link.flatten(self.near), self._link.flatten(self.far)
        for (path, member, a), (_, _, b) in zip(near, far, strict=True):
            here, there = Value.cast(a), Value.cast(b)
            driven, word = (there, here) if member.flow == Out else (here, there)
            for number in range(self._registers):
                name = "__".join(map(str, (*path, number)))
                kept = Signal(len(word), name=name, reset_less=True)
                m.d.sync += kept.eq(word)
                word = kept
            m.d.comb += driven.eq(word)
        return m
