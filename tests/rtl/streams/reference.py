"""What V7 says of pairs, by the arithmetic of numpy and ml_dtypes, and pairs worth a try."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from syncfabric.models.layout.streams import Function, Type

Words: TypeAlias = NDArray[Any]

SIGNED: dict[Function, Any] = {
    Function.ADD: np.add,
    Function.MIN: np.minimum,
    Function.MAX: np.maximum,
}
UNSIGNED: dict[Function, Any] = {
    Function.MIN_UNSIGNED: np.minimum,
    Function.MAX_UNSIGNED: np.maximum,
    Function.AND: np.bitwise_and,
    Function.OR: np.bitwise_or,
    Function.XOR: np.bitwise_xor,
}


@dataclass(frozen=True)
class Format:
    """Numbers of numpy's type, with the bits of their fractions; exponents have eight."""

    dtype: Any
    fraction: int

    @property
    def width(self) -> int:
        return 9 + self.fraction

    @property
    def sign(self) -> int:
        return 1 << (self.width - 1)

    @property
    def infinity(self) -> int:
        return 0xFF << self.fraction

    @property
    def nan(self) -> int:
        return self.infinity | 1 << (self.fraction - 1)

    def floats(self, words: Words) -> Any:
        """Return what numbers have these bits."""
        return words.astype(f"u{self.width // 8}").view(self.dtype)

    def flushed(self, words: Words) -> Words:
        """Return these numbers, those below the normal range as 0 with their signs."""
        return np.where(words & self.infinity, words, words & self.sign)

    def expected(self, function: Any, a: Words, b: Words) -> Words:
        """Return the results of pairs, each by its function.

        Nothing is rounded below the normal range, where sums are exact: so it makes no difference
        whether one looks for it before or after.
        """
        a, b = self.flushed(a), self.flushed(b)
        x, y = self.floats(a), self.floats(b)
        with np.errstate(all="ignore"):
            total = (x + y).view(f"u{self.width // 8}")
            nan = np.isnan(np.where(function == Function.ADD, x + y, x)) | np.isnan(x) | np.isnan(y)
            less, equal = x < y, x == y
        # Two zeros are equal: then −0 is the lesser one.
        least = np.where(equal, a | b, np.where(less, a, b))
        most = np.where(equal, a & b, np.where(less, b, a))
        result = np.select(
            [function == Function.MIN, function == Function.MAX], [least, most], total
        )
        return np.where(nan, self.nan, self.flushed(result))


BF16, FP32 = Format(ml_dtypes.bfloat16, 7), Format(np.float32, 23)


def expected(function: Words, kind: Words, both: Words, a: Words, b: Words) -> Words:
    """Return the results of pairs of words of 32 bits, each of its type, which is not OFFLOAD."""
    result = a | b  # of which one is 0
    for which in Type:
        rows = np.flatnonzero(both & (kind == which))
        if rows.size and which is not Type.OFFLOAD:
            result[rows] = _of_type(which, function[rows], a[rows], b[rows])
    return result


def _of_type(kind: Type, function: Words, a: Words, b: Words) -> Words:
    if kind in (Type.BF16, Type.FP32):
        form = BF16 if kind == Type.BF16 else FP32
        size = f"u{form.width // 8}"
        lanes = np.repeat(function, 4 // (form.width // 8))
        found = form.expected(lanes, a.view(size), b.view(size))
        return found.astype(size).view(np.uint32)
    result, bits = np.zeros_like(a), 8 << kind
    for each in Function:
        rows = np.flatnonzero(function == each)
        kept = f"{'i' if each in SIGNED else 'u'}{bits // 8}"
        x, y = a[rows].view(kept), b[rows].view(kept)
        result[rows] = {**SIGNED, **UNSIGNED}[each](x, y).view(np.uint32)
    return result


def specials(form: Format) -> Words:
    """Return the ends of all ranges, and numbers beside them, with both signs."""
    unit, top = 1 << form.fraction, (1 << form.fraction) - 1
    one = 127 * unit
    words = [
        *(0, 1, unit // 2, top),
        *(unit, unit + 1, unit + top, 2 * unit, 2 * unit + top, 3 * unit),
        *(one - 1, one, one + 1, one + 3, one + unit, one + 2 * unit, one + 3 * unit),
        *(253 * unit, 254 * unit, 254 * unit + top),
        *(form.infinity, form.infinity + 1, form.nan, form.nan + 1, form.infinity + top),
    ]
    return np.array([*words, *(word | form.sign for word in words)], np.uint32)


def pairs(form: Format, rng: np.random.Generator, size: int) -> tuple[Words, Words]:
    """Return pairs in a random order: `size` of each shape and random ones; all special ones."""
    some = specials(form)
    random = rng.integers(0, 2 << form.width - 1, (2, size))
    every = [*_shaped(form, rng, size), tuple(random), tuple(np.meshgrid(some, some))]
    a, b = (np.concatenate([np.ravel(pair[i]) for pair in every]) for i in range(2))
    order = rng.permutation(a.size)
    mask = (form.sign << 1) - 1
    return (a[order] & mask).astype(np.uint32), (b[order] & mask).astype(np.uint32)


def _shaped(form: Format, rng: np.random.Generator, size: int) -> Iterator[tuple[Words, Words]]:
    """Yield pairs that random ones hardly ever are."""
    bits = form.fraction
    top = (1 << bits) - 1

    def upto(most: int, least: int = 0) -> Words:
        return rng.integers(least, most + 1, size)

    def words(exponents: Words) -> Words:
        """Fractions with long runs of ones or zeros, too: so carries run far, and much cancels."""
        run = upto(top) >> upto(bits) << upto(bits) & top
        return upto(1) * form.sign + (exponents << bits) + (run ^ upto(1) * top)

    # Exponents that differ by all that counts.
    exponents = upto(254, bits + 6)
    yield words(exponents), words(exponents - upto(bits + 5))
    # Almost the same magnitude, down to nothing left; the difference may be below the normal range.
    a = words(upto(254))
    yield a, (a ^ form.sign) + upto(3, -3)
    # Little above the normal range, and below it.
    low = upto(bits + 4)
    yield words(low), words(np.maximum(low - upto(3), 0))
    # The greatest exponents, infinities and NaN.
    high = upto(255, 251)
    yield words(high), words(high - upto(3))
    # Half of the last place, and a little more or less.
    exponents = upto(254, bits + 6)
    yield (
        words(exponents),
        (exponents - bits - upto(3)) * (1 << bits) + upto(1, -1) + upto(1) * form.sign,
    )
