"""What a set-up sink has to say: a slot for each manager's answer, one for FREED, a sender."""

from amaranth import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import REPLY, Answer
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.gates import either
from syncfabric.rtl.setup.format import SetupFormat

__all__ = ["ReplySlots"]


class ReplySlots(wiring.Component):
    """Keeps answers until they are sent, in rising order of slots, a packet of two flits each.

    FREED comes unasked; a slot of its own keeps it out of the way of answers, so that no request
    ever finds its manager's slot taken. A slot put in one cycle can be chosen in the next, and its
    header is on offer in the one after that.

    Cycles as in docs/microarchitecture.md, S4.

    Parameters
    ----------
    form : SetupFormat
        Flit, and headers of the managers.

    Members
    -------
    router : In(9)
        Number of the router; constant.
    put : In(1), manager : In(2), code : In(3), sequence : In(10), gid : In(8), tag : In(2)
        An answer for a manager whose slot is empty.
    put_freed : In(1), freed_manager : In(2), freed_gid : In(8)
        A group's last barrier is over; only if the last slot is empty.
    occupied : Out(managers + 1)
        Slots that are taken; the last is that of FREED.
    valid : Out(1), flit : Out(flit), to : Out(2), taken : In(1)
        A flit on offer, the manager whom it goes to, and whether it leaves.
    """

    def __init__(self, form: SetupFormat) -> None:
        self._form = form
        widths = {field.name: field.width for field in REPLY.fields}
        super().__init__(
            {
                "router": In(widths["sender"]),
                "put": In(1),
                "manager": In(2),
                "code": In(widths["code"]),
                "sequence": In(widths["sequence"]),
                "gid": In(widths["gid"]),
                "tag": In(widths["tag"]),
                "put_freed": In(1),
                "freed_manager": In(2),
                "freed_gid": In(widths["gid"]),
                "occupied": Out(len(form.headers) + 1),
                "valid": Out(1),
                "flit": Out(struct(form.flit)),
                "to": Out(2),
                "taken": In(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        headers, count = self._form.headers, len(self._form.headers)
        slots = [Signal(struct(REPLY), name=f"slot_{i}") for i in range(count)]
        freed_manager, freed_gid = Signal(2), Signal(8)
        put, done, chosen = Signal(count + 1), Signal(count + 1), Signal(count + 1)
        m.d.comb += put.eq(Cat(*(self.put & (self.manager == i) for i in range(count)), Const(0)))
        m.d.comb += put[count].eq(self.put_freed)
        for i, slot in enumerate(slots):
            with m.If(put[i]):
                m.d.sync += [
                    slot.code.eq(self.code),
                    slot.sequence.eq(self.sequence),
                    slot.gid.eq(self.gid),
                    slot.tag.eq(self.tag),
                ]
        with m.If(self.put_freed):
            m.d.sync += [freed_manager.eq(self.freed_manager), freed_gid.eq(self.freed_gid)]

        # The sender: chooses a slot, then offers its header, then its word.
        second, lowest = Signal(), Signal(count + 1)
        goals = [*(Const(i, 2) for i in range(count)), freed_manager]
        m.d.comb += [
            lowest.eq(self.occupied & -self.occupied),
            done.eq(Mux(self.taken & second, chosen, 0)),
        ]
        m.d.sync += self.occupied.eq((self.occupied & ~done) | put)
        with m.If(~chosen.any()):
            m.d.sync += [
                chosen.eq(lowest),
                self.to.eq(either([Mux(lowest[i], to, 0) for i, to in enumerate(goals)])),
            ]
        with m.Elif(self.taken):
            m.d.sync += second.eq(~second)
            with m.If(second):
                m.d.sync += chosen.eq(0)
        freed, word = Signal(struct(REPLY)), Signal(struct(REPLY))
        words = [slot.as_value() for slot in (*slots, freed)]
        header = Array(Const(value, self._form.flit.fields[0].width) for value in headers)[self.to]
        m.d.comb += [
            freed.code.eq(Answer.FREED),
            freed.gid.eq(freed_gid),
            word.eq(either([Mux(chosen[i], contents, 0) for i, contents in enumerate(words)])),
            word.sender.eq(self.router),
            self.valid.eq(chosen.any()),
        ]
        flit = Signal(struct(self._form.flit))
        m.d.comb += [
            flit.payload.eq(Mux(second, word.as_value(), header)),
            flit.head.eq(~second),
            flit.tail.eq(second),
            self.flit.eq(Mux(self.valid, flit, 0)),
        ]
        return m
