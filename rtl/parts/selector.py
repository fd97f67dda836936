"""One word of several, with as few LUTs of four inputs as can be."""

from typing import Any

from amaranth import Module, Mux
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.rtl.parts.gates import either

__all__ = ["Selector"]


class Selector(wiring.Component):
    """Passes on the word that is selected, or 0.

    A bit of four words takes two LUT4s, where the OR of ANDs takes three: what the first hands to
    the second is a bit of the first two words, or, where one of the last two is selected, which.
    Synthesis has to keep the module's borders, or it makes three of them again (docs/fpga.md).

    Parameters
    ----------
    count, width : int
        Words, and their bits.

    Members
    -------
    select : In(count)
        At most one bit is high.
    word_0 .. : In(width), word : Out(width)
    """

    def __init__(self, count: int, width: int) -> None:
        self._count = count
        members: dict[str, Any] = {f"word_{i}": In(width) for i in range(count)}
        super().__init__({**members, "select": In(count), "word": Out(width)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        words = [getattr(self, f"word_{i}") for i in range(self._count)]
        if self._count != 4:
            masked = [Mux(s, word, 0) for s, word in zip(self.select, words, strict=True)]
            m.d.comb += self.word.eq(either(masked))
            return m
        a, b, c, d = words
        # Neither of both: 0, which also says the third; both: 1, which says the fourth.
        first, second = self.select[0] | self.select[3], self.select[1] | self.select[3]
        inner = Mux(second, b | first.replicate(len(b)), Mux(first, a, 0))
        later = self.select[2:].any()
        m.d.comb += self.word.eq(Mux(later, (inner & d) | (~inner & c), inner))
        return m
