"""What takes part in a ring or tree barrier for a node: as a member, or as the root."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages.static import STATUS_WORD

AGENT_PORTS = {
    **dict.fromkeys(("root", "arrive", "init", "hold", "some", "free", "clear"), In(1)),
    **dict.fromkeys(("pop", "send", "ends", "waiting", "begun"), Out(1)),
}
"""What both have: the role is a root's; an arrive is accepted; the root receives INIT; the process
has not come to Wait yet; there is a flit in the core buffer; the injection link has a credit; be as
after reset from the next cycle on, which has to be high in reset, too. A flit is taken; a flit is
sent; the barrier is over, released in the next cycle; the state."""

OWED_BITS = next(field.width for field in STATUS_WORD.fields if field.name == "owed")


class RingAgent(wiring.Component):
    """Reads a notify, a release and fillers in every episode; the root sends them.

    Source: paper Reflex, Algorithm 1, corrected: Wait reads two flits; cycles as in
    docs/microarchitecture-static.md, R4.

    Parameters
    ----------
    core_buffer : int
        Flits that wait for a core: as many fillers hold the ring up before a member that is late.
    owed_bits : int
        Bits of ``owed``.

    Members
    -------
    Those of `AGENT_PORTS`, and
    back : Out(1), left, owed : Out
        State. It waits while it has flits ``left`` to read.
    """

    def __init__(self, core_buffer: int, *, owed_bits: int = OWED_BITS) -> None:
        self._core_buffer = core_buffer
        super().__init__(
            {
                **AGENT_PORTS,
                "back": Out(1),
                "left": Out(range(core_buffer + 3)),
                "owed": Out(owed_bits),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        fillers = self._core_buffer
        left = Signal.like(self.left, reset_less=True)
        owed, owes = Signal.like(self.owed, reset_less=True), Signal(reset_less=True)
        back, begun = Signal(reset_less=True), Signal(reset_less=True)
        counts, notified, begins = Signal(), Signal(), Signal()
        m.d.comb += [
            self.left.eq(left),
            self.owed.eq(owed),
            self.back.eq(back),
            self.begun.eq(begun),
            self.waiting.eq(left.any()),
            self.pop.eq(
                self.some & (self.waiting | back) & ~(self.hold & (self.root | (left <= 2)))
            ),
            # The first flit that the root reads is the release of the episode before.
            counts.eq(self.pop & ~back),
            self.ends.eq(counts & (left == 1)),
            notified.eq(self.ends & self.root),
            begins.eq(self.arrive & self.root),
            self.send.eq(self.free & (owes | notified)),
        ]
        # The root owes fillers from the start, a notify when it arrives, then release and fillers.
        # The notify is seen late in the cycle: it chooses between sums that are there already.
        # `owes` is kept beside `owed`.
        adds, sends = Signal.like(owed), Signal()
        m.d.comb += [
            sends.eq(self.free & owes),
            adds.eq(Cat(begins ^ sends, (sends & ~begins).replicate(len(owed) - 1))),
        ]
        release = Mux(self.free, fillers, fillers + 1)
        m.d.sync += [
            owed.eq(Mux(notified, owed + release, owed + adds)),
            owes.eq(self.init | begins | notified | (owes & ~(self.free & (owed == 1)))),
            back.eq((back & ~self.pop) | notified),
            begun.eq(begun | self.init),
        ]
        with m.If(self.init):
            m.d.sync += owed.eq(fillers)
        with m.If(self.arrive):
            m.d.sync += left.eq(Mux(self.root, fillers + 1, fillers + 2))
        with m.Elif(counts):
            m.d.sync += left.eq(left - 1)
        with m.If(self.clear):
            m.d.sync += [left.eq(0), owed.eq(0), owes.eq(0), back.eq(0), begun.eq(0)]
        return m


LEFT_BITS = next(field.width for field in STATUS_WORD.fields if field.name == "left")


class TreeAgent(wiring.Component):
    """A member reads as many flits in every episode as the root sends, the last when it arrives.

    Source: docs/microarchitecture-static.md, R4 and R7; not in the paper.

    Parameters
    ----------
    left_bits : int
        Bits of the number of flits of an episode.

    Members
    -------
    Those of `AGENT_PORTS`, and
    flits : In(left_bits)
        Flits of an episode.
    go : Out(1), left : Out(left_bits)
        State. A member waits while it has flits ``left`` to read; the root has them to send, and
        waits with ``go``.
    """

    def __init__(self, left_bits: int = LEFT_BITS) -> None:
        super().__init__(
            {**AGENT_PORTS, "flits": In(left_bits), "go": Out(1), "left": Out(left_bits)}
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        left, some = Signal.like(self.left, reset_less=True), Signal(reset_less=True)
        go, begun = Signal(reset_less=True), Signal(reset_less=True)
        last, goes, changes = Signal(), Signal(), Signal()
        m.d.comb += [
            self.left.eq(left),
            self.go.eq(go),
            self.begun.eq(begun),
            self.waiting.eq(Mux(self.root, go, some)),
            last.eq(left == 1),
            self.pop.eq(~self.root & self.some & some & ~(self.hold & last)),
            # The root's last flit says that it has arrived.
            goes.eq(self.root & self.free & ~some & go & ~self.hold),
            self.send.eq(self.root & self.free & (some | (go & ~self.hold))),
            self.ends.eq(goes | (self.pop & last)),
            changes.eq(self.pop | self.send | self.init | (self.arrive & ~self.root)),
        ]
        # With none left a number is loaded, the root's less the last one; else one is counted.
        # `some` is kept beside: whether it is 0 comes too late out of 16 bits.
        with m.If(changes):
            m.d.sync += [
                left.eq(Mux(some, left, self.flits) - (self.root | some)),
                some.eq(Mux(some, ~last, self.flits != self.root)),
            ]
        m.d.sync += [
            go.eq((go & ~goes) | (self.arrive & self.root)),
            begun.eq(begun | self.init),
        ]
        with m.If(self.clear):
            m.d.sync += [left.eq(0), some.eq(0), go.eq(0), begun.eq(0)]
        return m
