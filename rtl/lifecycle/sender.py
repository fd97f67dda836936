"""The half of a manager that sends: requests of a command, the replies to it, its status."""

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.engine import WORD_BITS
from syncfabric.models.layout.setup import (
    COMMAND,
    MANAGER_STATUS,
    REPLY,
    REQUEST,
    Answer,
    ManagerState,
    Operation,
)
from syncfabric.rtl.lifecycle.shape import SetUpShape
from syncfabric.rtl.messages import struct

__all__ = ["RequestSender"]


class RequestSender(wiring.Component):
    """Sends the requests of a command in order, and awaits their replies.

    Rules: docs/microarchitecture-networks.md, N5 (4 to 9).

    Parameters
    ----------
    shape : SetUpShape

    Members
    -------
    index : In(2)
        Number of the manager; constant.
    begin : In(1), command : In(COMMAND)
        A command; only while none runs.
    abort : In(1)
        It is to end; only while one runs.
    status : Out(MANAGER_STATUS)
    read : Out, reads : Out(1), word : In(32)
        Address in the memory, whether it is read, and the word, which stays from the next cycle on.
    valid : Out(1), flit : Out(flit), leaves : In(1)
        A flit on offer, and whether it leaves.
    replied : In(1), reply : In(REPLY)
        A reply to a request has come.
    unexpected : Out(1)
        It was not awaited.
    """

    def __init__(self, shape: SetUpShape) -> None:
        self._shape = shape
        super().__init__(
            {
                "index": In(2),
                "begin": In(1),
                "command": In(struct(COMMAND)),
                "abort": In(1),
                "status": Out(struct(MANAGER_STATUS)),
                "read": Out(range(shape.words)),
                "reads": Out(1),
                "word": In(WORD_BITS),
                "valid": Out(1),
                "flit": Out(struct(shape.flit)),
                "leaves": In(1),
                "replied": In(1),
                "reply": In(struct(REPLY)),
                "unexpected": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        stride, state = self._shape.stride, self.status.state
        setup, limit, count = Signal(), Signal(range(self._shape.requests + 1)), Signal(10)
        # The next request: its number, and its first word in memory.
        request, base = Signal.like(limit), Signal.like(self.read)
        place, tail, tag = Signal(range(stride)), Signal(), Signal(2)
        step, last_part, over, ending, ends = (Signal() for _ in range(5))
        awaited, refused = Signal.like(limit), Signal()
        m.d.comb += [
            last_part.eq(limit == count),
            tail.eq(place == Mux(setup, stride - 1, 1)),
            ends.eq(ending & (~self.valid | ((place == 0) & ~self.leaves))),
            step.eq((state == ManagerState.RUNNING) & ~self.valid),
            over.eq(step & (request == limit) & (awaited == 0)),
        ]
        with m.If(step & (request != limit)):
            m.d.comb += [self.reads.eq(1), self.read.eq(base)]
            m.d.sync += [self.valid.eq(1), place.eq(0)]
        with m.If(self.leaves):
            m.d.comb += [self.reads.eq(~tail), self.read.eq(base + place + 1)]
            m.d.sync += place.eq(place + 1)
            with m.If(tail):
                m.d.sync += [self.valid.eq(0), request.eq(request + 1), base.eq(base + stride)]
        with m.If(over):
            with m.If(refused):
                m.d.sync += state.eq(ManagerState.FAILED)
            with m.Elif(last_part):
                m.d.sync += state.eq(ManagerState.DONE)
            with m.Else():
                m.d.sync += limit.eq(count)
        self._await(m, awaited, refused, tag, self.leaves & tail)
        with m.If(self.begin):
            setup_comes = self.command.operation == Operation.SETUP
            m.d.sync += [
                self.status.eq(0),
                state.eq(ManagerState.RUNNING),
                setup.eq(setup_comes),
                count.eq(self.command.count),
                limit.eq(self.command.count - setup_comes),
                request.eq(0),
                base.eq(0),
                refused.eq(0),
            ]
        with m.If(self.abort & ~(over & (refused | last_part))):
            m.d.sync += ending.eq(1)
        with m.If(ends):
            # Whatever a step in this cycle would do is undone.
            m.d.sync += [
                state.eq(ManagerState.FAILED),
                self.status.code.eq(Answer.ABORTED),
                self.valid.eq(0),
                awaited.eq(0),
                tag.eq(tag + 1),
                ending.eq(0),
            ]
        self._offer(m, setup, last_part, request, place, tail, tag)
        return m

    def _await(
        self, m: Module, awaited: Signal, refused: Signal, tag: Signal, asked: Signal
    ) -> None:
        """Count the replies that are awaited, and keep the first refusal, or the last epoch."""
        ours = Signal()
        m.d.comb += [
            ours.eq(self.replied & (awaited != 0) & (self.reply.tag == tag)),
            self.unexpected.eq(self.replied & ~ours),
        ]
        m.d.sync += awaited.eq(awaited + asked - ours)
        with m.If(ours & ~refused):
            m.d.sync += self.status.epoch.eq(self.reply.epoch)
            with m.If(self.reply.code != Answer.OK):
                m.d.sync += [
                    refused.eq(1),
                    self.status.code.eq(self.reply.code),
                    self.status.request.eq(self.reply.number),
                ]

    def _offer(
        self,
        m: Module,
        setup: Signal,
        last_part: Signal,
        request: Signal,
        place: Signal,
        tail: Signal,
        tag: Signal,
    ) -> None:
        """Make the flit on offer out of a word in memory."""
        asked = struct(REQUEST)(Signal(REQUEST.width, name="asked"))
        first = Mux(last_part, Operation.START, Operation.SETUP)
        m.d.comb += [
            asked.eq(self.word),
            asked.operation.eq(Mux(setup, first, Operation.KILL)),
            asked.manager.eq(self.index),
            asked.tag.eq(tag),
            asked.sequence.eq(request),
        ]
        payload = Mux(place == 1, asked.as_value(), self.word)
        with m.If(self.valid):
            m.d.comb += self.flit.eq(self._shape.flit_of(payload, place == 0, tail))
