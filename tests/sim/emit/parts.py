"""Components that use every construct the writer of Verilog knows."""

from typing import Any

from amaranth import Array, Cat, Const, Module, Mux, ResetInserter, Signal, Value, signed
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

WIDTH = 5


class Operators(wiring.Component):
    """Every operator, at equal and unequal widths, signed and not."""

    def __init__(self) -> None:
        self._names = [f"y_{i}" for i in range(len(self._values(Signal(5), Signal(3), Signal())))]
        super().__init__({"a": In(5), "b": In(3), "c": In(1), **{n: Out(9) for n in self._names}})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        for name, value in zip(self._names, self._values(self.a, self.b, self.c), strict=True):
            m.d.comb += getattr(self, name).eq(value)
        return m

    @staticmethod
    def _values(a: Value, b: Value, c: Value) -> list[Any]:
        s, t = a.as_signed(), b.as_signed()
        return [
            *(a + b, a - b, a * b, s + t, s - t, s * t, -a, -s, ~a, ~s),
            *(a & b, a | b, a ^ b, s & t, a.any(), b.all(), a.xor(), ~(a.any())),
            *(a == b, a != b, a < b, a <= b, a > b, a >= b, s == t, s != t, s < t, s <= t),
            *(s > t, s >= t, a == 9, a != 0, b <= 7, b >= 0, b < 0, c == 1, c == 0),
            *(a << b, a >> b, s >> b, s << b, (a + b)[1:4], (a + b)[:3], (a * b)[2:], ~a[1:3]),
            *(a.bit_select(b, 2), a.word_select(b[:2], 2), Mux(c, a, b), Mux(c, s, t)),
            *(Cat(c.replicate(3), b), Cat(b, Const(5, 3), c), Array([a, b, a + b, 3])[b[:2]]),
            *(Mux(a == b, a & 1, a | b), (a + b + c) ^ (a - b), Mux(c, 1, 0), (a << 3)[3:6]),
        ]


class Switches(wiring.Component):
    """Statements without a clock: cases that leave out, overlap and give parts."""

    def __init__(self) -> None:
        names = ("chain", "dense", "sparse", "parts", "last", "wild", "nested", "masked")
        super().__init__({"a": In(4), "b": In(4), "c": In(1), **{n: Out(4) for n in names}})

    def elaborate(self, platform: object) -> Module:
        m, a, b, c = Module(), self.a, self.b, self.c
        m.d.comb += [self.chain.eq(b), self.nested.eq(a + b)]
        with m.If(a == 3):
            m.d.comb += self.chain.eq(a + 1)
        with m.Elif(c):
            m.d.comb += self.chain[1:3].eq(b)
        with m.Else():
            m.d.comb += self.chain[0].eq(~c)
        with m.Switch(a[:2]):
            for i in range(4):
                with m.Case(i):
                    m.d.comb += self.dense.eq(b ^ i)
        m.d.comb += self.sparse.eq(a)
        with m.Switch(b):
            with m.Case(1, 2):
                m.d.comb += self.sparse.eq(7)
            with m.Case(9):
                pass
            with m.Case(12):
                m.d.comb += [self.sparse.eq(a & b), self.masked.eq(a)]
            with m.Case(13):
                m.d.comb += self.masked.eq(~a)
            with m.Default():
                m.d.comb += self.parts[:2].eq(a)
        m.d.comb += self.parts[3].eq(c)
        m.d.comb += self.last.eq(a)
        with m.If(c):
            m.d.comb += self.last.eq(b)
        with m.If(a == b):
            m.d.comb += self.last.eq(0)
        with m.Switch(a):
            with m.Case("1--0"):
                m.d.comb += self.wild.eq(1)
            with m.Case("-11-", "0000"):
                m.d.comb += self.wild.eq(2)
            with m.Default():
                m.d.comb += self.wild.eq(b)
        with m.If(a[0]), m.Switch(b):
            with m.Case(3):
                m.d.comb += self.nested.eq(c)
            with m.Case(4), m.If(c):
                m.d.comb += self.nested.eq(9)
        return m


class Registers(wiring.Component):
    """Registers with and without reset, of which some bits alone are given, and states."""

    def __init__(self) -> None:
        names = ("held", "some", "free", "state", "late", "fixed")
        super().__init__({"a": In(4), "c": In(1), "d": In(1), **{n: Out(4) for n in names}})

    def elaborate(self, platform: object) -> Module:
        m, a, c, d = Module(), self.a, self.c, self.d
        held, some = Signal(4, init=5), Signal(4, init=10)
        free, fixed = Signal(4, reset_less=True), Signal(data.StructLayout({"x": 2, "y": 2}))
        with m.If(c):
            m.d.sync += [held.eq(held + a), some[2:].eq(a), fixed.y.eq(a)]
        with m.Elif(d):
            m.d.sync += held[0].eq(a[3])
        m.d.sync += [free.eq(a ^ held), self.late.eq(self.late ^ a)]
        with m.If(d & ~c):
            m.d.sync += self.late.eq(1)
        with m.FSM():
            with m.State("A"):
                m.d.comb += self.state.eq(1)
                with m.If(c):
                    m.next = "B"
            with m.State("B"):
                m.d.comb += self.state.eq(2)
                m.next = "C"
            with m.State("C"):
                m.d.comb += self.state.eq(free)
                with m.If(d):
                    m.next = "A"
        m.d.comb += [self.held.eq(held), self.some.eq(some), self.free.eq(free)]
        m.d.comb += self.fixed.eq(fixed)
        return m


class Stores(wiring.Component):
    """Memories: read without and with a clock, through a write, by parts of a word; contents."""

    def __init__(self) -> None:
        names = ("now", "next", "through", "parts", "table")
        members = {"at": In(3), "to": In(3), "word": In(8), "write": In(1), "read": In(1)}
        super().__init__(members | {name: Out(8) for name in names})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.store = store = memory.Memory(shape=8, depth=8, init=[0])
        m.submodules.bytes = parts = memory.Memory(shape=8, depth=8, init=[1, 2, 3])
        m.submodules.table = table = memory.Memory(shape=8, depth=5, init=[7, 0, 9, 200])
        write, by_parts = store.write_port(), parts.write_port(granularity=4)
        now, after = store.read_port(domain="comb"), store.read_port()
        through = store.read_port(transparent_for=[write])
        looked_up, kept = table.read_port(domain="comb"), parts.read_port(domain="comb")
        for port in (write, by_parts):
            m.d.comb += [port.addr.eq(self.to), port.data.eq(self.word)]
        for port in (now, after, through, looked_up, kept):
            m.d.comb += port.addr.eq(self.at)
        m.d.comb += [
            *(write.en.eq(self.write), by_parts.en.eq(Cat(self.write, self.read))),
            *(after.en.eq(self.read), through.en.eq(1)),
            *(self.now.eq(now.data), self.next.eq(after.data), self.through.eq(through.data)),
            *(self.parts.eq(kept.data), self.table.eq(Mux(self.at < 5, looked_up.data, 0))),
        ]
        return m


class Counter(wiring.Component):
    """Counts events; see also ``more``.

    Rules: docs/ports.md.

    Parameters
    ----------
    bits : int
        Of the count.

    Members
    -------
    more : In(1)
        One more.
    count : Out(bits)
        How many there were.
    """

    def __init__(self, bits: int) -> None:
        self._bits = bits
        super().__init__({"more": In(1), "count": Out(bits)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.sync += self.count.eq(self.count + self.more)
        return m


class Whole(wiring.Component):
    """Three counters of two sizes, one of which is cleared; a port of no bits; a keyword."""

    def __init__(self) -> None:
        members = {"more": In(1), "clear": In(1), "nothing": In(0), "release": Out(4)}
        super().__init__(members | {"wide": Out(signed(6)), "other": Out(4)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.first, m.submodules.wide = first, wide = Counter(4), Counter(6)
        cleared = Counter(4)
        m.submodules.cleared = ResetInserter(self.clear)(cleared)
        inside = Module()
        inside.d.comb += cleared.more.eq(self.more & ~first.count[0])
        m.submodules.inside = inside
        m.d.comb += [
            *(first.more.eq(self.more), wide.more.eq(cleared.count.any())),
            *(self.release.eq(first.count), self.wide.eq(wide.count)),
            self.other.eq(cleared.count),
        ]
        return m


PARTS = {part.__name__.lower(): part for part in (Operators, Switches, Registers, Stores, Whole)}
