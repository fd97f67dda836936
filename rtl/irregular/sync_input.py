"""Where synchronization messages come in: presented from the link, a register or a slot."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.rtl.messages import struct

__all__ = ["SyncInput"]


class SyncInput(wiring.Component):
    """Presents one message a cycle, and says which register it is for.

    The barrier register is the input buffer: without serial operations every message is
    taken as it is presented. Else it may have to wait, in a slot of its own with a credit.
    With two cycles a hop GIDs are compared a cycle ahead, so that merging starts from flip-flops.

    Source: paper BTIN, section 4.2; cycles as in docs/microarchitecture.md, I3 and I4.

    Parameters
    ----------
    network : IrregularSpec
        Layouts and options.
    cycles : int, 1 or 2
        A message on the link is presented in the same cycle, or in the next.

    Members
    -------
    push : In(1), message : In(sync message)
        A message is on the link.
    credit : Out(1), overflow : Out(1)
        Only if buffered: the slot is free again; a message came for an occupied slot.
    gids : In(8 * registers), epochs : In(2 * registers), open : In(registers)
        The registers' GIDs and epochs, and whether they are valid.
    present : Out(1), presented : Out(sync message)
        A message is presented.
    match : Out(registers)
        The register that it is for, one-hot, or 0.
    take : In(1)
        Only if buffered: the presented message is taken.
    """

    def __init__(self, network: IrregularSpec, cycles: int) -> None:
        self._network = network
        self._cycles = cycles
        registers = network.barrier_registers
        message = struct(network.layout.sync)
        members: dict[str, Any] = {
            "push": In(1),
            "message": In(message),
            "gids": In(8 * registers),
            "epochs": In(2 * registers),
            "open": In(registers),
            "present": Out(1),
            "presented": Out(message),
            "match": Out(registers),
        }
        if network.buffered:
            members |= {"take": In(1), "credit": Out(1), "overflow": Out(1)}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        if self._network.buffered:
            self._slot(m)
        elif self._cycles == 1:
            m.d.comb += [self.present.eq(self.push), self.presented.eq(self.message)]
            m.d.comb += self.match.eq(Mux(self.push, self._matches(self.message), 0))
        else:
            match = Signal(self._network.barrier_registers)
            m.d.sync += [
                self.present.eq(self.push),
                self.presented.eq(self.message),
                match.eq(Mux(self.push, self._matches(self.message), 0)),
            ]
            m.d.comb += self.match.eq(match)
        return m

    def _slot(self, m: Module) -> None:
        """Keep a message until it is taken."""
        occupied, kept = Signal(), Signal(struct(self._network.layout.sync))
        freed = Signal()
        straight = int(self._cycles == 1)
        m.d.comb += [
            self.overflow.eq(self.push & occupied),
            self.present.eq(occupied | self.push if straight else occupied),
            self.presented.eq(Mux(occupied, kept, self.message) if straight else kept),
            freed.eq(self.take & self.present),
        ]
        m.d.sync += [
            self.credit.eq(freed),
            occupied.eq((occupied & ~freed) | (self.push & ~occupied & ~(straight & freed))),
        ]
        with m.If(self.push & ~occupied):
            m.d.sync += kept.eq(self.message)
        if straight:
            m.d.comb += self.match.eq(Mux(self.present, self._matches(self.presented), 0))
            return
        match, ahead = Signal(self._network.barrier_registers), Signal.like(kept)
        m.d.comb += ahead.eq(Mux(occupied, kept, self.message))
        m.d.sync += match.eq(self._matches(ahead))
        m.d.comb += self.match.eq(Mux(occupied, match, 0))

    def _matches(self, message: Any) -> Value:
        """Return the registers that a message would be for."""
        names = Cat(message.gid, message.epoch)
        return Cat(
            self.open[r]
            & (Cat(self.gids[8 * r : 8 * r + 8], self.epochs[2 * r : 2 * r + 2]) == names)
            for r in range(self._network.barrier_registers)
        )
