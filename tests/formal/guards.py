"""Guarded links whatever is lost on them or flipped."""

from typing import Any
from unittest.mock import patch

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.engine import EngineLayout
from syncfabric.rtl.engine.ports import MessageSignature
from syncfabric.rtl.guard import ends
from syncfabric.rtl.guard.ends import ReceiverGuard, SenderGuard
from syncfabric.rtl.guard.shape import GuardShape
from tests.formal.properties import Properties

SHAPE = GuardShape(check_bits=8, ordinary=1, places=2, classes=1, credited=True, own=False)
PLACES = (2, 1)
TIMEOUT = 4
"""In place of 64 cycles: nothing else depends on how many there are."""
FLIT = data.StructLayout({"payload": 1, "head": 1, "tail": 1, "cut": 1})
FORWARD = {"flit": 4, "valid": 1, "sync_valid": 1, "sequence": 2, "probe": 2, "check": 8}


def signatures() -> tuple[wiring.Signature, wiring.Signature]:
    """Return the link as a router has it, and as it is between two guards."""
    inside = wiring.Signature(
        {
            "valid": Out(1),
            "flit": Out(FLIT),
            "credit": In(1),
            "sync_valid": Out(1),
            "sync_credit": In(1),
        }
    )
    return inside, wiring.Signature({**inside.members, **SHAPE.members})


class SmallSender(SenderGuard):
    """A sender's guard with a shorter timeout."""

    def elaborate(self, platform: object) -> Module:
        with patch.object(ends, "TIMEOUT", TIMEOUT):
            return super().elaborate(platform)


class GuardProof(wiring.Component):
    """Both guards of a link of one ordinary channel and one of messages; routers at its ends.

    Parameters
    ----------
    loses : bool
        What is on the link, and credits, may be lost at any time.
    flips : bool
        Up to three wires a cycle may be flipped.

    Members
    -------
    sends, flit : In
        What the sender's router would send: whole packets, and messages.
    frees : In(2)
        What the receiver's router frees.
    drops, drops_back : In
        Everything on the link is lost, and which credits are.
    wires : In(15)
        Numbers of three wires that are flipped; there are no more than 18.
    """

    def __init__(self, *, loses: bool = False, flips: bool = False) -> None:
        self._loses, self._flips = loses, flips
        super().__init__(
            {
                "sends": In(2),
                "flit": In(3),
                "frees": In(2),
                "drops": In(1),
                "drops_back": In(2),
                "wires": In(15),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims = Properties(m)
        inside, outside = signatures()
        m.submodules.sender = sender = SmallSender(SHAPE, inside, outside)
        m.submodules.receiver = receiver = ReceiverGuard(SHAPE, inside, outside)
        fault = self._join(m, claims, sender.link, receiver)

        # The sender's router: whole packets, with the credits that it has.
        have = [Signal(range(count + 2), init=count, name=f"have_{count}") for count in PLACES]
        sent, given = Signal(2), Cat(sender.inside.credit, sender.inside.sync_credit)
        open_packet, offered = Signal(), Signal(FLIT)
        m.d.comb += [
            sent[0].eq(self.sends[0] & (have[0] != 0)),
            sent[1].eq(self.sends[1] & (have[1] != 0) & ~sent[0]),
            offered.payload.eq(self.flit[0]),
            offered.tail.eq(sent[0] & self.flit[1]),
            offered.head.eq(sent[0] & ~open_packet),
            sender.inside.valid.eq(sent[0]),
            sender.inside.sync_valid.eq(sent[1]),
            sender.inside.flit.eq(Mux(sent.any(), offered.as_value(), 0)),
        ]
        with m.If(sent[0]):
            m.d.sync += open_packet.eq(~offered.tail)

        # The receiver's router.
        held = [Signal(range(count + 2), name=f"held_{count}") for count in PLACES]
        came, frees = Cat(receiver.inside.valid, receiver.inside.sync_valid), Signal(2)
        m.d.comb += frees.eq(Cat(self.frees[c] & (held[c] != 0) for c in range(2)))
        freed = claims.before("freed", frees)
        m.d.comb += [
            receiver.inside.credit.eq(freed[0]),
            receiver.inside.sync_credit.eq(freed[1]),
        ]
        for c in range(2):
            m.d.sync += [
                have[c].eq(have[c] + given[c] - sent[c]),
                held[c].eq(held[c] + came[c] - frees[c]),
            ]
        got, began = receiver.inside.flit, Signal()
        with m.If(came[0]):
            m.d.sync += began.eq(~got.tail)
        for c, count in enumerate(PLACES):
            name = ("packets", "messages")[c]
            claims.holds(f"no place overflows with {name}", held[c] + freed[c] <= count)
            claims.holds(f"no credit too many for {name}", have[c] <= count)
        whole = Mux(got.cut, ~got.head & got.tail & began, got.head == ~began)
        claims.holds("packets are whole, or cut", ~came[0] | whole)
        hole = Signal()
        with m.If(sent[0] & ~came[0] & began):
            m.d.sync += hole.eq(1)
        with m.Elif(came[0] & got.tail):
            m.d.sync += hole.eq(0)
        claims.holds("a packet that lacks a flit ends cut", ~(came[0] & hole) | got.cut)
        as_sent = sent[0] & (got.as_value() == offered.as_value())
        claims.holds("a flit comes as it was sent, in that cycle", ~came[0] | got.cut | as_sent)
        claims.holds(
            "a message comes as it was sent, in that cycle",
            ~came[1] | (sent[1] & (got.payload == offered.payload)),
        )
        self._come_back(m, claims, sender, receiver, have, sent, held, fault, began)
        return m

    def _join(self, m: Module, claims: Properties, sent: Any, receiver: ReceiverGuard) -> Value:
        """Join the link's ends, but for faults; return whether there is one."""
        fault: Value = Const(0, 1)
        received: Any = receiver.link
        forward: Value = Cat(Value.cast(getattr(sent, name)) for name in FORWARD)
        credits: Value = Cat(sent.credit, sent.sync_credit)
        back: Value = Cat(received.credit, received.sync_credit)
        if self._flips:
            three = [self.wires[at : at + 5] for at in range(0, len(self.wires), 5)]
            flips = Signal(len(forward))
            m.d.comb += flips.eq((1 << three[0]) ^ (1 << three[1]) ^ (1 << three[2]))
            fault = fault | flips.any()
            forward = forward ^ flips
            counted = ~flips.any() | self.drops | receiver.corrupt.any()
            claims.holds("what is flipped is counted in that cycle", counted)
        if self._loses:
            forward = Mux(self.drops, 0, forward)
            fault = fault | self.drops | (back & self.drops_back).any()
            back = back & ~self.drops_back
        m.d.comb += [
            Cat(getattr(received, name).as_value() if name == "flit" else getattr(received, name)
                for name in FORWARD).eq(forward),
            credits.eq(back),
            sent.empty.eq(received.empty),
        ]  # fmt: skip
        return fault

    def _come_back(
        self,
        m: Module,
        claims: Properties,
        sender: SenderGuard,
        receiver: ReceiverGuard,
        have: list[Signal],
        sent: Value,
        held: list[Signal],
        fault: Value,
        began: Value,
    ) -> None:
        """Claim what becomes of credits when all is quiet, and that no report is false."""
        most = 2 * TIMEOUT + 6
        quiet = Signal(range(most + 1))
        busy = sent.any() | fault | Cat(held).any() | began
        m.d.sync += quiet.eq(Mux(busy, 0, Mux(quiet == most, most, quiet + 1)))
        home = (have[0] == PLACES[0]) & (have[1] == PLACES[1])
        claims.holds("all credits come home when all is quiet", (quiet != most) | home)
        reported = receiver.corrupt.any() | sender.lost
        if not (self._loses or self._flips):
            claims.holds("where nothing is lost, nothing is reported", ~reported)
            claims.holds("nor cut", ~(receiver.inside.valid & receiver.inside.flit.cut).any())
            claims.reached("a packet is in flight", began)
        else:
            claims.reached("something is reported, and all credits are back", reported & home)
            cut = (receiver.inside.valid & receiver.inside.flit.cut).any()
            claims.reached("a packet is cut", cut)


class OwnLinkProof(wiring.Component):
    """Both guards of a link that messages with keys have alone.

    Members
    -------
    sends : In(1), message : In
        What the sender's router sends.
    closed : In(2)
        Ends that are fenced: the sender's, the receiver's.
    wires : In
        Numbers of three wires that are flipped; a number above all flips none.
    """

    def __init__(self) -> None:
        layout = EngineLayout(4, True, 16, 4, "bitwise", key_bits=8)
        self._link, self._shape = MessageSignature(layout), ends._messages(None, 8, 1, 0)
        self._width = layout.message.width
        numbers = 3 * (self._width + 1 + 8).bit_length()
        super().__init__(
            {"sends": In(1), "message": In(self._width), "closed": In(2), "wires": In(numbers)}
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims, inside = Properties(m), self._link
        outside = wiring.Signature({**inside.members, **self._shape.members})
        m.submodules.sender = sender = SenderGuard(self._shape, inside, outside)
        m.submodules.receiver = receiver = ReceiverGuard(self._shape, inside, outside)
        sent, come, got = sender.inside, receiver.link, receiver.inside
        there = Cat(sender.link.message.as_value(), sender.link.valid, sender.link.check)
        flips, step = Signal.like(there), len(self.wires) // 3
        three = [1 << self.wires[at : at + step] for at in range(0, len(self.wires), step)]
        m.d.comb += [
            sent.valid.eq(self.sends),
            sent.message.as_value().eq(Mux(self.sends, self.message, 0)),
            Cat(sender.fence, receiver.fence).eq(self.closed),
            flips.eq(three[0] ^ three[1] ^ three[2]),
            Cat(come.message.as_value(), come.valid, come.check).eq(there ^ flips),
        ]
        same = self.sends & (got.message.as_value() == self.message)
        closed, harmed, reported = self.closed.any(), flips.any(), receiver.corrupt.any()
        claims.holds("a message comes as it was sent, in that cycle", ~got.valid | same)
        claims.holds(
            "unharmed and not fenced it comes", harmed | closed | (got.valid == self.sends)
        )
        claims.holds(
            "what is harmed, and that alone, is counted", self.closed[1] | (reported == harmed)
        )
        claims.holds("by a fence nothing comes", ~closed | ~got.valid)
        claims.reached("a message is dropped", self.sends & ~closed & ~got.valid)
        claims.reached("a message comes", got.valid)
        return m
