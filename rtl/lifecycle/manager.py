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
    Answer,
    ManagerState,
    ManagerWord,
    Operation,
)
from syncfabric.models.messages import COUNTER_BITS, Layout
from syncfabric.rtl.engine.ports import EngineConfigSignature
from syncfabric.rtl.lifecycle.queue import WordQueue
from syncfabric.rtl.lifecycle.sender import RequestSender
from syncfabric.rtl.lifecycle.shape import SetUpShape
from syncfabric.rtl.messages import struct
from syncfabric.rtl.transport.words import Words

__all__ = ["Manager"]


_READ = {
    ManagerWord.STATUS: MANAGER_STATUS.width,
    ManagerWord.FREED: WORD_BITS,
    ManagerWord.UNEXPECTED: COUNTER_BITS,
}
_WRITTEN = (ManagerWord.POINTER, ManagerWord.DATA, ManagerWord.COMMAND)


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
        m.submodules.words = words = Words({int(w): n for w, n in _READ.items()}, _WRITTEN)
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
