"""How many places of a buffer are taken, or free: a number that goes up and down by one."""

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Level"]


class Level(wiring.Component):
    """Counts with "at least one" in a flip-flop of its own, for that is all that senders ask.

    Parameters
    ----------
    places : int, >= 1
        Greatest number.
    init : int
        0, or ``places``: what it is after ``clear``.

    Members
    -------
    up, down : In(1)
        One more; one less, only while there is ``some``. Not up alone while ``full``.
    clear : In(1)
        Be ``init`` from the next cycle on, whatever else is asked. It has to be high in reset too,
        which this part does not look at: so one gate a link is enough.
    some, full : Out(1)
        The number is at least 1; it is ``places``.
    number : Out
        The number.
    """

    def __init__(self, places: int, *, init: int = 0) -> None:
        if places < 1 or init not in (0, places):
            raise ValueError(f"Level needs at least 1 place, all or none taken, not {places!r}")
        self._places, self._init = places, init
        super().__init__(
            {
                "up": In(1),
                "down": In(1),
                "clear": In(1),
                "some": Out(1),
                "full": Out(1),
                "number": Out(range(places + 1)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        most = self._places - 1
        some = Signal(init=int(self._init > 0), reset_less=True)
        more = Signal(range(self._places), init=most if self._init else 0, reset_less=True)
        rises, falls = Signal(), Signal()
        m.d.comb += [
            self.some.eq(some),
            self.full.eq(more == most if most else some),
            self.number.eq(some + more),
            rises.eq(some & self.up & ~self.down),
            falls.eq(self.down & ~self.up & more.any()),
        ]
        # Sums of products, no enables: with two places that is a lookup table a bit.
        m.d.sync += [
            some.eq(self.up | more.any() | (some & ~self.down)),
            more.eq(more ^ (rises | falls) if len(more) == 1 else more + Mux(falls, -1, rises)),
        ]
        with m.If(self.clear):
            m.d.sync += [some.eq(some.init), more.eq(more.init)]
        return m
