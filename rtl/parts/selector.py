"""One word of several, with as few LUTs of four inputs as can be."""

from typing import Any

from amaranth import Module, Mux, Value
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
        fours = [i for i in range(0, self._count - 3, 4)]
        chosen = [self._of_four(self.select[i : i + 4], words[i : i + 4]) for i in fours]
        rest = range(len(fours) * 4, self._count)
        m.d.comb += self.word.eq(either([*chosen, *(Mux(self.select[i], words[i], 0) for i in rest)]))
        return m

    def _of_four(self, select: Value, words: list[Value]) -> Value:
        a, b, c, d = words
        # Neither of both: 0, which also says the third; both: 1, which says the fourth.
        first, second = select[0] | select[3], select[1] | select[3]
        inner = Mux(second, b | first.replicate(len(b)), Mux(first, a, 0))
        return Mux(select[2:].any(), (inner & d) | (~inner & c), inner)
