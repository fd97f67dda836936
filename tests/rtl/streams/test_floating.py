# amaranth: UnusedElaboratable=no
"""Floating-point lanes against numpy's float32 and ml_dtypes' bfloat16, which round as IEEE 754."""

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from syncfabric.models.layout.streams import LATENCY, Function, Type
from syncfabric.rtl.streams.floating import FloatLane
from syncfabric.rtl.streams.operators import Operator
from tests.rtl.streams.pairs import agrees
from tests.rtl.streams.reference import BF16, FP32, Words, pairs, specials
from tests.rtl.support import SEED

CHOSEN, SIZE = 64, 100_000
"""Operands of bf16 that meet all others; pairs of each shape."""

FUNCTIONS = (Function.ADD, Function.ADD, Function.MIN, Function.MAX)


def all_of_some() -> tuple[Words, Words]:
    """Return pairs of bf16 of all second operands with each of some: special ones, and others."""
    some = specials(BF16)
    more = np.random.default_rng(SEED).integers(0, 1 << 16, CHOSEN - some.size)
    a, b = np.meshgrid(np.concatenate([some, more]), np.arange(1 << 16))
    return a.ravel(), b.ravel()


@pytest.mark.parametrize("latency", [LATENCY["fp32"], LATENCY["fp32"] + 1])
def test_fp32(latency: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(SEED)
    a, b = pairs(FP32, rng, SIZE)
    function, both = rng.choice(FUNCTIONS, a.size), rng.random(a.size) < 0.95
    agrees(Operator(32, ("fp32",), latency), latency, tmp_path, a, b, function, Type.FP32, both)


@pytest.mark.parametrize("latency", [LATENCY["bf16"], LATENCY["fp32"]])
def test_bf16(latency: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(SEED)
    halves = [pairs(BF16, rng, SIZE) for _ in range(2)]
    a, b = (halves[0][i] | halves[1][i] << 16 for i in range(2))
    function, both = rng.choice(FUNCTIONS, a.size), rng.random(a.size) < 0.95
    agrees(Operator(32, ("bf16",), latency), latency, tmp_path, a, b, function, Type.BF16, both)


@pytest.mark.parametrize("function", [Function.ADD, Function.MIN, Function.MAX])
def test_bf16_of_all_second_operands(function: Function, tmp_path: Path) -> None:
    a, b = (half[::2] | half[1::2] << 16 for half in all_of_some())
    latency = LATENCY["bf16"]
    agrees(Operator(32, ("bf16",), latency), latency, tmp_path, a, b, function, Type.BF16)


def test_sums_of_bf16_are_rounded_once() -> None:
    """No half of bf16's last place has been rounded to: of float32's 24 bits 2·8 + 2 do."""
    a, b = (BF16.floats(word) for word in all_of_some())
    x, y = a.astype(np.float32), b.astype(np.float32)
    with np.errstate(all="ignore"):
        total = x + y
        of_y = total - x
        lost = (x - (total - of_y)) + (y - of_y)  # exactly, after Knuth
        assert np.array_equal(total.astype(ml_dtypes.bfloat16), a + b, equal_nan=True)
    half = np.isfinite(total) & (total.view(np.uint32) & 0xFFFF == 0x8000)
    assert half.sum() > 10_000
    assert not lost[half].any()


def test_depth_that_there_is_not() -> None:
    with pytest.raises(ValueError, match=r"FloatLane has a latency of 1, 3 or 4 cycles, not 2"):
        FloatLane(8, 7, 2)
