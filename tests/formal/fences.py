"""A guard of a link at whose other end is anything: credits, probes and fences."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In

from syncfabric.rtl.guard.ends import ReceiverGuard
from tests.formal.guards import PLACES, SHAPE, TIMEOUT, SmallSender, signatures
from tests.formal.properties import Properties


class SenderFenceProof(wiring.Component):
    """A sender's guard whose fence is closed and opened at any time, whatever comes back.

    Its router sends with the credits that it has.

    Members
    -------
    sends : In(2)
        By channel, one at a time.
    fence : In(1)
    credits, empty : In(2)
        On the link.
    """

    def __init__(self) -> None:
        super().__init__({"sends": In(2), "fence": In(1), "credits": In(2), "empty": In(2)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims = Properties(m)
        inside, outside = signatures()
        m.submodules.guard = guard = SmallSender(SHAPE, inside, outside)
        link, fence = guard.link, self.fence
        have = [Signal(range(count + 2), init=count, name=f"have_{count}") for count in PLACES]
        out = [Signal(range(count + 2), name=f"out_{count}") for count in PLACES]
        sent, given = Signal(2), Cat(guard.inside.credit, guard.inside.sync_credit)
        m.d.comb += [
            sent[0].eq(self.sends[0] & (have[0] != 0)),
            sent[1].eq(self.sends[1] & (have[1] != 0) & ~sent[0]),
            guard.inside.valid.eq(sent[0]),
            guard.inside.sync_valid.eq(sent[1]),
            guard.inside.flit.eq(Mux(sent.any(), ~0, 0)),
            guard.fence.eq(fence),
            Cat(link.credit, link.sync_credit).eq(self.credits),
            link.empty.eq(self.empty),
        ]
        asked = claims.before("asked", link.probe)
        for c, count in enumerate(PLACES):
            name = ("packets", "messages")[c]
            received = self.empty[c] & asked[c] & ~fence
            back = self.credits[c] & (out[c] != 0) & ~fence & ~received
            m.d.sync += have[c].eq(have[c] + given[c] - sent[c])
            # What the receiver holds, as far as anybody here can know.
            with m.If(received | fence):
                m.d.sync += out[c].eq(sent[c] & ~fence)
            with m.Else():
                m.d.sync += out[c].eq(out[c] + sent[c] - back)
            claims.holds(
                f"{name} out, and credits, are never more than the places",
                have[c] + out[c] <= count,
            )
            owing = Signal(range(count + 2), name=f"owing_{c}")
            m.d.comb += owing.eq(count - have[c] - out[c])
            claims.holds(
                f"a credit comes for {name} exactly if one came, or one is to be given back",
                given[c] == (back | (owing != 0)),
            )
            still = Signal(range(3 * TIMEOUT), name=f"still_{c}")
            rests = (out[c] != 0) & ~sent[c] & ~back & ~received & ~fence
            with m.If(~rests):
                m.d.sync += still.eq(0)
            with m.Elif(still != 3 * TIMEOUT - 1):
                m.d.sync += still.eq(still + 1)
            claims.holds(
                f"no probe for {name} before they have rested for a while",
                ~link.probe[c] | (still > TIMEOUT),
            )
            waited = Signal(range(3 * TIMEOUT), name=f"waited_{c}")
            with m.If(~rests | link.probe[c]):
                m.d.sync += waited.eq(0)
            with m.Elif(waited != 3 * TIMEOUT - 1):
                m.d.sync += waited.eq(waited + 1)
            claims.holds(
                f"{name} that rest are asked for in twice that time", waited <= 2 * TIMEOUT
            )
            claims.reached(f"{name} rest for as long", waited == 2 * TIMEOUT)
        lost = [self.empty[c] & asked[c] & ~fence & (out[c] != 0) for c in range(2)]
        claims.holds("loss is told exactly when an answer shows it", guard.lost == Cat(lost).any())
        forward = Cat(
            link.valid, link.flit.as_value(), link.sync_valid, link.sequence, link.probe, link.check
        )
        claims.holds("a fenced port sends nothing", ~fence | ~forward.any())
        closed, home = Signal(range(4)), Cat(have[c] == PLACES[c] for c in range(2)).all()
        m.d.sync += closed.eq(Mux(fence & ~sent.any(), Mux(closed == 3, 3, closed + 1), 0))
        claims.holds("behind a fence all credits are back in three cycles", (closed != 3) | home)
        claims.reached(
            "a fence closes while all places are taken", fence & (out[0] == 2) & (out[1] == 1)
        )
        return m


class ReceiverFenceProof(wiring.Component):
    """A receiver's guard behind a fence that is closed at any time, whatever the link carries.

    The router frees what it has been given.

    Members
    -------
    words : In
        All that the link carries.
    frees : In(2)
        What the router frees, by channel.
    fence : In(1)
    """

    def __init__(self) -> None:
        super().__init__({"words": In(18), "frees": In(2), "fence": In(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims = Properties(m)
        inside, outside = signatures()
        m.submodules.guard = guard = ReceiverGuard(SHAPE, inside, outside)
        link, got, fence = guard.link, guard.inside, self.fence
        wires: Any = Cat(
            link.valid, link.flit.as_value(), link.sync_valid, link.sequence, link.probe, link.check
        )
        came, freed = Cat(got.valid, got.sync_valid), Signal(2)
        held = [Signal(range(count + 2), name=f"held_{count}") for count in PLACES]
        m.d.comb += [
            wires.eq(self.words),
            guard.fence.eq(fence),
            freed.eq(Cat(self.frees[c] & (held[c] != 0) for c in range(2))),
            Cat(got.credit, got.sync_credit).eq(freed),
        ]
        for c, count in enumerate(PLACES):
            full = held[c] == count
            m.d.sync += held[c].eq(held[c] + (came[c] & ~full) - freed[c])
            # Who sends without a credit is not judged here.
            claims.assume(~(came[c] & full))
        began = Signal()
        with m.If(came[0]):
            m.d.sync += began.eq(~got.flit.tail)
        flit: data.View = got.flit
        claims.holds("a packet begins where none is open, and only there",
            ~came[0] | (flit.head == ~began))  # fmt: skip
        claims.holds("a fenced port takes no message", ~fence | ~came[1])
        claims.holds("of packets it only ends one that is open, by a cut", ~(fence & came[0])
            | (began & flit.tail & flit.cut & ~flit.head & ~flit.payload))  # fmt: skip
        back: Value = Cat(link.credit, link.sync_credit, link.empty)
        claims.holds("nothing goes back over its link", ~fence | ~back.any())
        claims.holds("it tells of nothing", ~fence | ~guard.corrupt.any())
        claims.holds(
            "a packet is not left open, when the router has freed all of it",
            ~(fence & began & (held[0] == 0)) | came[0],
        )
        claims.reached("a fence ends a packet", fence & came[0])
        claims.reached(
            "a link is open again after that", claims.before("f", fence) & ~fence & ~began
        )
        return m
