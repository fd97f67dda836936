"""The set-up sink of a router: does what managers ask of its registers, and answers them."""

from typing import Any

from amaranth import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import REPLY
from syncfabric.rtl.guard.cut import is_cut
from syncfabric.rtl.messages import struct
from syncfabric.rtl.setup.access import AccessSignature
from syncfabric.rtl.setup.format import SetupFormat
from syncfabric.rtl.setup.freed import FreedChoice
from syncfabric.rtl.setup.replies import ReplySlots
from syncfabric.rtl.setup.request import RequestReader
from syncfabric.rtl.setup.steps import SetupSteps

__all__ = ["SetupSink"]


class SetupSink(wiring.Component):
    """Takes one request at a time, and reaches the registers by their config port.

    It waits for nothing but its own router, so requests never wait for replies, and set-up
    packets of all kinds can share a channel.

    Cycles as in docs/microarchitecture.md, S4.

    Parameters
    ----------
    form : SetupFormat
        Words of the network's registers, flit, managers.

    Members
    -------
    router : In(9)
        Number of the router, as replies name it; constant.
    valid : In(1), flit : In(flit), listening : Out(1)
        A set-up packet's flit; it is taken if both are high.
    access : Out(AccessSignature)
        To the router's own registers.
    gids : In(8 * registers), open : In(registers), managers : In(2 * registers)
        The registers' GIDs, whether they are valid, and who set them up.
    freed : In(registers), clear_freed : Out(registers)
        Registers whose last barrier is over; the one that is being reported.
    stray : Out(1)
        A packet, or a FREED, is dropped.
    reply_valid : Out(1), reply_flit : Out(flit), reply_manager : Out(2), reply_taken : In(1)
        A flit on offer, the manager whom it goes to, and whether it leaves.
    """

    def __init__(self, form: SetupFormat) -> None:
        self._form = form
        registers = form.registers
        members: dict[str, Any] = {
            "router": In(REPLY.fields[-1].width),
            "valid": In(1),
            "flit": In(struct(form.flit)),
            "listening": Out(1),
            "access": Out(AccessSignature()),
            "gids": In(8 * registers),
            "open": In(registers),
            "managers": In(2 * registers),
            "freed": In(registers),
            "clear_freed": Out(registers),
            "stray": Out(1),
            "reply_valid": Out(1),
            "reply_flit": Out(struct(form.flit)),
            "reply_manager": Out(2),
            "reply_taken": In(1),
        }
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        form = self._form
        m.submodules.reader = reader = RequestReader(form)
        m.submodules.steps = steps = SetupSteps(form)
        m.submodules.freed = freed = FreedChoice(form)
        m.submodules.replies = replies = ReplySlots(form)
        wiring.connect(m, steps.access, wiring.flipped(self.access))
        accepts, cut = Signal(), Signal()
        m.d.comb += [
            self.listening.eq(steps.listening),
            accepts.eq(self.valid & self.listening),
            reader.push.eq(accepts),
            reader.flit.eq(self.flit),
            cut.eq(accepts & is_cut(self.flit, form.flit)),
            steps.begin.eq(accepts & self.flit.tail & ~cut),
            steps.asked.eq(reader.request),
            steps.unknown.eq(reader.unknown),
            steps.fits.eq(reader.fits),
            reader.index.eq(steps.index),
            steps.image.eq(reader.word),
            steps.occupied.eq(replies.occupied),
            steps.gids.eq(self.gids),
            steps.open.eq(self.open),
        ]
        # Between packets there is time to see whose last barrier is over.
        m.d.comb += [
            freed.enable.eq(steps.listening & ~reader.begun & ~accepts & ~replies.occupied[-1]),
            freed.gids.eq(self.gids),
            freed.managers.eq(self.managers),
            freed.freed.eq(self.freed),
            self.clear_freed.eq(freed.clear_freed),
            self.stray.eq(steps.dropped | freed.stray | cut),
        ]
        if form.slot_at is not None:
            m.d.comb += steps.slot.eq(reader.slot)
        m.d.comb += [
            replies.router.eq(self.router),
            replies.put.eq(steps.answer),
            replies.manager.eq(reader.request.manager),
            replies.code.eq(steps.code),
            replies.sequence.eq(reader.request.sequence),
            replies.gid.eq(reader.request.gid),
            replies.tag.eq(reader.request.tag),
            replies.put_freed.eq(freed.put),
            replies.freed_manager.eq(freed.manager),
            replies.freed_gid.eq(freed.gid),
            self.reply_valid.eq(replies.valid),
            self.reply_flit.eq(replies.flit),
            self.reply_manager.eq(replies.to),
            replies.taken.eq(self.reply_taken),
        ]
        return m
