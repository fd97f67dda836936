"""The messages for this node that an input port has, in flip-flops: nothing waits to see them."""

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.gates import either

__all__ = ["SyncArrivals"]


class SyncArrivals(wiring.Component):
    """Keeps what has arrived for this node, and shows the barrier unit one message a cycle.

    A message pushed in one cycle is shown in the next at the earliest. Where the unit takes
    whatever it is shown, one place does for both classes; else each class has one.

    Parameters
    ----------
    network : MeshSpec
        Layouts; whether the unit can leave a message where it is.

    Members
    -------
    push : In(2), message : In(sync message)
        One-hot: a message of this class arrives for this node, and its slot is free.
    occupied : Out(2)
        Classes with a message here.
    show : Out(2), shown : Out(sync message)
        Class of the message that is shown, one-hot, and its contents.
    take : In(1)
        The message shown leaves.
    """

    def __init__(self, network: MeshSpec) -> None:
        self._waits = network.operations == "all"
        sync = struct(network.layout.sync)
        super().__init__(
            {
                "push": In(2),
                "message": In(sync),
                "occupied": Out(2),
                "show": Out(2),
                "shown": Out(sync),
                "take": In(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        if not self._waits:
            # Whatever came by the link; only where ``show`` is set it means something.
            m.d.sync += [self.occupied.eq(self.push), self.shown.eq(self.message)]
            m.d.comb += self.show.eq(self.occupied)
            return m
        kept = [Signal.like(self.message, name=f"kept_{turn}") for turn in range(2)]
        for turn in range(2):
            with m.If(self.push[turn]):
                m.d.sync += kept[turn].eq(self.message)
        leaves = Mux(self.take, self.show, 0)
        m.d.sync += self.occupied.eq((self.occupied & ~leaves) | self.push)
        last = Signal(init=1)
        with m.If(self.occupied.any()):
            m.d.sync += last.eq(self.show[1])
        words = [Mux(self.show[turn], kept[turn].as_value(), 0) for turn in range(2)]
        m.d.comb += [
            self.show[0].eq(self.occupied[0] & (last | ~self.occupied[1])),
            self.show[1].eq(self.occupied[1] & (~last | ~self.occupied[0])),
            self.shown.eq(either(words)),
        ]
        return m
