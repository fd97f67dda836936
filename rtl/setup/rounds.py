"""How a manager works through its entries: rounds of requests, each awaited before the next."""

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from syncfabric.models.messages import (
    MANAGER_COMMAND,
    MANAGER_STATUS,
    REPLY,
    REQUEST,
    SEQUENCE_BITS,
    TAG_BITS,
    Answer,
    ManagerState,
    Request,
)
from syncfabric.rtl.messages import struct
from syncfabric.rtl.setup.format import SEQUENCES, SetupFormat

__all__ = ["Rounds"]


class Rounds(wiring.Component):
    """Sends the requests of a command, counts the replies, and decides what is next.

    The first round of SETUP is all entries but the last, the second the last, with GO; after a
    refusal come rounds of CLEAR. CLEAR and KILL have as many rounds as the busy ones take. A mark
    for each entry says that it is to have a request in the next round.

    Cycles as in docs/microarchitecture.md, S5.

    Parameters
    ----------
    form : SetupFormat
        Flit, and words of an entry.
    depth : int
        Words of the memory.

    Attributes
    ----------
    entries : int
        Most entries of a command.

    Members
    -------
    index : In(2)
        Number of the manager.
    begin : In(1), command : In(manager's command word)
        A command; only while none is running.
    abort : In(1)
        End the command, only while one is running: before the next packet, or as soon as the one
        that has begun is out.
    status : Out(manager's status word)
        What has become of it.
    read : Out, reads : Out(1), word : In(32)
        Address in the memory, whether it is read, and, from the next cycle on, the contents.
    valid : Out(1), flit : Out(flit), taken : In(1)
        A flit on offer, and whether it leaves.
    answer : In(1), code : In(3), sequence : In(10), tag : In(2)
        A reply comes.
    unasked : Out(1)
        Nobody waits for it.
    """

    def __init__(self, form: SetupFormat, depth: int) -> None:
        self._form = form
        self.entries = min(SEQUENCES, depth // form.stride)
        super().__init__(
            {
                "index": In(2),
                "begin": In(1),
                "command": In(struct(MANAGER_COMMAND)),
                "abort": In(1),
                "status": Out(struct(MANAGER_STATUS)),
                "read": Out(range(depth)),
                "reads": Out(1),
                "word": In(32),
                "valid": Out(1),
                "flit": Out(struct(form.flit)),
                "taken": In(1),
                "answer": In(1),
                "code": In(struct(REPLY)["code"].shape),
                "sequence": In(SEQUENCE_BITS),
                "tag": In(TAG_BITS),
                "unasked": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        form, state = self._form, self.status.state
        operation, count = Signal(2), Signal(range(self.entries + 1))
        # Where the round is: entries from `entry` on, below `limit`, begin at word `base`.
        entry, limit, base = Signal.like(count), Signal.like(count), Signal.like(self.read)
        only_marked, refused, again = Signal(), Signal(), Signal()
        place = Signal(range(form.stride))
        awaited = Signal.like(count)
        m.submodules.marks = marks = Memory(shape=1, depth=1 << ceil_log2(self.entries), init=[])
        mark, marked = marks.write_port(), marks.read_port(domain="comb")
        is_setup, fires, leaves, over = Signal(), Signal(), Signal(), Signal()
        # Replies of a command that was aborted bear the tag that it had.
        tag, ending, ends, is_last = Signal(TAG_BITS), Signal(), Signal(), Signal()
        m.d.comb += [
            ends.eq(ending & (~self.valid | ((place == 0) & ~self.taken))),
            is_setup.eq(operation == Request.SETUP),
            fires.eq(is_setup & (limit == count)),
            leaves.eq(self.taken & self.flit.tail),
            marked.addr.eq(entry),
        ]

        with m.If(self.begin):
            setup = self.command.operation == Request.SETUP
            m.d.sync += [
                self.status.eq(0),
                state.eq(ManagerState.RUNNING),
                operation.eq(self.command.operation),
                count.eq(self.command.count),
                limit.eq(self.command.count - setup),
                entry.eq(0),
                base.eq(0),
                only_marked.eq(0),
                refused.eq(0),
                again.eq(0),
            ]
        with m.If((state == ManagerState.RUNNING) & ~self.valid & ~ends):
            with m.If(entry != limit):
                with m.If(only_marked & ~marked.data):
                    m.d.sync += [entry.eq(entry + 1), base.eq(base + form.stride)]
                with m.Else():
                    m.d.comb += [self.reads.eq(1), self.read.eq(base)]
                    m.d.sync += [self.valid.eq(1), place.eq(0)]
            with m.Elif(awaited == 0):
                m.d.comb += over.eq(1)
        with m.If(over):
            with m.If(Mux(is_setup, refused, again)):
                # Those that said OK, or BUSY, from the first entry on.
                m.d.sync += [
                    operation.eq(Mux(is_setup, Request.CLEAR, operation)),
                    entry.eq(0),
                    base.eq(0),
                    only_marked.eq(1),
                    again.eq(0),
                ]
            with m.Elif(is_setup & ~fires):
                m.d.sync += limit.eq(count)
            with m.Else():
                m.d.comb += is_last.eq(1)
                m.d.sync += state.eq(Mux(refused, ManagerState.FAILED, ManagerState.DONE))

        # The packet of an entry.
        request = struct(REQUEST)(self.word[: REQUEST.width])
        stamped = Signal(struct(REQUEST))
        m.d.comb += [
            stamped.eq(request),
            stamped.operation.eq(operation),
            stamped.manager.eq(self.index),
            stamped.sequence.eq(entry),
            stamped.fire.eq(fires),
            stamped.tag.eq(tag),
        ]
        flit = Signal(struct(form.flit))
        m.d.comb += [
            flit.payload.eq(Mux(place == 1, stamped.as_value(), self.word)),
            flit.head.eq(place == 0),
            flit.tail.eq(place == Mux(is_setup, form.stride - 1, 1)),
            self.flit.eq(Mux(self.valid, flit, 0)),
        ]
        with m.If(self.taken):
            m.d.comb += [self.reads.eq(~self.flit.tail), self.read.eq(base + place + 1)]
            m.d.sync += place.eq(place + 1)
        with m.If(leaves):
            m.d.sync += [self.valid.eq(0), entry.eq(entry + 1), base.eq(base + form.stride)]

        # Replies.
        is_awaited = (awaited != 0) & (self.tag == tag)
        busy, wrong = self.code == Answer.BUSY, self.code != Answer.OK
        m.d.comb += [
            self.unasked.eq(self.answer & ~is_awaited),
            mark.en.eq(self.answer & is_awaited),
            mark.addr.eq(self.sequence),
            mark.data.eq(Mux(is_setup, ~wrong, busy)),
        ]
        m.d.sync += awaited.eq(awaited + leaves - mark.en)
        with m.If(mark.en):
            with m.If(~is_setup & busy):
                m.d.sync += again.eq(1)
            with m.Elif(wrong):
                m.d.sync += refused.eq(1)
                with m.If(~refused):
                    m.d.sync += [
                        self.status.code.eq(self.code),
                        self.status.entry.eq(self.sequence),
                    ]

        with m.If(self.abort & ~is_last):
            m.d.sync += ending.eq(1)
        with m.If(ends):
            m.d.sync += [
                state.eq(ManagerState.FAILED),
                self.status.code.eq(Answer.ABORTED),
                self.status.entry.eq(0),
                self.valid.eq(0),
                awaited.eq(0),
                tag.eq(tag + 1),
                ending.eq(0),
            ]
        return m
