"""What a set-up sink of the collective engine does to entries, whatever packets come."""

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from syncfabric.models.layout.engine import COMMIT, EPOCH_BITS, WORD_BITS, Code
from syncfabric.models.layout.flit import dimension_header, flit_layout
from syncfabric.models.layout.setup import REPLY, REQUEST, Answer, Operation
from syncfabric.models.layout.words import ADDRESS_BITS
from syncfabric.models.networks.grid import Grid
from syncfabric.rtl.lifecycle.set_up_port import ConfigAccess
from syncfabric.rtl.lifecycle.shape import SetUpShape
from syncfabric.rtl.lifecycle.sink import Sink
from syncfabric.rtl.messages import struct
from tests.formal.properties import Properties

HEADER = dimension_header(Grid((2, 2)))
REPLY_BIT = HEADER.offsets["reply"]
SHAPE = SetUpShape(
    flit_layout(32, cut=True), 1, 2, REPLY_BIT, 4, 1, 4, (1 << REPLY_BIT, 1 << REPLY_BIT | 3)
)
"""Two managers with two entries each, whose images have one word."""

SLOWEST = 3
"""Cycles that an access takes at most, with that of its answer."""


class SinkProof(wiring.Component):
    """A set-up sink before any engine, with any packets, and replies that leave at any time.

    Members
    -------
    valid, flit : In
        Flits that are offered to it.
    answers, error, status : In
        The engine's, after a cycle at least.
    leaves : In(1)
        A reply's flit can leave.
    freed, freed_entry : In
        Groups end.
    which, bit : In
        The manager whose replies are looked at, and the bit of words that is compared.
    """

    def __init__(self) -> None:
        names = ("valid", "answers", "error", "leaves", "freed", "which")
        members = {name: In(1) for name in names}
        more = {"status": In(1 + EPOCH_BITS), "freed_entry": In(2), "bit": In(5)}
        super().__init__(members | more | {"flit": In(struct(SHAPE.flit))})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims = Properties(m)
        m.submodules.sink = sink = Sink(SHAPE)
        access, waited = sink.access, Signal(range(SLOWEST + 1))
        ready = access.valid & (waited != 0) & self.answers
        m.d.sync += waited.eq(Mux(access.valid & ~ready, waited + 1, 0))
        claims.assume(waited < SLOWEST)
        m.d.comb += [
            sink.valid.eq(self.valid),
            sink.flit.eq(self.flit),
            access.ready.eq(ready),
            access.error.eq(ready & self.error),
            access.rdata.eq(Mux(ready, self.status, 0)),
            sink.reply_leaves.eq(self.leaves & sink.reply_valid),
            sink.freed_valid.eq(self.freed),
            sink.freed_entry.eq(self.freed_entry),
        ]

        # What came, flit by flit.
        comes, length, begun = self.valid & sink.listens, Signal(range(6)), Signal()
        asked, word, corrupt = Signal(struct(REQUEST)), Signal(WORD_BITS), Signal()
        before = Mux(begun, length, 0)
        with m.If(comes):
            m.d.sync += [
                begun.eq(~self.flit.tail),
                length.eq(Mux(before == 5, 5, before + 1)),
                corrupt.eq((corrupt & begun) | self.flit.cut),
                word.eq(self.flit.payload),
            ]
            with m.If(before == 1):
                m.d.sync += asked.eq(self.flit.payload)
        kills, starts = asked.operation == Operation.KILL, asked.operation == Operation.START
        bit = claims.constant("place", self.bit)
        commits, writes = access.valid & (access.address == 0), access.valid & access.address.any()
        commit = struct(COMMIT)(access.data[: COMMIT.width])
        goes = commit.code == Code.GO
        right = ~begun & (length == Mux(kills, 2, 3)) & (asked.operation != 3) & ~corrupt
        claims.holds(
            "only the manager of its share changes an entry",
            ~commits | ((commit.entry >> 1 == asked.manager) & (asked.manager < 2)),
        )
        claims.holds(
            "a command is the request's, with its entry and epoch",
            ~commits
            | (
                (commit.entry == asked.entry)
                & (commit.epoch == (asked.epoch + goes)[:EPOCH_BITS])
                & (commit.code == Mux(kills, Code.KILL, Mux(goes, Code.GO, Code.SETUP)))
                & (starts | ~goes)
            ),
        )
        claims.holds("and the request is whole and well formed", ~commits | right)
        claims.holds(
            "a word is staged as it came",
            ~writes
            | (
                (access.address == 1)
                & (length == 3)
                & (access.data.bit_select(bit, 1) == word.bit_select(bit, 1))
            ),
        )
        claims.holds(
            "the chain is kept out while the engine is used", ~access.valid | self._kept(m, sink)
        )
        waits = claims.before("waits", access.valid & ~ready)
        request = Cat(access.valid, access.write, access.address, access.data)
        claims.holds(
            "an access stays until it is answered",
            ~waits | (request == claims.before("asked_before", request)),
        )
        self._listens(m, claims, sink)
        self._replies(m, claims, sink, asked)
        claims.reached("GO is asked for", commits & goes)
        claims.reached("a packet is dropped", sink.dropped[0] & (length > 1))
        return m

    def _kept(self, m: Module, sink: Sink) -> Value:
        """Return whether the chain is locked out, or this is the first access of a packet."""
        first = Signal(init=1)
        with m.If(sink.access.valid):
            m.d.sync += first.eq(0)
        with m.Elif(sink.listens & ~sink.locks):
            m.d.sync += first.eq(1)
        return first | sink.locks

    def _listens(self, m: Module, claims: Properties, sink: Sink) -> None:
        """Claim that requests wait for the engine alone, whatever becomes of replies."""
        most = 3 * SLOWEST + 2
        busy = Signal(range(most + 3))
        m.d.sync += busy.eq(Mux(sink.listens, 0, Mux(busy == most + 2, busy, busy + 1)))
        claims.holds(f"it listens again after {most} cycles", busy <= most)
        claims.reached(f"it is busy for {most}", busy == most)

    def _replies(self, m: Module, claims: Properties, sink: Sink, asked: Value) -> None:
        """Claim of replies to one manager: one for each request that is not dropped, and true."""
        who = claims.constant("who", self.which)
        left, said = sink.reply_leaves, Signal(struct(REPLY))
        request: Value = asked
        second, to = Signal(), Signal()
        m.d.comb += said.eq(sink.reply_flit.payload)
        header = Mux(who, *reversed(SHAPE.headers))
        with m.If(left):
            m.d.sync += [second.eq(~second), to.eq(sink.reply_flit.payload == header)]
        answers = left & second & to & (said.code != Answer.FREED)
        ends = left & second & (said.code == Answer.FREED)
        # A request is judged in the cycle after its tail, or its last word; then it is executed.
        executes, waits, kept = Signal(), Signal(), Signal(struct(REQUEST))
        done = claims.before("busy", ~sink.listens) & sink.listens
        with m.If(~sink.listens):
            m.d.sync += executes.eq(~sink.dropped[0])
        whole = (
            done & executes & (request.manager == who) & ~claims.before("open", self._open(m, sink))
        )
        m.d.sync += waits.eq(whole | (waits & ~answers))
        with m.If(whole):
            m.d.sync += kept.eq(request)
        claims.holds("a reply is to a request that waits for it", ~answers | waits | whole)
        claims.holds("none is lost for the next", ~whole | ~waits)
        claims.holds(
            "it bears the request's tag, entry and sequence",
            ~(answers & waits)
            | (
                (said.tag == kept.tag) & (said.entry == kept.entry) & (said.number == kept.sequence)
            ),
        )
        inside = Signal(range(SHAPE.entries + 2))
        comes = self.freed & ~sink.dropped[1]
        m.d.sync += inside.eq(inside + comes - ends)
        claims.holds("an end is reported once", ~ends | (inside != 0))
        claims.holds(
            "none is dropped but for want of a place", ~sink.dropped[1] | (inside == SHAPE.entries)
        )
        claims.reached(
            "an entry of the other manager is denied", answers & (said.code == Answer.DENIED)
        )
        claims.reached("an end is reported", ends & (inside == SHAPE.entries))

    def _open(self, m: Module, sink: Sink) -> Value:
        """Return whether a packet's tail is still to come."""
        is_open = Signal()
        with m.If(self.valid & sink.listens):
            m.d.sync += is_open.eq(~self.flit.tail)
        return is_open


class AccessProof(wiring.Component):
    """An engine's config port between chain and sink, which keep to the rules of such a port."""

    def __init__(self) -> None:
        widths = {"valid": 1, "write": 1, "address": ADDRESS_BITS, "data": WORD_BITS}
        members = {
            f"{who}_{name}": In(width)
            for who in ("chain", "sink")
            for name, width in widths.items()
        }
        super().__init__({**members, "locks": In(1), "answers": In(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims = Properties(m)
        m.submodules.access = access = ConfigAccess()
        names, engine = ("valid", "write", "address", "data"), access.engine
        for who in ("chain", "sink"):
            port = getattr(access, who)
            given = Cat(getattr(self, f"{who}_{name}") for name in names)
            m.d.comb += [getattr(port, name).eq(getattr(self, f"{who}_{name}")) for name in names]
            waits = claims.before(f"{who}_waits", port.valid & ~port.ready)
            claims.assume(~waits | (given == claims.before(f"{who}_asked", given)))
        held = claims.before("held", engine.valid & ~engine.ready)
        m.d.comb += [
            engine.ready.eq(held & self.answers),
            access.locks.eq(self.locks),
        ]
        claims.assume(~self.sink_valid | self.sink_write)
        asked = Cat(getattr(engine, name) for name in names)
        # Whose the request is that is under way.
        ours, last = Signal(), Signal()
        m.d.comb += ours.eq(Mux(held, last, self.sink_valid))
        m.d.sync += last.eq(ours)
        starts = engine.valid & ~held
        claims.holds(
            "a request stays until it is answered",
            ~held | (asked == claims.before("engine_asked", asked)),
        )
        by_chain = Cat(getattr(self, f"chain_{name}") for name in names)
        by_sink = Cat(getattr(self, f"sink_{name}") for name in names)
        claims.holds(
            "it is the sink's where that asks, else the chain's",
            ~starts | (asked == Mux(self.sink_valid, by_sink, by_chain)),
        )
        claims.holds(
            "the chain begins nothing in the middle of a sink's packet",
            ~starts | self.sink_valid | ~self.locks,
        )
        claims.holds("no answer is for both", ~(access.sink.ready & access.chain.ready))
        stages = engine.valid & engine.write & engine.address.any()
        mine = Signal(init=1)
        with m.If(stages & ours):
            m.d.sync += mine.eq(0)
        with m.Elif(stages & (engine.address == 1)):
            m.d.sync += mine.eq(1)
        commit = struct(COMMIT)(engine.data[: COMMIT.width])
        setup = engine.valid & engine.write & ~engine.address.any() & (commit.code == Code.SETUP)
        claims.holds("the chain sets up no entry from a sink's words", ~(setup & ~ours) | mine)
        claims.reached("a SETUP of the chain is refused", access.chain.ready & ~held)
        corrupt = Signal()
        m.d.sync += corrupt.eq(corrupt | ~mine)
        claims.reached("one is made after a sink's words", setup & ~ours & corrupt)
        return m
