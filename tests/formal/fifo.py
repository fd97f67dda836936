"""First in, first out: nothing is lost, made up or turned around, whoever pushes and pops."""

from collections.abc import Callable
from dataclasses import dataclass

from amaranth import Const, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In

from syncfabric.models.layout.engine import EngineLayout, Kind
from syncfabric.rtl.engine.sources import Queue
from syncfabric.rtl.parts import places
from syncfabric.rtl.router.input_port import ChannelControl
from syncfabric.rtl.static.buffer import FlitBuffer
from syncfabric.rtl.traffic.queue import WaitingQueue
from tests.formal.properties import Properties

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
        There is a front entry, and which.
    lost : Value or None
        What is pushed in this cycle is not taken.
    full, number : Value or None
        All places are taken; how many are.
    polite : bool
        Nothing is pushed while it is full.
    clear : Value or None
        Empties it.
    shy : Value or None
        What is pushed is refused where anything waits.
    slow : bool
        The next entry may be there up to two cycles late.
    """

    push: Value
    entry: Value
    pop: Value
    some: Value
    front: Value
    lost: Value | None = None
    full: Value | None = None
    number: Value | None = None
    polite: bool = False
    clear: Value | None = None
    shy: Value | None = None
    slow: bool = False


# The engine's queues have 16 places at least; a proof looks at 4.
places.TAPS.setdefault(2, (1, 0))

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
        shy = Const(0, 1) if fifo.shy is None else fifo.shy
        m.d.comb += [
            pops.eq(self.pop & (fifo.some if fifo.slow else level != 0)),
            pushes.eq(fifo.push & ~full & ~(shy & (level != pops))),
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
        claims.holds("first in is first out, as it came", ~leaves | (fifo.front == kept))
        if fifo.slow:
            hides = (level != 0) & ~fifo.some
            hid = claims.before("hides", hides)
            claims.holds("there is some only if more came than went", (level != 0) | ~fifo.some)
            claims.holds("an entry is there in time", ~(hides & hid & claims.before("hid", hid)))
        else:
            claims.holds("there is some exactly if more came than went", fifo.some == (level != 0))
        if fifo.lost is not None:
            claims.holds("refused exactly when full", fifo.lost == (fifo.push & ~pushes))
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


def messages(m: Module, places: int, *, block: bool = False) -> Fifo:
    """Place an input of an engine; an entry is the kind of a message.

    Block RAM is not filled: it holds no more than 4 with its head.
    """
    part = Queue(EngineLayout(1, False, 2, 0, "none"), block=block)
    part._places = 4
    m.submodules.fifo = part
    kind = part.message.kind
    there = Signal()
    m.d.sync += there.eq(part.waits | part.comes)
    return Fifo(
        part.valid, kind, part.take, there, part.head.kind,
        lost=part.overflow, shy=kind == Kind.BROKEN, slow=block, polite=block,
    )  # fmt: skip


class CapacityProof(wiring.Component):
    """An input of an engine with as many entries as places, whose neighbour keeps the contract.

    The neighbour has no more messages unmerged than there are entries, those of kind BROKEN not
    counted.
    """

    def __init__(self) -> None:
        super().__init__({"valid": In(1), "kind": In(2), "take": In(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims = Properties(m)
        fifo = messages(m, 5)
        unmerged, comes, goes = Signal(range(5)), Signal(), Signal()
        broken = self.kind == Kind.BROKEN
        m.d.comb += [
            fifo.push.eq(self.valid & (broken | (unmerged != 4))),
            fifo.entry.eq(self.kind),
            fifo.pop.eq(self.take & fifo.some),
            comes.eq(fifo.push & ~broken),
            goes.eq(fifo.pop & (fifo.front != Kind.BROKEN)),
        ]
        m.d.sync += unmerged.eq(unmerged + comes - goes)
        claims.holds("no message is dropped but BROKEN", (fifo.lost == 0) | broken)
        claims.reached("4 messages behind a BROKEN", (unmerged == 4) & (fifo.front == Kind.BROKEN))
        return m
