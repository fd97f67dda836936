"""One word of several, with as few LUTs of four inputs as can be."""

from typing import Any

from amaranth import Module, Mux, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.rtl.parts.gates import either


class Selector(wiring.Component):
    """Passes on the word that is selected, or 0.

    A bit of four words takes two LUT4s, where the OR of ANDs takes three: what the first hands to
    the second is a bit of the first two words, or, where one of the last two is selected, which.
    Synthesis has to keep the borders of what does so, or it makes three of them again
    (docs/fpga.md); their selects are worked out outside, with what decides it.

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
        found: list[Value] = []
        for i in range(0, self._count - 3, 4):
            four = _FourWords(len(self.word))
            m.submodules[f"words_{i}_selector"] = four
            select = self.select[i : i + 4]
            m.d.comb += [
                four.first.eq(select[0] | select[3]),
                four.second.eq(select[1] | select[3]),
                four.later.eq(select[2:].any()),
                *(getattr(four, f"word_{k}").eq(words[i + k]) for k in range(4)),
            ]
            found.append(four.word)
        for i in range(self._count // 4 * 4, self._count):
            found.append(Mux(self.select[i], words[i], 0))
        m.d.comb += self.word.eq(either(found))
        return m


class _FourWords(wiring.Component):
    """Passes on one of four words, or 0.

    ``first`` and ``second``: the first or second word. Neither of both: 0, which with ``later``
    says the third; both: 1, which says the fourth.
    """

    def __init__(self, width: int) -> None:
        members: dict[str, Any] = {f"word_{k}": In(width) for k in range(4)}
        members |= {"first": In(1), "second": In(1), "later": In(1), "word": Out(width)}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        a, b, c, d = (getattr(self, f"word_{k}") for k in range(4))
        first = self.first.replicate(len(b))
        inner = Mux(self.second, b | first, Mux(self.first, a, 0))
        m.d.comb += self.word.eq(Mux(self.later, (inner & d) | (~inner & c), inner))
        return m
