"""Credits: a sender and a buffer, with any delay of the link there and back."""

from amaranth import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from syncfabric.rtl.parts.counter import SaturatingCounter
from syncfabric.rtl.parts.credit import CreditCounter
from syncfabric.rtl.router.input_port import ChannelControl
from syncfabric.rtl.static.buffer import Level
from tests.formal.properties import Properties


class CreditProof(wiring.Component):
    """A credit counter, a link of any delay, the control of a channel, credits that come back.

    Each flit and each credit takes as long as it likes.

    Parameters
    ----------
    places : int
    """

    def __init__(self, places: int) -> None:
        self._places = places
        super().__init__({name: In(1) for name in ("want", "comes", "leaves", "returns")})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims, places = Properties(m), self._places
        m.submodules.sender = sender = CreditCounter(places)
        m.submodules.buffer = buffer = ChannelControl(places, (0, 1), 2)
        # One more than there can be, so that one too many shows.
        flying, stored, freed, back = (
            Signal(range(places + 2), name=name) for name in ("flying", "stored", "freed", "back")
        )
        sends, comes = Signal(), Signal()
        leaves, returns = Signal(), Signal()
        m.d.comb += [
            sends.eq(self.want & sender.available),
            comes.eq(self.comes & (flying != 0)),
            leaves.eq(self.leaves & buffer.occupied),
            returns.eq(self.returns & (back != 0)),
            sender.spend.eq(sends),
            sender.credit.eq(returns),
            buffer.push.eq(comes),
            buffer.pop.eq(leaves),
        ]
        m.d.sync += [
            flying.eq(flying + sends - comes),
            stored.eq(stored + (comes & ~buffer.overflow) - leaves),
            freed.eq(leaves),
            back.eq(back + buffer.credit - returns),
        ]
        in_flight = flying + stored
        claims.holds("never more in flight than places", in_flight <= places)
        claims.holds("the buffer never overflows", ~buffer.overflow)
        claims.holds("a credit comes back for each flit that leaves", buffer.credit == freed)
        claims.holds(
            "a credit is spent, on the path back, or there",
            sender.available == (in_flight + freed + back < places),
        )
        claims.reached("all credits spent", ~sender.available & (stored == places))
        claims.reached("all credits under way back", back == places)
        return m


class LevelProof(wiring.Component):
    """Credits of a static link, whose `clear` empties both ends.

    Parameters
    ----------
    places : int
    """

    def __init__(self, places: int) -> None:
        self._places = places
        super().__init__({name: In(1) for name in ("want", "leaves", "clear")})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims, places = Properties(m), self._places
        m.submodules.credits = credits = Level(places, init=places)
        m.submodules.buffer = buffer = Level(places)
        sends, leaves = Signal(), Signal()
        m.d.comb += [
            sends.eq(self.want & credits.some),
            leaves.eq(self.leaves & buffer.some),
            credits.down.eq(sends),
            credits.up.eq(leaves),
            buffer.up.eq(sends),
            buffer.down.eq(leaves),
            credits.clear.eq(self.clear),
            buffer.clear.eq(self.clear),
        ]
        claims.holds(
            "credits and flits together are the places", credits.number + buffer.number == places
        )
        claims.holds("nothing is sent to a full buffer", ~(sends & buffer.full))
        claims.holds("some says that the number is not 0", buffer.some == (buffer.number != 0))
        claims.reached("full", buffer.full)
        return m


class CounterProof(wiring.Component):
    """A saturating counter.

    Parameters
    ----------
    width, most : int
    """

    def __init__(self, width: int, most: int) -> None:
        self._width, self._most = width, most
        super().__init__({"events": In(range(most + 1))})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims, top = Properties(m), (1 << self._width) - 1
        m.submodules.counter = counter = SaturatingCounter(self._width, self._most)
        claims.assume(self.events <= self._most)
        m.d.comb += counter.events.eq(self.events)
        was = claims.before("count", counter.count)
        came = claims.before("events", self.events)
        total = claims.before("total", counter.total)
        summed = was + came
        claims.holds("it never falls", counter.count >= was)
        claims.holds("no event is overlooked", (counter.count == summed) | (summed > top))
        claims.holds("it stays at its greatest value", (counter.count == top) | (summed < top))
        claims.holds("the total is the next count", total == counter.count)
        claims.reached("its greatest value", counter.count >= min(top, 3 * self._most))
        return m
