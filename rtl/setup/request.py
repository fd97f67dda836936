"""Takes in the packets that ask a router to set up, clear or kill a register."""

from typing import Any

from amaranth import Array, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import REGISTER_WORDS, REQUEST, Request
from syncfabric.rtl.messages import struct
from syncfabric.rtl.setup.format import SLOT_BITS, SetupFormat

__all__ = ["RequestReader"]


class RequestReader(wiring.Component):
    """Keeps the request word and the image words of one packet, and judges its length.

    Parameters
    ----------
    form : SetupFormat
        Flit, and image words.

    Members
    -------
    push : In(1), flit : In(flit)
        A flit is taken; all that is kept of it can be seen from the next cycle on.
    begun : Out(1)
        In the middle of a packet.
    request : Out(request word)
        Of the packet that began last.
    unknown : Out(1)
        The packet was its header alone: there is no request word.
    fits : Out(1)
        The operation exists, and the packet had the length that goes with it.
    index : In, word : Out
        Which image word is read, and its bits that a register keeps.
    slot : Out(6)
        Only where requests name a slot: which.
    """

    def __init__(self, form: SetupFormat) -> None:
        self._form = form
        members: dict[str, Any] = {
            "push": In(1),
            "flit": In(struct(form.flit)),
            "begun": Out(1),
            "request": Out(struct(REQUEST)),
            "unknown": Out(1),
            "fits": Out(1),
            "index": In(range(form.stride)),
            "word": Out(form.image_bits),
        }
        if form.slot_at is not None:
            members["slot"] = Out(SLOT_BITS)
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        form = self._form
        # Flits so far: it stays at one more than the longest packet, and at the tail starts anew.
        most = form.stride + 1
        place, length = Signal(range(most + 1)), Signal(range(most + 1))
        m.submodules.image = image = Memory(shape=form.image_bits, depth=REGISTER_WORDS, init=[])
        store, load = image.write_port(), image.read_port(domain="comb")
        m.d.comb += [
            store.en.eq(self.push & (place >= 2)),
            store.addr.eq(place - 2),
            store.data.eq(self.flit.payload & Array(kept for _, kept in form.image)[store.addr]),
            load.addr.eq(self.index),
            self.word.eq(load.data),
            self.begun.eq(place != 0),
            self.unknown.eq(length == 1),
            self.fits.eq(
                Mux(
                    self.request.operation == Request.SETUP,
                    length == form.stride,
                    (length == 2) & (self.request.operation != 3),
                )
            ),
        ]
        with m.If(self.push):
            after = Mux(place == most, most, place + 1)
            m.d.sync += [place.eq(Mux(self.flit.tail, 0, after)), length.eq(after)]
            with m.If(place == 1):
                m.d.sync += self.request.eq(self.flit.payload[: REQUEST.width])
            if form.slot_at is not None:
                with m.If(place == 2):
                    m.d.sync += self.slot.eq(self.flit.payload[form.slot_at :])
        return m
