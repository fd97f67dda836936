"""The guard at a link's beginning: check bits, and credits for what was lost."""

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.rtl.guard.shape import GuardShape, check_of

__all__ = ["SenderGuard"]

PATIENCE = 64
"""Cycles after which, once or twice, a channel that has come to rest is asked for."""


class SenderGuard(wiring.Component):
    """Knows what its receiver holds; if that is more than the receiver says, it is given back.

    At rest, with nothing on its way, nothing in it changes.

    Cycles as in docs/microarchitecture-faults.md, F2.

    Parameters
    ----------
    shape : GuardShape
        Channels and wires.
    inside, outside : Signature
        The link as the router has it, and as it is.

    Members
    -------
    inside : In(inside)
        From the router.
    link : Out(outside)
        The link.
    fence : In(1)
        The link is closed: what the router sends goes nowhere, and its credit comes back.
    bare : In(1)
        Only with registers on links: there are none on this one; constant.
    lost : Out(1)
        Something that was sent, or its credit, has not come.
    """

    def __init__(
        self, shape: GuardShape, inside: wiring.Signature, outside: wiring.Signature
    ) -> None:
        self._shape = shape
        bare = {"bare": In(1)} if shape.registers else {}
        super().__init__(
            {"inside": In(inside), "link": Out(outside), "fence": In(1), "lost": Out(1), **bare}
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        shape, inside, link = self._shape, self.inside, self.link
        for name, member in inside.signature.members.items():
            if member.flow == In:  # as seen from here: forward
                m.d.comb += getattr(link, name).eq(Mux(self.fence, 0, getattr(inside, name)))
        for part in shape.parts:
            check = check_of(part.word(link), shape.check_bits)
            m.d.comb += getattr(link, part.check).eq(check)

        quiet, full, any_out = Signal(range(PATIENCE)), Signal(), Signal()
        lost: list[Value] = []
        out_any: list[Value] = []
        triples = zip(shape.sent(inside), shape.credits(link), shape.credits(inside), strict=True)
        for c, (sent, credit, back) in enumerate(triples):
            out_any.append(self._channel(m, c, sent, credit, back, full, lost))
        m.d.comb += [
            any_out.eq(Cat(out_any).any()),
            full.eq(any_out & (quiet == PATIENCE - 1)),
            self.lost.eq(Cat(lost).any()),
        ]
        m.d.sync += quiet.eq(Mux(any_out & ~self.fence, quiet + 1, 0))
        return m

    def _channel(
        self,
        m: Module,
        c: int,
        sent: Value,
        credit: Value,
        back: Value,
        full: Value,
        lost: list[Value],
    ) -> Value:
        """Watch over a channel; return whether the receiver holds something of it."""
        places, link = self._shape.places_of(c), self.link
        out = Signal(range(places + 1), name=f"out_{c}")
        refund = Signal(range(places + 1), name=f"refund_{c}")
        still, heard, counts, rests, owes, asks, asked = (
            Signal(name=f"{name}_{c}")
            for name in ("still", "heard", "counts", "rests", "owes", "asks", "asked")
        )
        fence = self.fence
        # What is sent after a probe is not known to the receiver as it answers: it is not lost.
        answered: Value = asks
        for number in range(2 * self._shape.registers):
            later = Signal(name=f"asked_{c}_{number}")
            m.d.sync += later.eq(answered)
            answered = later & ~sent
        if self._shape.registers:
            answered = Mux(self.bare, asks, answered)
        m.d.comb += [
            heard.eq(link.empty[c] & asked & ~fence),
            counts.eq(credit & out.any() & ~heard & ~fence),
            link.probe[c].eq(asks & ~fence),
            owes.eq(refund.any()),
            back.eq(counts | owes),
            rests.eq(out.any() & ~sent & ~counts & ~heard & ~fence),
        ]
        # What the router has left, is out, and is refunded, are the places: none can overflow.
        with m.If(heard | fence):
            m.d.sync += out.eq(sent & ~fence)
        with m.Elif(sent ^ counts):
            m.d.sync += out.eq(Mux(sent, out + 1, out - 1))
        m.d.sync += [
            refund.eq(refund + Mux(heard | fence, out, 0) + (sent & fence) - (owes & ~counts)),
            still.eq(rests & (full | still)),
            asks.eq(rests & full & still),
            asked.eq(answered),
        ]
        lost.append(heard & out.any())
        return out.any()
