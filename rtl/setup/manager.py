"""A manager: sets groups up, and tears them down, by packets to the routers of their trees."""

from amaranth import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from syncfabric.models.messages import (
    CONFIG_ADDRESS_BITS,
    MANAGER_BASE,
    MANAGER_COMMAND,
    MANAGER_STATUS,
    REPLY,
    Answer,
    ManagerState,
    ManagerWord,
    Request,
)
from syncfabric.rtl.guard.cut import is_cut
from syncfabric.rtl.messages import struct
from syncfabric.rtl.setup.format import SEQUENCES, SetupFormat
from syncfabric.rtl.setup.freed_queue import FreedQueue
from syncfabric.rtl.setup.rounds import Rounds

__all__ = ["Manager", "memory_words"]


def memory_words(form: SetupFormat) -> int:
    """Return how many words a manager needs to reach every router at once: a power of two."""
    return 1 << ceil_log2(form.stride * min(SEQUENCES, form.routers))


class Manager(wiring.Component):
    """A memory of requests, a sender that works through it, and what the replies say.

    Cycles as in docs/microarchitecture.md, S5.

    Parameters
    ----------
    form : SetupFormat
        Flit, and words of an entry.
    depth : int, optional
        Words of the memory; a power of two. As `memory_words` if left out.

    Members
    -------
    enabled : In(1), index : In(2)
        The manager is built, and which it is; constant. One that is not built does nothing.
    valid : In(1), address : In(12), write : In(1), data : In(32)
        A config request for the node.
    mine : Out(1)
        The address of the request is the manager's: it answers, and nobody else.
    ready, error : Out(1), rdata : Out(32)
        The answer, in the next cycle; 0 in others.
    refused_write, stray : Out(1)
        A write is refused; a reply comes that is of no use.
    request_valid : Out(1), request_flit : Out(flit), request_taken : In(1)
        A flit on offer, and whether it leaves.
    reply_valid : In(1), reply_flit : In(flit)
        A flit of a reply comes.
    """

    def __init__(self, form: SetupFormat, depth: int | None = None) -> None:
        self._form = form
        self._depth = memory_words(form) if depth is None else depth
        if self._depth & (self._depth - 1) or self._depth < form.stride:
            raise ValueError(
                f"Manager needs a power of two of words, at least {form.stride}, "
                f"not {self._depth!r}"
            )
        flit = struct(form.flit)
        super().__init__(
            {
                "enabled": In(1),
                "index": In(2),
                "valid": In(1),
                "address": In(CONFIG_ADDRESS_BITS),
                "write": In(1),
                "data": In(32),
                "mine": Out(1),
                "ready": Out(1),
                "error": Out(1),
                "rdata": Out(32),
                "refused_write": Out(1),
                "stray": Out(1),
                "request_valid": Out(1),
                "request_flit": Out(flit),
                "request_taken": In(1),
                "reply_valid": In(1),
                "reply_flit": In(flit),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        form = self._form
        m.submodules.rounds = rounds = Rounds(form, self._depth)
        m.submodules.freed = freed = FreedQueue()
        m.submodules.memory = memory = Memory(shape=32, depth=self._depth, init=[])
        store, load = memory.write_port(), memory.read_port()
        running = rounds.status.state == ManagerState.RUNNING

        # The config port.
        word = self.address[:3]
        command = struct(MANAGER_COMMAND)(self.data[: MANAGER_COMMAND.width])
        pointer, refused, accepted = Signal(len(store.addr)), Signal(), Signal()
        aborts, senseless = Signal(), Signal()
        m.d.comb += [
            aborts.eq((word == ManagerWord.COMMAND) & (command.operation == Request.ABORT)),
            senseless.eq((command.count == 0) | (command.count > rounds.entries)),
            self.mine.eq(
                self.valid
                & self.enabled
                & (self.address[3:] == MANAGER_BASE >> 3)
                & (word < len(ManagerWord))
            ),
            refused.eq(
                Mux(
                    self.write,
                    Mux(
                        aborts,
                        ~running,
                        running
                        | (word > ManagerWord.COMMAND)
                        | ((word == ManagerWord.COMMAND) & senseless),
                    ),
                    word < ManagerWord.STATUS,
                )
            ),
            accepted.eq(self.mine & ~refused),
            self.refused_write.eq(self.mine & self.write & refused),
            store.en.eq(accepted & self.write & (word == ManagerWord.DATA)),
            store.addr.eq(pointer),
            store.data.eq(self.data),
            rounds.begin.eq(accepted & self.write & (word == ManagerWord.COMMAND) & ~aborts),
            rounds.abort.eq(accepted & self.write & aborts),
            rounds.command.eq(command),
            freed.pop.eq(accepted & ~self.write & (word == ManagerWord.FREED)),
        ]
        with m.If(store.en):
            m.d.sync += pointer.eq(pointer + 1)
        with m.If(accepted & self.write & (word == ManagerWord.POINTER)):
            m.d.sync += pointer.eq(self.data)
        status, popped = Signal(MANAGER_STATUS.width), Signal()
        m.d.sync += [
            self.ready.eq(self.mine),
            self.error.eq(self.mine & refused),
            popped.eq(freed.pop),
            status.eq(
                Mux(
                    accepted & ~self.write & (word == ManagerWord.STATUS),
                    rounds.status.as_value(),
                    0,
                )
            ),
        ]
        gid = Cat(freed.oldest, Const(1, 1))
        m.d.comb += self.rdata.eq(status | Mux(popped & freed.found, gid, 0))

        # Requests go out, replies come in.
        reply = struct(REPLY)(self.reply_flit.payload[: REPLY.width])
        ends, cut, came, tells_freed = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            rounds.index.eq(self.index),
            load.addr.eq(rounds.read),
            load.en.eq(rounds.reads),
            rounds.word.eq(load.data),
            self.request_valid.eq(rounds.valid),
            self.request_flit.eq(rounds.flit),
            rounds.taken.eq(self.request_taken),
            ends.eq(self.enabled & self.reply_valid & self.reply_flit.tail),
            cut.eq(ends & is_cut(self.reply_flit, form.flit)),
            came.eq(ends & ~cut),
            tells_freed.eq(reply.code == Answer.FREED),
            freed.push.eq(came & tells_freed),
            freed.gid.eq(reply.gid),
            rounds.answer.eq(came & ~tells_freed),
            rounds.code.eq(reply.code),
            rounds.sequence.eq(reply.sequence),
            rounds.tag.eq(reply.tag),
            self.stray.eq(freed.overflow | rounds.unasked | cut),
        ]
        return m
