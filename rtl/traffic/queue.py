"""Where what a source has to send waits, and how software puts flits there."""

from amaranth import ClockSignal, Instance, Module, Mux, ResetSignal, Signal
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

WORD_BITS = 32
"""Least bits of a payload as software puts it."""


def put_flit(flit_bits: int) -> data.StructLayout:
    """Return a flit as software puts it: of its channels that of a packet's first flit counts."""
    payload = max(WORD_BITS, flit_bits)
    return data.StructLayout({"channel": 4, "head": 1, "tail": 1, "payload": payload})


class PutSignature(wiring.Signature):
    """A flit a cycle, into a queue; what does not fit is lost, and counted.

    Parameters
    ----------
    flit_bits : int
        Payload bits of a flit in the network.

    Members
    -------
    valid : Out(1)
        There is a flit.
    flit : Out(put_flit(flit_bits))
        The flit.
    """

    def __init__(self, flit_bits: int) -> None:
        super().__init__({"valid": Out(1), "flit": Out(put_flit(flit_bits))})


class WaitingQueue(wiring.Component):
    """A deep queue in memory; an entry pushed in one cycle can leave in the next.

    Parameters
    ----------
    width : int
        Bits of an entry.
    depth : int, >= 2
        Entries that can wait; a power of two.

    Members
    -------
    push : In(1), entry : In(width)
        An entry comes.
    lost : Out(1)
        There is no place for it.
    waiting : Out(1), first : Out(width)
        There is an entry, and the oldest.
    leave : In(1)
        The oldest goes; only while ``waiting``.
    """

    def __init__(self, width: int, depth: int) -> None:
        self._width, self._depth = width, depth
        super().__init__(
            {
                "push": In(1),
                "entry": In(width),
                "lost": Out(1),
                "waiting": Out(1),
                "first": Out(width),
                "leave": In(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.store = store = memory.Memory(shape=self._width, depth=self._depth, init=[])
        write = store.write_port()
        read = store.read_port(transparent_for=[write])
        first, last, after = (Signal(range(self._depth)) for _ in range(3))
        behind, full, accepted, kept, moves = (Signal() for _ in range(5))
        word = Signal.like(self.entry)
        # The oldest is in flip-flops, for a memory answers late in the cycle; behind it are others.
        m.d.comb += [
            # One is before the memory, which is never filled: its pointers say how much is there.
            full.eq((last + 1)[: len(last)] == first),
            self.lost.eq(self.push & full),
            accepted.eq(self.push & ~full),
            kept.eq(self.waiting & ~self.leave),
            moves.eq(behind & ~kept),
            write.en.eq(accepted & (kept | behind)),
            write.addr.eq(last),
            # Of what does not come nothing changes, so that simulations can let it sleep.
            word.eq(Mux(self.push, self.entry, 0)),
            write.data.eq(word),
            after.eq(first + 1),
            read.addr.eq(Mux(moves, after, first)),
        ]
        m.d.sync += [
            first.eq(read.addr),
            behind.eq(write.en | (behind & ~(moves & (after == last)))),
            self.waiting.eq(kept | behind | accepted),
        ]
        with m.If(write.en):
            m.d.sync += last.eq(last + 1)
        with m.If(~kept & (behind | self.push)):
            m.d.sync += self.first.eq(Mux(behind, read.data, word))
        return m


class QueueApart(WaitingQueue):
    """The same queue, an instance of the module `queue_module`, which is converted apart.

    Amaranth writes the first content of a deep memory bit by bit: seconds, in every conversion of
    what it is part of.
    """

    def elaborate(self, platform: object) -> Instance:
        return Instance(
            queue_module(self._width, self._depth),
            i_clk=ClockSignal(),
            i_rst=ResetSignal(),
            i_push=self.push,
            i_entry=self.entry,
            o_lost=self.lost,
            o_waiting=self.waiting,
            o_first=self.first,
            i_leave=self.leave,
        )


class NoQueue(WaitingQueue):
    """In place of the queue, where nothing is to be sent: all is lost."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.comb += self.lost.eq(self.push)
        return m


def queue_module(width: int, depth: int) -> str:
    """Return the name of the Verilog module of a `WaitingQueue`."""
    return f"waiting_queue_{depth}x{width}"
