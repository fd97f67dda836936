"""Streams in small: layouts of a few places, stand-ins of parts, and the proof of a buffer."""

from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from syncfabric.models.layout.streams import StreamLayout
from syncfabric.rtl.parts import places
from syncfabric.rtl.streams import plane
from syncfabric.rtl.streams.buffer import StreamBuffer
from syncfabric.rtl.streams.plane import StreamChannel
from tests.formal.properties import Properties

DATA = 7
"""Bits of a word's data that are free: all that a head has; the others are 0."""
MOST = 3
"""Streams whose heads have gone up and whose tails have not come down, and places of a channel."""

places.TAPS.setdefault(2, (1, 0))


@dataclass(frozen=True)
class Small(StreamLayout):
    """A layout whose buffers hold three words of a channel: fewer, and all still works."""

    @property
    def place_bits(self) -> int:
        return 2


class Slow(Small):
    """Operators take two cycles."""

    @property
    def operator_latency(self) -> int:
        return 2


class FewSets(StreamChannel):
    """A channel that keeps three sets of ports, where others keep fifteen."""

    def elaborate(self, platform: object) -> Module:
        with patch.object(plane, "MOST_SETS", MOST):
            return super().elaborate(platform)


def one_at_most(word: Value) -> Value:
    """Return whether no two bits are set."""
    return (word & (word - 1)) == 0


def word_of(layout: StreamLayout, free: Value) -> Value:
    """Return a word whose flags and lowest bits of data are these; the other data are 0."""
    return Cat(free[:DATA], Const(0, layout.bits - DATA), free[DATA:])


class Group:
    """The slot of a channel: any group after the other, set up when the channel has drained.

    Parameters
    ----------
    m, claims
        Of the wrapper.
    layout : StreamLayout
    name : str
    free : Value
        Its commands, and the image of the next group: ``Group.width(layout)`` bits.

    Attributes
    ----------
    alive, starts, children, parent : Value
        What streams see of it.
    waits : Signal
        SETUP is put off.
    """

    def __init__(
        self, m: Module, claims: Properties, layout: StreamLayout, name: str, free: Value
    ) -> None:
        self.alive, self.waits = Signal(name=f"{name}_alive"), Signal(name=f"{name}_waits")
        self.children = Signal(layout.ports, name=f"{name}_children")
        self.parent = Signal(layout.links, name=f"{name}_parent")
        setup, kill, go = free[0], free[1], free[2]
        children, parent = free[3 : 3 + layout.ports], free[3 + layout.ports :]
        self.starts = self.alive & go
        claims.assume(one_at_most(parent), (parent & children) == 0, children.any())
        with m.If(self.alive):
            m.d.sync += self.alive.eq(~kill)
        with m.Elif(setup & ~self.waits):
            m.d.sync += [self.alive.eq(1), self.children.eq(children), self.parent.eq(parent)]

    @staticmethod
    def width(layout: StreamLayout) -> int:
        """Return the bits of ``free``."""
        return 3 + layout.ports + layout.links


class FreeBuffer(StreamBuffer):
    """Counts words, and shows any word as the first one: all that a buffer can do, and more.

    Parameters
    ----------
    layout : StreamLayout
    channels : int
    free : Value
        What it shows.
    blank : bool
        As of :class:`StreamBuffer`.
    """

    def __init__(
        self, layout: StreamLayout, channels: int, free: Value, *, blank: bool = False
    ) -> None:
        super().__init__(layout, channels, blank=blank)
        self._free, self._most = free, layout.places
        self.levels = [Signal(range(layout.places + 1), name=f"level_{c}") for c in range(channels)]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        for c, level in enumerate(self.levels):
            full = level == self._most
            m.d.comb += [self.holds[c].eq(level != 0), self.overflow[c].eq(self.valid[c] & full)]
            m.d.sync += level.eq(level + (self.valid[c] & ~full) - self.pop[c])
        m.d.comb += self.front.as_value().eq(Mux(self.show.any(), self._free, 0))
        m.d.sync += self.credit.eq(self.pop)
        return m


class StreamBufferProof(wiring.Component):
    """A buffer of two channels between anybody who sends and anybody who looks and takes.

    Members
    -------
    comes, show, pop : In(2)
        By channel.
    word : In(2)
        What comes: a marked one among others of any contents.
    mark : In(1), which : In(1)
        The word of this cycle is watched; of which channel.
    """

    def __init__(self) -> None:
        super().__init__(
            {name: In(2) for name in ("comes", "show", "pop", "word")}
            | {"mark": In(1), "which": In(1)}
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims, layout = Properties(m), Small(2, 32, ("add",), "tree", 3, True)
        m.submodules.buffer = buffer = StreamBuffer(layout, 2, blank=True)
        front: Any = buffer.front
        levels = [Signal(range(MOST + 1), name=f"level_{c}") for c in range(2)]
        some, full = Cat(n != 0 for n in levels), Cat(n == MOST for n in levels)
        comes = self.comes & ~full
        ready = claims.before("ready", 1)  # the first cycle is the last of reset
        claims.assume(one_at_most(self.comes), one_at_most(self.show))
        claims.assume(ready | ((self.comes | self.word) == 0))
        claims.assume(((self.show | self.pop) & ~some) == 0)
        m.d.comb += [
            buffer.clear.eq(~ready),
            buffer.valid.eq(self.comes),
            buffer.word.as_value().eq(self.word),
            buffer.show.eq(self.show),
            buffer.pop.eq(self.pop),
        ]
        m.d.sync += [n.eq(n + comes[c] - self.pop[c]) for c, n in enumerate(levels)]
        which = claims.constant("whose", self.which)
        level = Mux(which, levels[1], levels[0])
        position, kept, been = Signal(range(MOST + 1)), Signal(2), Signal()
        pops, pushes = (word.bit_select(which, 1) for word in (self.pop, comes))
        with m.If(self.mark & pushes & ~been):
            m.d.sync += [been.eq(1), kept.eq(self.word), position.eq(level + 1 - pops)]
        with m.Elif(pops & (position != 0)):
            m.d.sync += position.eq(position - 1)
        shown = self.show.bit_select(which, 1) & (position == 1)
        word = front.as_value()
        claims.holds("first in is first out, as it came", ~shown | (word == kept))
        claims.holds("it holds a word exactly if more came than went", buffer.holds == some)
        claims.holds("what is not shown reads as 0", ~ready | self.show.any() | (word == 0))
        claims.holds("dropped exactly when full", buffer.overflow == (self.comes & full))
        gone = claims.before("gone", self.pop)
        claims.holds("a credit for each that leaves", buffer.credit == gone)
        claims.reached("a full channel beside a full one", full.all())
        claims.reached("the watched one leaves behind others", shown & pops & some.all())
        return m
