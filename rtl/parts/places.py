"""Addresses of a circular buffer in memory."""

from functools import reduce
from operator import xor

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.rtl.parts.activity import transient

TAPS = {
    **{3: (2, 1), 4: (3, 2), 5: (4, 2)},
    **{6: (5, 4), 7: (6, 5), 8: (7, 5, 4, 3)},
}
"""Bits of a shift register, by its width, whose XOR makes it go through all values but 0."""


class Places(wiring.Component):
    """Where the next word goes, and where the first one is.

    Parameters
    ----------
    bits : int, 3 to 8
        Of an address.
    zero : bool
        Address 0 is a place like any other; else it is none.

    Members
    -------
    push, pop : In(1)
        Only while not ``full``, and while ``some``.
    some, full : Out(1)
        The buffer is not empty; is full.
    rest : Out(1)
        It is not empty after this cycle's pop, without this cycle's push.
    write, read : Out
        Addresses of the next word to come, and of the first.
    after : Out
        What ``read`` is in the next cycle.
    """

    def __init__(self, bits: int, *, zero: bool = True) -> None:
        self._zero = zero
        place = Out(bits, init=int(not zero))
        super().__init__(
            {name: In(1) for name in ("push", "pop")}
            | {name: Out(1) for name in ("some", "full", "rest")}
            | {"write": place, "read": place, "after": Out(bits)}
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        next_read = self._next(self.read)
        m.d.comb += [
            self.rest.eq(self.some & ~(self.pop & (next_read == self.write))),
            self.full.eq(self.some & (self.read == self.write)),
            self.after.eq(Mux(self.pop, next_read, self.read)),
        ]
        m.d.sync += transient(self.some).eq(self.push | self.rest)
        with m.If(self.pop):
            m.d.sync += self.read.eq(next_read)
        with m.If(self.push):
            m.d.sync += self.write.eq(self._next(self.write))
        return m

    def _next(self, place: Signal) -> Value:
        """Return the place after ``place``: a shift register, that goes through 0 if that is one.

        The order of places has no meaning, and this takes one LUT where a sum takes one a bit.
        """
        back = reduce(xor, [place[tap] for tap in TAPS[len(place)]])
        if self._zero:
            back = back ^ ~place[:-1].any()
        return Cat(back, place[:-1])
