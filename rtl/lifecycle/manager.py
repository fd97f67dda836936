"""A manager: sets groups up and ends them by packets to the routers of their trees."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.engine import WORD_BITS
from syncfabric.models.layout.setup import (
    COMMAND,
    FREED,
    FREED_PLACES,
    MANAGER_STATUS,
    REPLY,
    REQUEST,
    Answer,
    ManagerState,
    Operation,
)
from syncfabric.models.layout.words import ManagerWord
from syncfabric.models.messages.layout import Layout
from syncfabric.models.messages.words import COUNTER_BITS
from syncfabric.rtl.engine.ports import EngineConfigSignature
from syncfabric.rtl.lifecycle.queue import WordQueue
from syncfabric.rtl.lifecycle.shape import SetUpShape
from syncfabric.rtl.messages import struct
from syncfabric.rtl.transport.config_chain import Words


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


class Manager(wiring.Component):
    """A memory of requests, a sender, and a queue of groups that have ended.

    Rules: docs/microarchitecture-networks.md, N5.

    Parameters
    ----------
    shape : SetUpShape

    Members
    -------
    enable : In(1), index : In(2)
        The manager is built, and its number; constant. One that is not built does nothing, and
        answers with an error.
    config : In(EngineConfigSignature)
    request_valid : Out(1), request_flit : Out(flit), request_leaves : In(1)
        A flit on offer, and whether it leaves.
    reply_valid : In(1), reply_flit : In(flit)
        A flit of a reply comes.
    unexpected : Out(1)
        A reply that is not awaited, or cut; or a group that has ended, and finds no place.
    count : In(8)
        What UNEXPECTED reads.
    """

    def __init__(self, shape: SetUpShape) -> None:
        self._shape = shape
        flit = struct(shape.flit)
        super().__init__(
            {
                "enable": In(1),
                "index": In(2),
                "config": In(EngineConfigSignature()),
                "request_valid": Out(1),
                "request_flit": Out(flit),
                "request_leaves": In(1),
                "reply_valid": In(1),
                "reply_flit": In(flit),
                "unexpected": Out(1),
                "count": In(COUNTER_BITS),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        shape = self._shape
        m.submodules.words = words = Words(ManagerWord.widths("r"), ManagerWord.widths("w"))
        m.submodules.sender = sender = RequestSender(shape)
        m.submodules.ended = ended = WordQueue(FREED.width - 6, FREED_PLACES)
        m.submodules.memory = memory = Memory(shape=WORD_BITS, depth=shape.words, init=[])
        store, load = memory.write_port(), memory.read_port()
        wiring.connect(m, wiring.flipped(self.config), words.config)

        # Requests are written while no command runs.
        command, pointer = (
            struct(COMMAND)(self.config.data[: COMMAND.width]),
            Signal.like(store.addr),
        )
        running, is_command, aborts = Signal(), Signal(), Signal()
        senseless = (command.operation == Operation.START) | (command.count == 0)
        m.d.comb += [
            running.eq(sender.status.state == ManagerState.RUNNING),
            is_command.eq(self.config.address == ManagerWord.COMMAND),
            aborts.eq(is_command & (command.operation == Operation.ABORT)),
            words.refuse.eq(
                ~self.enable
                | (
                    self.config.write
                    & Mux(
                        aborts,
                        ~running,
                        running | (is_command & (senseless | (command.count > shape.requests))),
                    )
                )
            ),
            store.en.eq(words.write_1),
            store.addr.eq(pointer),
            store.data.eq(self.config.data),
            sender.begin.eq(words.write_2 & ~aborts),
            sender.abort.eq(words.write_2 & aborts),
            sender.command.eq(command),
        ]
        with m.If(words.write_0):
            m.d.sync += pointer.eq(self.config.data)
        with m.Elif(words.write_1):
            m.d.sync += pointer.eq(pointer + 1)

        m.d.comb += [
            sender.index.eq(self.index),
            load.addr.eq(sender.read),
            load.en.eq(sender.reads),
            sender.word.eq(load.data),
            self.request_valid.eq(sender.valid),
            self.request_flit.eq(sender.flit),
            sender.leaves.eq(self.request_leaves),
        ]

        reply = struct(REPLY)(self.reply_flit.payload[: REPLY.width])
        comes, cut, is_freed = Signal(), Signal(), Signal()
        m.d.comb += [
            comes.eq(self.enable & self.reply_valid & self.reply_flit.tail),
            cut.eq(is_cut(self.reply_flit, shape.flit)),
            is_freed.eq(reply.code == Answer.FREED),
            sender.replied.eq(comes & ~cut & ~is_freed),
            sender.reply.eq(reply),
            ended.push.eq(comes & ~cut & is_freed),
            ended.word.eq(Cat(reply.number, reply.epoch, reply.entry)),
            ended.pop.eq(words.reads_4 & ended.some),
            words.read_3.eq(sender.status),
            words.read_4.eq(Mux(ended.some, Cat(ended.first, Const(0, 5), Const(1, 1)), 0)),
            words.read_16.eq(self.count),
            self.unexpected.eq((comes & cut) | sender.unexpected | (ended.push & ended.full)),
        ]
        return m


def is_cut(flit: Any, layout: Layout) -> Value:
    """Return whether a flit ends a packet whose rest is lost; never where links have no guards."""
    return flit.tail & flit.cut if "cut" in layout.offsets else Const(0, 1)
