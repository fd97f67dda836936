"""Replies of a set-up sink: a queue of groups that have ended, and a slot for each manager."""

from amaranth import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.engine import EPOCH_BITS
from syncfabric.models.layout.setup import REPLY, Answer
from syncfabric.rtl.lifecycle.queue import WordQueue
from syncfabric.rtl.lifecycle.shape import SetUpShape
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.gates import either

__all__ = ["Replies"]


class Replies(wiring.Component):
    """Keeps replies until they are sent, a packet of two flits each; reports of ends come first.

    A reply that is put in t is chosen in t + 1 at the earliest, and its header is on offer in
    t + 2. Rules: docs/microarchitecture-networks.md, N4 (9 to 11).

    Parameters
    ----------
    shape : SetUpShape

    Members
    -------
    number : In
        Number of the router; constant.
    put : In(managers), reply : In(REPLY)
        A reply for a manager whose slot is empty, one-hot.
    taken : Out(managers)
        Slots that are taken.
    freed_valid : In(1), freed_entry, freed_epoch : In
        A group has ended, in an entry of any share.
    dropped : Out(1)
        There is no place for that.
    valid : Out(1), flit : Out(flit), leaves : In(1)
        A flit on offer, 0 if there is none, and whether it leaves.
    """

    def __init__(self, shape: SetUpShape) -> None:
        self._shape = shape
        super().__init__(
            {
                "number": In(shape.router_bits),
                "put": In(shape.managers),
                "reply": In(struct(REPLY)),
                "taken": Out(shape.managers),
                "freed_valid": In(1),
                "freed_entry": In(shape.number_bits),
                "freed_epoch": In(EPOCH_BITS),
                "dropped": Out(1),
                "valid": Out(1),
                "flit": Out(struct(shape.flit)),
                "leaves": In(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        managers, headers = self._shape.managers, self._shape.headers
        slots = [Signal(struct(REPLY), name=f"slot_{i}") for i in range(managers)]
        for i, slot in enumerate(slots):
            with m.If(self.put[i]):
                m.d.sync += slot.eq(self.reply)
        ended, ends = self._place_ended(m)

        # One is chosen; then its header is on offer, and then its word.
        chosen, done = Signal(managers + 1), Signal(managers + 1)
        second = Signal()
        m.d.comb += [
            done.eq(Mux(self.leaves & second, chosen, 0)),
            ends.pop.eq(done[managers]),
        ]
        m.d.sync += self.taken.eq((self.taken & ~done[:managers]) | self.put)
        with m.If(~chosen.any()):
            lowest = self.taken & -self.taken
            m.d.sync += chosen.eq(Mux(ends.some, 1 << managers, lowest))
        with m.Elif(self.leaves):
            m.d.sync += [second.eq(~second), chosen.eq(Mux(second, 0, chosen))]
        words = [*(slot.as_value() for slot in slots), ended.as_value()]
        own = [Const(header, max(headers).bit_length()) for header in headers]
        goals = [*own, Array(own)[self._shape.owner(ended.entry)]]

        def selected(values: list[Value]) -> Value:
            return either([Mux(chosen[i], value, 0) for i, value in enumerate(values)])

        payload = Mux(second, selected(words), selected(goals))
        m.d.comb += self.valid.eq(chosen.any())
        with m.If(self.valid):
            m.d.comb += self.flit.eq(self._shape.flit_of(payload, ~second, second))
        return m

    def _place_ended(self, m: Module) -> tuple[data.View, WordQueue]:
        """Place the queue of groups that have ended; return the first one's word, and the queue."""
        shape = self._shape
        m.submodules.ends = ends = WordQueue(
            shape.number_bits + EPOCH_BITS, shape.entries + shape.slots
        )
        word = Signal(struct(REPLY), name="ended")
        m.d.comb += [
            ends.push.eq(self.freed_valid & shape.owned(self.freed_entry)),
            ends.word.eq(Cat(self.freed_entry, self.freed_epoch)),
            self.dropped.eq(ends.push & ends.full),
            word.code.eq(Answer.FREED),
            word.entry.eq(ends.first[: shape.number_bits]),
            word.epoch.eq(ends.first[shape.number_bits :]),
            word.number.eq(self.number),
        ]
        return word, ends
