"""First in, first out: nothing is lost, made up or turned around, whoever pushes and pops."""

from collections.abc import Callable
from dataclasses import dataclass
from unittest.mock import patch

from amaranth import Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In

from syncfabric.rtl.parts import gid_queue
from syncfabric.rtl.parts.channel import ChannelControl
from syncfabric.rtl.parts.gid_queue import GidQueue
from syncfabric.rtl.static.buffer import FlitBuffer
from syncfabric.rtl.traffic.queue import WaitingQueue
from tests.formal.properties import Properties

__all__ = ["FifoProof", "channel", "flit_buffer", "gids", "waiting"]

WIDTH = 2
"""Bits of an entry: it is a marked one among others of any contents."""


@dataclass(frozen=True)
class Fifo:
    """A buffer as all are looked at.

    Parameters
    ----------
    push, entry, pop : Value
        What it is given. The wrapper drives these; `pop` only while there is `some`.
    some, front : Value
        There is a front entry, and which; with `late` in the cycle after its pop.
    lost : Value or None
        What is pushed in this cycle is not taken.
    full, number : Value or None
        All places are taken; how many are.
    polite : bool
        Nothing is pushed while it is full.
    clear : Value or None
        Empties it.
    """

    push: Value
    entry: Value
    pop: Value
    some: Value
    front: Value
    lost: Value | None = None
    full: Value | None = None
    number: Value | None = None
    late: bool = False
    polite: bool = False
    clear: Value | None = None


Make = Callable[[Module, int], Fifo]


class FifoProof(wiring.Component):
    """A buffer between anybody who pushes and anybody who pops.

    Parameters
    ----------
    make : callable
        Places the buffer.
    places : int
        What it has to hold.
    """

    def __init__(self, make: Make, places: int) -> None:
        self._make, self._places = make, places
        super().__init__(
            {"push": In(1), "entry": In(WIDTH), "pop": In(1), "mark": In(1), "clear": In(1)}
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims, places = Properties(m), self._places
        fifo = self._make(m, places)
        level, position = Signal(range(places + 1)), Signal(range(places + 1))
        kept, been, pops, pushes = Signal(WIDTH), Signal(), Signal(), Signal()
        full = level == places
        m.d.comb += [
            pops.eq(self.pop & (level != 0)),
            pushes.eq(self.push & ~full),
            fifo.push.eq(self.push & (~full if fifo.polite else 1)),
            fifo.entry.eq(self.entry),
            fifo.pop.eq(pops),
        ]
        m.d.sync += level.eq(level + pushes - pops)
        with m.If(self.mark & pushes & ~been):
            m.d.sync += [been.eq(1), kept.eq(self.entry), position.eq(level + 1 - pops)]
        with m.Elif(pops & (position != 0)):
            m.d.sync += position.eq(position - 1)
        if fifo.clear is not None:
            m.d.comb += fifo.clear.eq(self.clear)
            with m.If(self.clear):
                m.d.sync += [level.eq(0), position.eq(0)]
        leaves: Value = (position == 1) & pops
        if fifo.late:
            leaves = claims.before("leaves", leaves)
        claims.holds("first in is first out, as it came", ~leaves | (fifo.front == kept))
        claims.holds("there is some exactly if more came than went", fifo.some == (level != 0))
        if fifo.lost is not None:
            claims.holds("refused exactly when full", fifo.lost == (self.push & full))
        if fifo.full is not None:
            claims.holds("full exactly with all places taken", fifo.full == full)
        if fifo.number is not None:
            claims.holds("the number is what came less what went", fifo.number == level)
        claims.reached("all places taken", full)
        claims.reached("the marked one leaves", leaves)
        return m


def channel(m: Module, places: int) -> Fifo:
    """Place the control of an ordinary channel, with a memory as the input port has it."""
    m.submodules.fifo = part = ChannelControl(places, (0, 1, 2, 4), 5)
    m.submodules.memory = memory = Memory(shape=WIDTH, depth=places, init=[])
    write, read = memory.write_port(), memory.read_port(domain="comb")
    m.d.comb += [
        write.en.eq(part.push & ~part.overflow),
        write.addr.eq(part.write_place),
        read.addr.eq(part.read_place),
    ]
    return Fifo(part.push, write.data, part.pop, part.occupied, read.data, lost=part.overflow)


def flit_buffer(m: Module, places: int) -> Fifo:
    """Place the buffer of a static switch; after reset, as its links clear it."""
    m.submodules.fifo = part = FlitBuffer(places, WIDTH)
    return Fifo(
        part.push, part.flit, part.pop, part.some, part.front,
        lost=part.overflow, number=part.number, clear=part.clear,
    )  # fmt: skip


def waiting(m: Module, places: int) -> Fifo:
    """Place the queue of a traffic source."""
    m.submodules.fifo = part = WaitingQueue(WIDTH, places)
    return Fifo(part.push, part.entry, part.leave, part.waiting, part.first, lost=part.lost)


class _SmallGidQueue(GidQueue):
    """The queue with fewer places; in nothing else does their number count."""

    def __init__(self, places: int) -> None:
        self._places = places
        super().__init__()

    def elaborate(self, platform: object) -> Module:
        with patch.object(gid_queue, "PLACES", self._places):
            return super().elaborate(platform)


def gids(m: Module, places: int) -> Fifo:
    """Place a queue of GIDs, of fewer places."""
    m.submodules.fifo = part = _SmallGidQueue(places)
    return Fifo(
        part.push, part.gid[:WIDTH], part.pop, part.some, part.oldest[:WIDTH],
        full=part.full, late=True, polite=True,
    )  # fmt: skip
