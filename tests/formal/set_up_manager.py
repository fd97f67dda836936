"""How a manager works through a command, whatever switches answer, and however late."""

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from syncfabric.models.messages import (
    MANAGER_COMMAND,
    REPLY,
    REQUEST,
    Answer,
    ManagerState,
    Request,
)
from syncfabric.rtl.messages import struct
from syncfabric.rtl.setup.rounds import Rounds
from tests.formal.properties import Properties
from tests.formal.sink_registers import sink_form

__all__ = ["ManagerProof"]

DEPTH, ENTRIES = 8, 2


class ManagerProof(wiring.Component):
    """The rounds of a manager with two entries, and a memory of any contents.

    Each request is answered once, at any time and by any code that its operation can have. Replies
    to commands that were aborted come at any time, with another tag.

    Members
    -------
    begins, command, aborts : In
        Commands, only while none is running; aborted only while one is.
    word, taken, index : In
        What is in memory; when the link takes a flit; the manager's number.
    answers, code, entry, tag : In
        Replies.
    """

    def __init__(self) -> None:
        self._form = sink_form()
        super().__init__(
            {
                "begins": In(1),
                "command": In(struct(MANAGER_COMMAND)),
                "aborts": In(1),
                "word": In(32),
                "taken": In(1),
                "index": In(2),
                "answers": In(1),
                "code": In(struct(REPLY)["code"].shape),
                "entry": In(1),
                "tag": In(2),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims, form = Properties(m), self._form
        m.submodules.rounds = rounds = Rounds(form, DEPTH)
        index = claims.constant("index", self.index)
        state, taken = rounds.status.state, Signal()
        running, begins = state == ManagerState.RUNNING, Signal()
        m.d.comb += [
            taken.eq(self.taken & rounds.valid),
            begins.eq(self.begins & ~running),
            rounds.index.eq(index),
            rounds.begin.eq(begins),
            rounds.command.eq(self.command),
            rounds.abort.eq(self.aborts & running),
            rounds.word.eq(self.word),
            rounds.taken.eq(taken),
            rounds.answer.eq(self.answers),
            rounds.code.eq(self.code),
            rounds.sequence.eq(self.entry),
            rounds.tag.eq(self.tag),
        ]
        claims.assume(
            (self.command.count != 0) & (self.command.count <= ENTRIES),
            self.command.operation != Request.ABORT,
            self.code < Answer.FREED,
        )

        # What it was told, packets as they leave, and which of them wait for an answer.
        operation, count = Signal(2), Signal(range(ENTRIES + 1))
        place, tag, aborted = Signal(range(4)), Signal(2), Signal()
        kind, entry, kept_kind, kept_entry = Signal(2), Signal(1), Signal(2), Signal(1)
        waits, held = Signal(ENTRIES), Signal(ENTRIES)
        refused, first, first_entry = Signal(), Signal.like(self.code), Signal(1)
        flit, is_word = rounds.flit, rounds.valid & (place == 1)
        request = struct(REQUEST)(flit.payload[: REQUEST.width])
        tail, ends = Signal(), claims.before("running", running) & ~running
        now, ours, counts = Signal(2), Signal(), Signal()
        refuses, entry_bit = Signal(), Signal(ENTRIES)
        m.d.comb += [
            kind.eq(Mux(place == 1, request.operation, kept_kind)),
            entry.eq(Mux(place == 1, request.sequence, kept_entry)),
            tail.eq(taken & flit.tail),
            aborted.eq(ends & (rounds.status.code == Answer.ABORTED)),
            now.eq(tag + aborted),
            ours.eq(self.answers & (self.tag == now)),
            counts.eq(ours & running),
            entry_bit.eq(1 << self.entry),
            refuses.eq((self.code != Answer.OK) & ((self.code != Answer.BUSY) | (kept_kind == 0))),
        ]
        claims.assume(~ours | (running & waits.bit_select(self.entry, 1)))
        m.d.sync += [
            tag.eq(now),
            kept_kind.eq(kind),
            kept_entry.eq(entry),
            waits.eq(
                Mux(aborted, 0, (waits & ~Mux(counts, entry_bit, 0)) | Mux(tail, 1 << entry, 0))
            ),
        ]
        with m.If(taken | ~rounds.valid):
            m.d.sync += place.eq(Mux(taken & ~flit.tail, place + 1, 0))
        with m.If(begins):
            m.d.sync += [
                operation.eq(self.command.operation),
                count.eq(self.command.count),
                refused.eq(0),
                held.eq(0),
            ]
        with m.Elif(counts):
            with m.If(kept_kind == Request.SETUP):
                m.d.sync += held.eq(Mux(refuses, held & ~entry_bit, held | entry_bit))
            with m.Elif(self.code != Answer.BUSY):
                m.d.sync += held.eq(held & ~entry_bit)
            with m.If(refuses & ~refused):
                m.d.sync += [refused.eq(1), first.eq(self.code), first_entry.eq(self.entry)]
        is_setup, last = operation == Request.SETUP, count - 1
        most = Mux(kind == Request.SETUP, form.stride, 2)
        claims.holds("it is silent but while it runs", ~rounds.valid | running)
        claims.holds("a head comes first, and alone", ~rounds.valid | (flit.head == (place == 0)))
        claims.holds(
            "a packet has its length",
            ~(rounds.valid & (place != 0)) | (flit.tail == (place + 1 == most)),
        )
        claims.holds(
            "the request word bears manager and tag",
            ~is_word | ((request.manager == index) & (request.tag == now)),
        )
        claims.holds(
            "it asks what it was told to, or clears what a refused SETUP has left",
            ~is_word
            | (request.operation == operation)
            | (is_setup & refused & (request.operation == Request.CLEAR)),
        )
        claims.holds("only entries of the command are asked", ~is_word | (request.sequence < count))
        claims.holds(
            "nobody is asked again before the answer",
            ~is_word | ~waits.bit_select(request.sequence[0], 1),
        )
        others = held | Mux(last[0], 2, 1)
        claims.holds(
            "the root is asked, with fire, when all others have said OK, and nobody else",
            ~(is_word & (request.operation == Request.SETUP))
            | (
                (request.fire == (request.sequence == last))
                & (~request.fire | ((count == 1) | others.all()))
            ),
        )
        claims.holds(
            "it ends when all have answered, or is aborted", ~ends | aborted | ~waits.any()
        )
        done = ends & (rounds.status.state == ManagerState.DONE)
        claims.holds("it is done only if nobody has refused", ~done | ~refused)
        claims.holds(
            "a SETUP that is done has all its registers",
            ~(done & is_setup) | (held == Mux(count == 1, 1, 3)),
        )
        failed = ends & ~done & ~aborted
        claims.holds("it fails only if somebody has refused", ~failed | refused)
        claims.holds(
            "the first refusal is told",
            ~failed | ((rounds.status.code == first) & (rounds.status.entry == first_entry)),
        )
        claims.holds("a SETUP that fails has left no register", ~(failed & is_setup) | ~held.any())
        claims.holds("what nobody waits for is told", rounds.unasked == (self.answers & ~counts))
        claims.reached("a SETUP is done", done & is_setup & (count == ENTRIES))
        claims.reached("one fails, and is undone", failed & is_setup & (first_entry == 1))
        claims.reached("a command is aborted, and another begins", (tag == 1) & done)
        return m
