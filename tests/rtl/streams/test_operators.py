# amaranth: UnusedElaboratable=no
"""Operators against numpy: all that is built, in lanes side by side, always as late as is said."""

from pathlib import Path

import numpy as np
import pytest
from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.streams import StreamLayout, Type, built
from syncfabric.rtl.streams.operators import Operator
from tests.mixed import mixed
from tests.rtl.streams.pairs import agrees
from tests.rtl.streams.reference import BF16, FP32, expected, specials
from tests.rtl.support import SEED, agree

SIZE = 400_000
ENDS = np.array([0, 1, 0x7F, 0x80, 0xFF], np.uint8)
"""Bytes at which integers of any size begin, end, carry and change their signs."""

BITS, PAIRS = 64, 400
BUILDS = [
    (("add",), 1, 0),
    (("add",), 3, 0),
    (("integer",), 2, 0),
    (("integer",), 5, 0),
    (("bf16", "add"), 3, 0),
    (("add", "fp32"), 5, 0),
    (("bf16", "fp32"), 4, 0),
    (("integer", "add", "bf16", "fp32"), 4, 0),
    (("offload",), 2, 1),
    (("offload",), 7, 3),
    (("add", "offload"), 4, 3),
    (("fp32", "offload"), 9, 8),
    (("offload", "integer", "bf16", "fp32"), 4, 1),
]
"""What is built, λ, and the cycles of the unit beside it."""


def test_integers(tmp_path: Path) -> None:
    """All functions of all sizes, of any bytes and of those at the ends of ranges."""
    rng = np.random.default_rng(SEED)
    size = 4 * SIZE
    a, b = (
        np.where(rng.random(size) < 0.5, rng.choice(ENDS, size), rng.integers(0, 256, size))
        .astype(np.uint8)
        .view(np.uint32)
        for _ in range(2)
    )
    b = np.where(rng.random(SIZE) < 0.1, a, b)
    function, kind = rng.integers(0, 8, SIZE), rng.integers(0, 3, SIZE)
    both = rng.random(SIZE) < 0.95
    agrees(Operator(32, ("integer",), 2), 2, tmp_path, a, b, function, kind, both)


class Beside(wiring.Component):
    """An operator with a unit of a designer: it adds thrice the second operand and the function."""

    def __init__(self, part: Operator, latency: int) -> None:
        self._part, self._latency = part, latency
        members = {name: In(BITS) for name in ("a", "b")} | {"both": In(1), "y": Out(BITS)}
        super().__init__({**members, "function": In(3), "type": In(3)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.part = part = self._part
        for name in ("a", "b", "both", "function", "type"):
            m.d.comb += getattr(part, name).eq(getattr(self, name))
        m.d.comb += self.y.eq(part.y)
        if self._latency:
            made = part.offload_a + 3 * part.offload_b + part.offload_function
            word = Mux(part.offload_valid, made, -1)
            for _ in range(self._latency):
                late = Signal(BITS)
                m.d.sync += late.eq(word)
                word = late
            m.d.comb += part.offload_y.eq(word)
        return m


@pytest.mark.parametrize(("operations", "latency", "unit"), BUILDS)
def test_lanes_of_all_that_is_built(operations: tuple[str, ...], latency: int, unit: int) -> None:
    rng = np.random.default_rng(SEED)
    function, kind = rng.choice(sorted(built(operations)), PAIRS).T.astype(np.uint32)
    both = rng.integers(0, 8, PAIRS) > 0
    shape = 2, PAIRS, BITS // 32
    ends = np.concatenate([specials(FP32), specials(BF16) << 16 | specials(BF16)])
    words = np.where(
        rng.random(shape) < 0.5, rng.choice(ends, shape), rng.integers(0, 1 << 32, shape)
    )
    words[rng.integers(0, 2, PAIRS), np.arange(PAIRS)] *= both[:, None]
    lanes = (np.repeat(each, BITS // 32) for each in (function, kind, both))
    result = expected(*lanes, *words.astype(np.uint32).reshape(2, -1))
    a, b, result = (word.astype(np.uint32).view(np.uint64).ravel() for word in (*words, result))
    result = np.where((kind == Type.OFFLOAD) & both, a + 3 * b + function, result)
    rows = zip(*(map(int, each) for each in (a, b, both, function, kind)), strict=True)
    cases = [dict(zip(("a", "b", "both", "function", "type"), row, strict=True)) for row in rows]
    seen: list[dict[str, int]] = [{}] * latency + [{"y": int(word)} for word in result]
    part = Operator(BITS, operations, latency, max(unit, 1))
    agree(Beside(part, unit), [*cases, *cases[:latency]], seen)


@pytest.mark.parametrize(
    ("operations", "latency", "least"),
    [(("add",), 0, 1), (("add", "fp32"), 3, 4), (("bf16", "offload"), 4, 6)],
)
def test_an_operator_that_is_too_fast(
    operations: tuple[str, ...], latency: int, least: int
) -> None:
    with pytest.raises(ValueError, match=f"takes {least} cycles, not {latency}"):
        Operator(BITS, operations, latency, offload_latency=5)


@pytest.mark.parametrize("operations", [("add",), ("bf16", "offload"), ("integer", "fp32")])
def test_words_know_how_late_operators_are(operations: tuple[str, ...]) -> None:
    layout = StreamLayout(1, 32, operations, "tree", 5, True, offload=mixed(4))
    latency = layout.operator_latency
    Operator(32, operations, latency, 4)
    with pytest.raises(ValueError, match=f"takes {latency} cycles, not {latency - 1}"):
        Operator(32, operations, latency - 1, 4)
